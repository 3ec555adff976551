"""The transformer of Step 3 of Yun et al. (2020): ReLUs and a probability map."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox.attention.graphs import build
from samapprox.attention.transformers.maps import Entmax, ProbabilityMap, Softmax
from samapprox.attention.transformers.universality import (
    build_universal,
    random_function,
    soften_transformer,
)
from samapprox.attention.transformers.universality.grid import Grid
from samapprox.attention.transformers.universality.least_scale import find_least_scale
from samapprox.attention.transformers.universality.value_layers import (
    ValueLayers,
    relu_quantization_layers,
    relu_value_layer,
)

QUARTER = Fraction(1, 4)


@given(
    st.integers(2, 4),
    st.fractions(Fraction(1, 100), Fraction(99, 100)),
    st.lists(st.fractions(0, 4, max_denominator=50), min_size=1, max_size=8),
)
def test_three_relus_round_most_entries_down(
    steps: int, alpha: Fraction, entries: list[Fraction]
) -> None:
    columns = np.array([[entries]], dtype=object)
    for layer in relu_quantization_layers(Grid(2, 1, steps), alpha):
        assert len(layer.w_1) == 3
        columns = layer.apply(columns)
    for entry, found in zip(entries, columns[0, 0], strict=True):
        floor = math.floor(entry)
        if entry >= 2 * steps:
            assert found == entry
        elif entry - floor <= 1 - alpha:
            assert found == floor
        else:
            assert floor < found < floor + 1


@given(st.lists(st.fractions(-1, 1), min_size=1, max_size=8))
def test_four_relus_are_the_function_of_f3(points: list[Fraction]) -> None:
    def phi(t: Fraction) -> Fraction:
        """The four lines of phi~' in F.3, in units of delta."""
        if t < Fraction(-1, 2) or t >= Fraction(1, 2):
            return Fraction(0)
        if t < Fraction(-1, 4):
            return 4 * t + 2
        return Fraction(1) if t < QUARTER else -4 * t + 2

    values = ValueLayers.mapping(np.array([1, 2]), np.array([[3], [4]]), np.array([[9], [-5]]))
    layer = relu_value_layer(values, 0)
    assert len(layer.w_1) == 4
    columns = np.array([[[3 + t for t in points]], [[4] * len(points)]], dtype=object)
    out = layer.apply(columns)
    for k, t in enumerate(points):
        assert out[0, 0, k] == 3 + t + 6 * phi(t)
        assert out[1, 0, k] == 4 - 9 * phi(t)


@pytest.mark.parametrize(
    ("spec", "n", "d", "rho"),
    [("window:w=3", 3, 1, Softmax()), ("full", 2, 2, Softmax()), ("full", 2, 2, Entmax(2))],
)
def test_a_transformer_of_relus_approximates_the_function(
    spec: str, n: int, d: int, rho: ProbabilityMap
) -> None:
    """Inputs off the grid, too: within delta / 4 in the first row, and equal in the others."""
    attention, grid = build(spec, n), Grid(n, d, 2)
    built = build_universal(attention, random_function(grid, 0), d, 2)
    least = find_least_scale(built.contextual, attention, rho, QUARTER)
    alpha = Fraction(1, 8)
    soft = soften_transformer(built, least.scale, alpha)
    rng = np.random.RandomState(5)
    points = grid.points(0, grid.size).astype(object)
    share = np.array([Fraction(int(a), 64) for a in rng.randint(0, 57, points.size)], dtype=object)
    with mpmath.workprec(2 * built.id_bits + 200):
        inputs = np.frompyfunc(mpmath.mpmathify, 1, 1)(points + share.reshape(points.shape))
        out = soft.forward(inputs, attention, rho)
        errors = np.abs(out - np.frompyfunc(mpmath.mpmathify, 1, 1)(2 * built.function))
    assert errors[:, 0].max() < 0.25
    if isinstance(rho, Softmax):
        assert errors[:, 0].max() > 1e-6  # softmax is not exact
    if d > 1:
        assert errors[:, 1:].max() < 1e-20
    widths = {len(layer.w_1) for layer in soft.layers if hasattr(layer, "w_1")}
    heads = {len(layer.heads) for layer in soft.layers if hasattr(layer, "heads")}
    assert widths == {3, 4}
    assert max(heads) <= 2


def test_the_alpha_of_f4_must_tend_to_0() -> None:
    """The share of inputs that are rounded wrongly, 1 - (1 - alpha)^(nd), must become small."""
    points = [Fraction(2 * i + 1, 200) for i in range(200)]
    shares = []
    for alpha in (Fraction(1, 100), Fraction(1, 2), Fraction(99, 100)):
        columns = np.array([[points]], dtype=object)
        for layer in relu_quantization_layers(Grid(2, 1, 2), alpha):
            columns = layer.apply(columns)
        right = sum(
            found == math.floor(entry) for found, entry in zip(columns[0, 0], points, strict=True)
        )
        shares.append(1 - Fraction(right, 200))
    assert shares == [Fraction(1, 100), Fraction(1, 2), Fraction(99, 100)]
