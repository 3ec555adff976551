"""Selective shifts and all-max-shifts follow the formulas of E.2.1, token by token."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from helpers.attention.attention_graphs import random_graph
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox.attention.graphs import AttentionGraph, build
from samapprox.attention.transformers.maps import Hardmax
from samapprox.attention.transformers.universality import Method, choose_route
from samapprox.attention.transformers.universality.construction import build_mapping
from samapprox.attention.transformers.universality.contextual import (
    all_max_shift,
    selective_shift,
)
from samapprox.attention.transformers.universality.ids import AffineId


@given(st.lists(st.integers(-9, 9), min_size=3, max_size=3), st.integers(-9, 9))
def test_affine_bounds_are_attained(weights: list[int], constant: int) -> None:
    form = AffineId(constant, np.array(weights, dtype=object), 3)
    values = [constant + sum(map(int.__mul__, weights, x)) for x in product(range(4), repeat=3)]
    assert (form.low, form.high) == (min(values), max(values))


@st.composite
def states(draw: st.DrawFn) -> tuple[AttentionGraph, NDArray[np.int64], NDArray[np.object_]]:
    """A mask with loops, weights u, and columns with positive entries, some of them huge."""
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    loops = build("window:w=1", n).union
    graph = random_graph(n, draw(st.integers(0, n * n)), draw(st.integers(0, 999))).union(loops)
    entries = st.integers(1, 9) | st.integers(1, 1 << 80)
    values = draw(st.lists(entries, min_size=d * n, max_size=d * n))
    columns = np.array(values, dtype=object).reshape(d, 1, n)
    return graph, np.array([3**k for k in range(d)]), columns


def seen(graph: AttentionGraph, weights: NDArray[np.int64], columns: NDArray[np.object_]) -> list:
    """The ids that each token sees."""
    ids = [sum(w * z for w, z in zip(weights.tolist(), z, strict=True)) for z in columns[:, 0].T]
    return [[ids[key] for key in graph.keys(token).tolist()] for token in range(graph.n)]


@given(states(), st.integers(1, 1 << 70), st.data())
def test_a_selective_shift_moves_the_tokens_in_its_window_alone(
    state: tuple[AttentionGraph, NDArray[np.int64], NDArray[np.object_]],
    factor: int,
    data: st.DataObject,
) -> None:
    graph, weights, columns = state
    ids = (weights @ columns[:, 0]).tolist()
    ends = st.sampled_from(ids) | st.integers(0, 300)
    low, high = sorted((data.draw(ends), data.draw(ends)))
    shifted = selective_shift(weights, factor, (low, high)).apply(columns, (graph,), Hardmax())
    for token, visible in enumerate(seen(graph, weights, columns)):
        rise = factor * (max(visible) - min(visible)) if low <= ids[token] <= high else 0
        assert shifted[0, 0, token] == columns[0, 0, token] + rise
        assert shifted[1:, 0, token].tolist() == columns[1:, 0, token].tolist()


@given(states(), st.integers(1, 1 << 70))
def test_an_all_max_shift_moves_every_token(
    state: tuple[AttentionGraph, NDArray[np.int64], NDArray[np.object_]], factor: int
) -> None:
    graph, weights, columns = state
    shifted = all_max_shift(weights, factor).apply(columns, (graph,), Hardmax())
    for token, visible in enumerate(seen(graph, weights, columns)):
        assert shifted[0, 0, token] == columns[0, 0, token] + factor * max(visible)
        assert shifted[1:, 0, token].tolist() == columns[1:, 0, token].tolist()


def test_all_max_shifts_have_the_factor_of_e2_and_not_of_f2() -> None:
    """E.2.2 has 2 s n / delta^(nd + 1); with F.2's n / delta^(nd), ids can outweigh a shift."""
    n, d, steps, s = 2, 1, 2, 1
    mapping = build_mapping(
        build("full", n), choose_route(build("full", n), Method.PRINTED), d, steps
    )
    factor = int(mapping.layers[-1].heads[0].output[0, 0])
    of_f2 = n * steps ** (n * d)
    assert factor == 2 * s * n * steps ** (n * d + 1) == 2 * s * steps * of_f2
    delta, bound = Fraction(1, steps), n * steps ** (n * d)
    assert bound < factor * delta
    assert not bound < of_f2 * delta
