"""Feed-forward layers against their formula."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from helpers.attention.random_layers import fractions, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.transformers import (
    AttentionLayer,
    FeedForward,
    Head,
    PiecewiseLinear,
    Transformer,
    gelu,
    relu,
)
from samapprox.attention.transformers.maps import Hardmax


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_feed_forward_equals_its_formula(seed: int) -> None:
    rng = np.random.RandomState(seed)
    d, r, n = rng.randint(1, 4, size=3)
    layer = FeedForward(
        fractions(rng, r, d), fractions(rng, r), fractions(rng, d, r), fractions(rng, d)
    )
    x = fractions(rng, d, n)
    out = Transformer((layer,), np.zeros((d, n), dtype=object)).forward(
        x, SparseAttention((random_graph(rng, n),)), Hardmax()
    )
    for k in range(n):
        hidden = [
            max(0, sum(layer.w_1[a, i] * x[i, k] for i in range(d)) + layer.b_1[a])
            for a in range(r)
        ]
        for i in range(d):
            update = sum(layer.w_2[i, a] * hidden[a] for a in range(r)) + layer.b_2[i]
            assert out[i, k] == x[i, k] + update


@given(
    st.lists(st.fractions(-5, 5), min_size=1, max_size=2, unique=True).map(sorted),
    st.lists(st.fractions(-3, 3), min_size=6, max_size=6),
    st.lists(st.fractions(-7, 7), min_size=1, max_size=9),
)
def test_pieces_are_half_open(
    starts: list[Fraction], numbers: list[Fraction], points: list[Fraction]
) -> None:
    pieces = len(starts) + 1
    slopes, intercepts = numbers[:pieces], numbers[3 : 3 + pieces]
    phi = PiecewiseLinear(tuple(starts), tuple(slopes), tuple(intercepts))
    for t in [*points, *starts]:
        piece = 0
        while piece < len(starts) and not t < starts[piece]:
            piece += 1
        assert phi(np.array([t], dtype=object)).tolist() == [slopes[piece] * t + intercepts[piece]]


def test_activations_of_every_number_type() -> None:
    points = np.array([-3, -1, 0, 2])
    assert relu(points).dtype == points.dtype
    assert relu(points).tolist() == [0, 0, 0, 2]
    precise = gelu(points.astype(object))
    assert gelu(points) == pytest.approx([float(p) for p in precise], abs=1e-15)
    with mpmath.workdps(40):
        digits = gelu(np.array([Fraction(1)], dtype=object))[0]
        assert abs(digits - (1 + mpmath.erf(1 / mpmath.sqrt(2))) / 2) < mpmath.mpf(10) ** -38


def test_counts_of_parameters() -> None:
    head = Head(np.ones((2, 3)), np.ones((2, 3)), np.ones((1, 3)), np.ones((3, 1)), [0, 0])
    layer = FeedForward(np.ones((4, 3)), np.ones(4), np.ones((3, 4)), np.ones(3))
    assert (head.parameters, layer.parameters) == (6 + 6 + 3 + 3 + 2, 12 + 4 + 12 + 3)
    transformer = Transformer((AttentionLayer((head, head)), layer), np.ones((3, 5)), np.ones(3))
    assert transformer.parameters == 40 + 31 + 15 + 3
