"""Walks and trees that cover a mask: found wherever all tokens reach all, and checked."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from helpers.attention.attention_graphs import looped_masks, random_graph
from hypothesis import assume, given
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.graphs import AttentionGraph, Heads, SparseAttention, build
from samapprox.attention.graphs import walks as walks_module
from samapprox.attention.graphs.walks import (
    Tree,
    Trees,
    Walk,
    are_edges,
    are_spanning_trees,
    covering_walk,
    find_patterns,
    find_trees,
    is_covering_walk,
)


def covers(patterns: tuple[AttentionGraph, ...], walk: Walk) -> bool:
    """The definition of a covering walk, word by word."""
    attends = [set(zip(g.queries.tolist(), g.indices.tolist(), strict=True)) for g in patterns]
    tokens, numbers = walk.tokens.tolist(), walk.patterns.tolist()
    steps = zip(tokens[1:], tokens, numbers[1:], strict=False)
    return (
        numbers[0] == 0
        and all(v != u and (v, u) in attends[number] for v, u, number in steps)
        and set(tokens) == set(range(patterns[0].n))
        and tokens[-1] not in tokens[:-1]
    )


def test_every_small_mask_has_a_walk() -> None:
    masks = [graph for n in (1, 2, 3, 4) for graph in looped_masks(n)]
    assert len(masks) == 1 + 1 + 18 + 1606
    for graph in masks:
        walk = covering_walk(SparseAttention((graph,)))
        assert covers((graph,), walk)
        assert walk.steps <= 6


@given(
    st.integers(1, 7),
    st.integers(0, 30),
    st.integers(1, 3),
    st.sampled_from(Heads),
    st.integers(0, 999),
)
def test_a_walk_exists_where_every_token_hears_of_every_other(
    n: int, edges: int, p: int, heads: Heads, seed: int
) -> None:
    graphs = tuple(random_graph(n, edges // p, seed + k) for k in range(p))
    attention = SparseAttention(graphs, heads)
    if networkx.is_strongly_connected(attention.union.to_networkx()):
        walk = covering_walk(attention)
        assert covers(attention.selectable, walk)
        assert is_covering_walk(attention.selectable, walk)
    else:
        with pytest.raises(InputError, match=r"token \d never hears of token \d; add edges"):
            covering_walk(attention)


@given(st.integers(1, 5), st.integers(0, 25), st.integers(0, 999), st.data())
def test_the_check_of_a_walk(n: int, edges: int, seed: int, data: st.DataObject) -> None:
    patterns = (random_graph(n, edges, seed), random_graph(n, edges, seed + 1))
    length = data.draw(st.integers(1, 2 * n))
    tokens = data.draw(st.lists(st.integers(0, n - 1), min_size=length, max_size=length))
    numbers = data.draw(st.lists(st.integers(0, 1), min_size=length, max_size=length))
    walk = Walk(np.array(tokens), np.array(numbers))
    assert is_covering_walk(patterns, walk) == covers(patterns, walk)


def test_odd_walks_are_refused() -> None:
    patterns = build("full", 3).patterns
    zeros = np.zeros(3, dtype=np.int64)
    for tokens, numbers in [
        ([0, 1, 3], zeros),
        ([-1, 0, 1], zeros),
        ([0, 1, 2], zeros + 1),
        ([0, 1, 2], zeros - 1),
        ([0, 1, 2], zeros[:2]),
        ([[0], [1], [2]], zeros[:, None]),
        ([], zeros[:0]),
    ]:
        walk = Walk(np.array(tokens, dtype=np.int64), np.array(numbers))
        assert not is_covering_walk(patterns, walk)


def test_the_order_of_the_tokens_is_preferred() -> None:
    assert covering_walk(build("window:w=3", 9)).tokens.tolist() == list(range(9))
    backwards = AttentionGraph.from_networkx(networkx.cycle_graph(5, networkx.DiGraph))
    walk = covering_walk(SparseAttention((backwards,)))
    assert walk.tokens.tolist() == [4, 3, 2, 1, 0]
    assert walk.is_path
    assert not covering_walk(star_to_the_letter(4)).is_path


def star_to_the_letter(n: int) -> SparseAttention:
    """Zaheer et al. (2020), Definition 1: token 0 does not attend to itself."""
    star = networkx.star_graph(n)
    star.add_edges_from((i, i) for i in range(1, n + 1))
    return SparseAttention((AttentionGraph.from_networkx(star),))


def test_steps_take_the_pattern_that_has_them() -> None:
    attention = build("strided:w=2,heads=multihead", 6)
    numbers = np.array([0, 1, 0])
    walk = Walk(np.array([0, 2, 3]), numbers)
    assert are_edges(attention.selectable, walk.tokens[1:], walk.tokens[:-1], numbers[1:])
    assert not are_edges(attention.selectable, np.array([4]), np.array([0]), np.array([0]))
    assert len(build("strided:w=2,heads=union", 6).selectable) == 1


def test_a_search_that_takes_too_long_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks_module, "MOST_STEPS", 3)
    with pytest.raises(InputError, match="no walk of at most 131072 tokens was found"):
        covering_walk(star_to_the_letter(9))


masks = st.builds(
    lambda n, edges, p, seed, heads: SparseAttention(
        tuple(random_graph(n, edges // p, seed + k) for k in range(p)), heads
    ),
    st.integers(1, 8),
    st.integers(0, 64),
    st.integers(1, 2),
    st.integers(0, 999),
    st.sampled_from(Heads),
)


def walk_along(trees: Trees) -> list[int]:
    """From the root to each leaf of the out-tree and back along the in-tree, by the definition."""
    out, back = trees.out_tree.parents.tolist(), trees.in_tree.parents.tolist()
    leaves = [token for token in range(len(out)) if token not in out]
    walk = [trees.root]
    for leaf in leaves:
        down = []
        token = leaf
        while token != trees.root:
            down.append(token)
            token = out[token]
        walk += reversed(down)
        while walk[-1] != trees.root:
            walk.append(back[walk[-1]])
    return walk


@given(masks)
def test_the_walk_that_follows(attention: SparseAttention) -> None:
    union = attention.union
    assume(networkx.is_strongly_connected(union.to_networkx()))
    trees = find_trees(attention.selectable, union)
    assert are_spanning_trees(attention.selectable, trees)
    tokens = np.array(walk_along(trees))
    assert len(tokens) - 1 == trees.most_steps
    _, first = np.unique(tokens, return_index=True)
    tokens = tokens[: first.max() + 1]
    numbers = np.zeros_like(tokens)
    numbers[1:] = find_patterns(attention.selectable, tokens[1:], tokens[:-1])
    assert is_covering_walk(attention.selectable, Walk(tokens, numbers))
    assert trees.most_steps <= union.n * sum(trees.depths)


@given(masks, st.data())
def test_the_check_of_trees(attention: SparseAttention, data: st.DataObject) -> None:
    """Random parents are accepted if and only if networkx calls both trees arborescences."""
    patterns, n = attention.selectable, attention.n
    root = data.draw(st.integers(0, n - 1))
    trees, plain = [], []
    for _ in range(2):
        parents = data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))
        parents[root] = root
        last = len(patterns) - 1
        numbers = data.draw(st.lists(st.integers(0, last), min_size=n, max_size=n))
        numbers[root] = 0
        trees.append(Tree(np.array(parents), np.array(numbers)))
        edges = [(parents[token], token, numbers[token]) for token in range(n) if token != root]
        plain.append(edges)
    spread, gather = plain
    attends = [set(zip(g.queries.tolist(), g.indices.tolist(), strict=True)) for g in patterns]
    expected = all((token, parent) in attends[k] for parent, token, k in spread)
    expected &= all((parent, token) in attends[k] for parent, token, k in gather)
    for edges in plain:
        graph = networkx.DiGraph([edge[:2] for edge in edges])
        graph.add_node(root)
        expected &= networkx.is_arborescence(graph) and len(graph) == n
    assert are_spanning_trees(patterns, Trees(root, trees[0], trees[1])) == expected


def test_odd_trees_are_refused() -> None:
    zeros, chain = np.zeros(3, dtype=np.int64), np.array([0, 0, 1])
    patterns = (AttentionGraph.from_csr([0, 3, 6, 9], [0, 1, 2] * 3),)
    good = Tree(chain, zeros)
    assert are_spanning_trees(patterns, Trees(0, good, good))
    for odd in (
        Tree(np.array([0, 0, 3]), zeros),
        Tree(np.array([0, 0, -1]), zeros),
        Tree(chain, zeros + 1),
        Tree(chain, zeros - 1),
        Tree(chain[:2], zeros[:2]),
        Tree(np.array([0, 2, 1]), zeros),
    ):
        assert not are_spanning_trees(patterns, Trees(0, odd, good))
        assert not are_spanning_trees(patterns, Trees(0, good, odd))
    assert not are_spanning_trees(patterns, Trees(3, good, good))
    assert not are_spanning_trees(patterns, Trees(1, good, good))
