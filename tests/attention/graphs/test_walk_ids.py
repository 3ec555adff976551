"""The theorem of docs/theory/universality.md: ids gathered along a walk determine the input.

Lemma 7 of Yun et al. (2020), properties 7.1 and 7.2, over all inputs, for masks of every kind.
"""

from __future__ import annotations

from itertools import islice, product

import networkx
import numpy as np
import pytest
from helpers.attention.attention_graphs import looped_masks, random_graph
from helpers.attention.walk_ids import all_max_shifts, ids_along
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox.attention.graphs import AttentionGraph, Heads, SparseAttention, build
from samapprox.attention.graphs.universality import least_layers
from samapprox.attention.graphs.walks import Walk, covering_walk, find_patterns, is_covering_walk


def all_different(ids: np.ndarray) -> bool:
    """Whether no id occurs twice, within an input or in two of them (7.1 and 7.2)."""
    return len(set(ids.ravel().tolist())) == ids.size


def check(attention: SparseAttention, walk: Walk, values: int) -> None:
    """Require the two properties of the whole contextual mapping."""
    patterns = attention.selectable
    assert is_covering_walk(patterns, walk)
    ids = ids_along(patterns, walk, values)
    assert len(set(ids[walk.tokens[-1]])) == values**attention.n
    s = least_layers(patterns, attention.union).upper
    assert all_different(all_max_shifts(patterns, ids, s))


def masks(n: int) -> list[SparseAttention]:
    return [SparseAttention((graph,)) for graph in looped_masks(n)]


@pytest.mark.parametrize("values", [2, 3])
def test_all_masks_of_at_most_three_tokens(values: int) -> None:
    for attention in masks(2) + masks(3):
        check(attention, covering_walk(attention), values)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_masks_of_four_tokens(step: int) -> None:
    """Every fifth of them, or all."""
    every = masks(4)
    assert len(every) == 1606
    for attention in every[::step]:
        check(attention, covering_walk(attention), 2)


@st.composite
def wandering(draw: st.DrawFn) -> tuple[SparseAttention, Walk]:
    """Several patterns with loops, and any walk that covers them, with needless returns."""
    n, p = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    loops, seed = build("window:w=1", n).union, draw(st.integers(0, 2**16))
    edges = draw(st.integers(2, 12))
    patterns = tuple(random_graph(n, edges // p + 1, seed + k).union(loops) for k in range(p))
    attention = SparseAttention(patterns, draw(st.sampled_from(Heads)))
    patterns = attention.selectable
    assume(networkx.is_strongly_connected(attention.union.to_networkx()))
    followers = attention.union.reverse()
    tokens = [draw(st.integers(0, n - 1))]
    while len(set(tokens)) < n:
        assume(len(tokens) < 12)
        choice = [token for token in followers.keys(tokens[-1]).tolist() if token != tokens[-1]]
        tokens.append(draw(st.sampled_from(choice)))
    walk = np.array(tokens)
    numbers = np.zeros_like(walk)
    numbers[1:] = find_patterns(patterns[::-1], walk[1:], walk[:-1])
    numbers[1:] = len(patterns) - 1 - numbers[1:]  # the last pattern that has the step
    return attention, Walk(walk, numbers)


@given(wandering())
def test_ids_are_distinct_along_any_walk(found: tuple[SparseAttention, Walk]) -> None:
    attention, walk = found
    check(attention, walk, 2)


def test_a_spider_without_a_hamiltonian_path() -> None:
    graph = networkx.Graph([(0, 1), (1, 2), (0, 3), (3, 4), (0, 5), (5, 6)])
    graph.add_edges_from((token, token) for token in range(7))
    attention = SparseAttention((AttentionGraph.from_networkx(graph),))
    check(attention, covering_walk(attention), 2)


def test_shifts_that_are_too_small_confuse_inputs() -> None:
    graph = AttentionGraph.from_csr([0, 3, 6, 10, 12], [0, 2, 3, 1, 2, 3, 0, 1, 2, 3, 2, 3])
    walk = Walk(np.array([2, 3, 0, 2, 1]), np.zeros(5, dtype=np.int64))
    assert is_covering_walk((graph,), walk)
    assert len(set(ids_along((graph,), walk, 3)[1])) == 3**4
    assert len(set(ids_along((graph,), walk, 3, c=2)[1])) < 3**4


def without_loops(graph: AttentionGraph) -> AttentionGraph:
    plain = graph.to_networkx()
    plain.remove_edges_from((token, token) for token in range(graph.n))
    return AttentionGraph.from_networkx(plain)


def test_loops_would_be_superfluous_with_feed_forward_layers_in_between() -> None:
    """The remark on what remains unknown: each token in turn gets the greatest id, n - 1 times."""
    for looped in [*looped_masks(2), *looped_masks(3), *islice(looped_masks(4), 0, None, 20)]:
        graph, n = without_loops(looped), looped.n
        ids = np.array(list(product(range(2), repeat=n))).T
        for greatest in [*range(n)] * (n - 1):
            ids = renumber(ids, greatest)
            seen = [ids[graph.keys(token)].max(axis=0) for token in range(n)]
            ids = ids + (int(ids.max()) + 1) * np.array(seen)
        assert all_different(renumber(ids, 0))


def renumber(ids: NDArray[np.int64], greatest: int) -> NDArray[np.int64]:
    """The ids mapped to a block for each token, one-to-one, the highest for one of them."""
    values = [np.unique(row, return_inverse=True) for row in ids]
    blocks = [2 ** len(ids) * (len(ids) if k == greatest else k) for k in range(len(ids))]
    return np.array([b + places for b, (_, places) in zip(blocks, values, strict=True)])
