"""The tokens that others can have heard of, against plain sets; paths edge by edge."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers.attention.attention_graphs import random_graph
from helpers.attention.dependencies import any_needs, edges_of, needs_of
from hypothesis import given
from hypothesis import strategies as st

from samapprox import CertificateError, InputError
from samapprox.attention.graphs import AttentionGraph, Heads, SparseAttention, build
from samapprox.attention.reasoning.locality import hearing
from samapprox.attention.reasoning.locality.hearing import hear, reached_positions, wrong_step


def heard(attention: SparseAttention, layers: int) -> list[set[int]]:
    """The tokens that each position has heard of, by sets: with residuals, and no later keys."""
    sets = [{position} for position in range(attention.n)]
    for layer in range(layers):
        before = [set(known) for known in sets]
        for graph in attention.layer(layer % attention.period):
            for query, key in edges_of(graph):
                if key <= query:
                    sets[query] |= before[key]
    return sets


@given(
    any_needs(9),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 99)), min_size=1, max_size=3),
    st.sampled_from(Heads),
    st.integers(1, 4),
)
def test_needs_are_met_just_where_sets_say(
    drawn: tuple[AttentionGraph, int], drawings: list[tuple[int, int]], heads: Heads, layers: int
) -> None:
    needs, _ = drawn
    patterns = tuple(random_graph(needs.n, edges, seed) for edges, seed in drawings)
    attention = SparseAttention(patterns, heads)
    found = hear(needs, attention, layers)
    known = heard(attention, layers)
    missing = [(i, j) for i, j in edges_of(needs) if j not in known[i - 1]]
    assert [tuple(pair) for pair in found.missing.tolist()] == missing
    assert found.complete == (not missing)
    assert wrong_step(needs, attention, found.paths) is None
    assert found.paths.shape == (needs.edges, layers + 1)
    for token in range(needs.n):
        reached = reached_positions(attention, token, layers).tolist()
        assert reached == [token in tokens for tokens in known]


@pytest.mark.parametrize("mask", ["block-sparse:b=32", "strided:w=33", "bigbird:w=5,causal=1"])
def test_sequences_longer_than_a_row_of_bits(mask: str) -> None:
    n = 1100
    stream = np.random.RandomState(0)
    pairs = {(i, int(stream.randint(i))) for i in range(1, n) for _ in range(3)}
    needs = needs_of(n, pairs)
    attention = build(mask, n)
    found = hear(needs, attention, 2)
    known = heard(attention, 2)
    assert [tuple(pair) for pair in found.missing.tolist()] == [
        (i, j) for i, j in edges_of(needs) if j not in known[i - 1]
    ]


@given(any_needs(8), st.integers(0, 40), st.integers(0, 99))
def test_the_depth_is_the_least_number_of_layers(
    drawn: tuple[AttentionGraph, int], edges: int, seed: int
) -> None:
    needs, _ = drawn
    attention = (
        build("strided:w=2", needs.n)
        if seed % 2
        else SparseAttention(
            (random_graph(needs.n, edges, seed), random_graph(needs.n, edges, seed + 1))
        )
    )
    found = hear(needs, attention, 5)
    met = [pair for pair in edges_of(needs) if list(pair) not in found.missing.tolist()]
    within = [
        layers for layers in range(6) if all(j in heard(attention, layers)[i - 1] for i, j in met)
    ]
    assert found.depth == within[0]


def test_the_first_step_that_cannot() -> None:
    needs = needs_of(8, [(2, 0), (6, 1), (6, 4), (7, 0)])
    found = hear(needs, build("window:w=3", 8), 2)
    assert found.missing.tolist() == [[6, 1], [7, 0]]
    assert found.paths.tolist() == [[0, 1, 1], [-1] * 3, [4, 5, 5], [-1] * 3]


def test_changed_paths_are_wrong() -> None:
    needs = needs_of(6, [(5, 0)])
    attention = build("window:w=5", 6)
    path = hear(needs, attention, 3).paths[0].tolist()
    assert path[0] == 0
    assert path[-1] == 4
    for place in range(4):
        for position in range(6):
            changed = [*path[:place], position, *path[place + 1 :]]
            steps = pairwise(changed)
            fine = (changed[0], changed[-1]) == (0, 4) and all(0 <= b - a <= 2 for a, b in steps)
            wrong = wrong_step(needs, attention, np.array([changed], dtype=np.int32))
            assert (wrong is None) == fine


def test_a_path_through_a_later_position_is_wrong() -> None:
    paths = np.array([[0, 3, 1]], dtype=np.int32)
    message = wrong_step(needs_of(4, [(2, 0)]), build("full", 4), paths)
    assert message == "need (2, 0): position 1 does not attend to position 3 in layer 1"


def test_the_first_wrong_path_is_named() -> None:
    paths = np.array([[0, 0, 2], [1, 2, 3], [2, 0, 4]], dtype=np.int32)
    message = wrong_step(needs_of(6, [(3, 0), (4, 1), (5, 2)]), build("window:w=3", 6), paths)
    assert message == "need (5, 2): position 0 does not attend to position 2 in layer 0"


def test_a_faulty_search_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    needs = needs_of(6, [(5, 0)])
    attention = build("window:w=5", 6)
    for path, message in (([0, 3, 4], "position 3 does not attend"), ([-1] * 3, "has a path")):
        rows = np.array([path], dtype=np.int32)
        monkeypatch.setattr(hearing, "_trace", lambda *_, rows=rows: rows)
        with pytest.raises(CertificateError, match=message):
            hear(needs, attention, 2)


def test_bad_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    needs = needs_of(6, [(5, 0)])
    with pytest.raises(InputError, match="the mask has 5 positions, but there are 6 tokens"):
        hear(needs, build("full", 5), 1)
    with pytest.raises(InputError, match=r"the number of layers must be in 1..10000, not 0"):
        hear(needs, build("full", 6), 0)
    with pytest.raises(InputError, match=r"the number of layers must be in 1..10000, not 20000000"):
        hear(needs, build("full", 6), 20_000_000)
    monkeypatch.setattr(hearing, "MOST_PLACES", 10)
    with pytest.raises(InputError, match=r"1 needs through 10 layers .* take fewer layers"):
        hear(needs, build("full", 6), 10)
    monkeypatch.setattr(hearing, "MOST_ROWS", 30)
    assert hear(needs, build("full", 6), 4).complete
    with pytest.raises(InputError, match="6 positions in 5 layers are more than 30 in all; take"):
        hear(needs, build("full", 6), 5)
