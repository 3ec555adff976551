"""Lemmas A.1 to A.4 of Yang et al. (2024), and layer 1 of A.12, over their whole domains."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox.attention.reasoning.decoders.mlp import GELU_GAP, Mlp
from samapprox.attention.reasoning.decoders.operations import (
    gate,
    linear,
    minimum,
    pick,
    product,
    selection,
    spread,
)
from samapprox.attention.transformers import gelu, relu

LINE = np.linspace(-6, 6, 200_001)


def test_the_gap_between_gelu_and_relu_is_that_of_the_bound() -> None:
    gap = np.abs(gelu(LINE) - relu(LINE)).max()
    assert 0.999 * GELU_GAP < gap < GELU_GAP
    assert gelu(np.array([1.3]))[0] == pytest.approx(1.3 * (1 + erf(1.3 / sqrt(2))) / 2)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 8.0, 64.0]))
def test_gelu_in_place_of_relu_changes_no_output_by_more_than_the_bound(
    seed: int, scale: float
) -> None:
    rng = np.random.default_rng(seed)
    r, p, q = rng.integers(1, 5, 3)
    network = Mlp.from_lists(
        rng.normal(size=(r, p)), rng.normal(size=r), rng.normal(size=(q, r)), rng.normal(size=q)
    )
    x = rng.normal(scale=3, size=(p, 200))
    error = np.abs(network.with_gelu(scale)(x) - network(x)).max()
    assert error <= network.gelu_bound(scale) + 1e-12
    assert network.gelu_bound(2 * scale) == network.gelu_bound(scale) / 2


@pytest.mark.parametrize(("most", "error"), [(4, 1e-2), (30, 1e-3), (110, 0.025)])
def test_a_product_has_four_hidden_units_and_the_error_of_the_bound(
    most: float, error: float
) -> None:
    network = product(most, error)
    assert network.hidden == 4
    a, b = (side.ravel() for side in np.meshgrid(*[np.linspace(-most, most, 161)] * 2))
    inside = np.abs(a) + np.abs(b) <= most
    found = np.abs(network(np.stack([a, b]))[0] - a * b)
    assert found[inside].max() <= error + 1e-6
    assert found[inside].max() > error / 10  # the bound is not an empty one
    assert found[~inside].max() > error


def test_the_largest_weight_of_a_product_is_as_documented() -> None:
    network = product(20, 1e-3)
    assert network.w_2.max() == pytest.approx(0.013 * 20**4 / 1e-3, rel=0.01)


@given(st.integers(0, 2**32 - 1))
def test_composition_of_networks_is_composition_of_functions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = (
        Mlp.from_lists(rng.normal(size=(3, 2)), rng.normal(size=3), rng.normal(size=(2, 3)), 0.5)
        for _ in range(2)
    )
    x, matrix, constant = rng.normal(size=(2, 7)), rng.normal(size=(2, 2)), rng.normal(size=2)
    moved = matrix @ x + constant[:, None]
    np.testing.assert_allclose(first.read(matrix, constant)(x), first(moved), atol=1e-12)
    written = matrix @ first(x) + constant[:, None]
    np.testing.assert_allclose(first.write(matrix, constant)(x), written, atol=1e-12)
    np.testing.assert_allclose((first + second)(x), first(x) + second(x), atol=1e-12)


@pytest.mark.parametrize("scale", [None, 64.0])
def test_linear_maps_and_minima_are_exact_everywhere(scale: float | None) -> None:
    x = np.random.default_rng(1).integers(-50, 50, (2, 1000)).astype(float)
    for network, expected in (
        (linear([[2, -3], [0, 1]]), np.stack([2 * x[0] - 3 * x[1], x[1]])),
        (minimum(), x.min(axis=0)[None]),
    ):
        found = network if scale is None else network.with_gelu(scale)
        np.testing.assert_allclose(found(x), expected, atol=1e-11)


@pytest.mark.parametrize("margin", [0.5, 1e-3])
@pytest.mark.parametrize("d", [1, 3])
def test_a_selection_has_2_d_plus_2_hidden_units_and_is_right_for_every_t(
    d: int, margin: float
) -> None:
    network = selection(d, bound=7, margin=margin)
    assert network.hidden == 2 * d + 2
    rng = np.random.default_rng(d)
    t = np.concatenate([np.array([1, 2, 1e3, 1e6]) * margin, -np.array([1, 2, 1e3]) * margin])
    x, y = rng.uniform(-7, 7, (2, d, len(t)))
    found = network.with_gelu(64.0)(np.vstack([x, y, t]))
    np.testing.assert_allclose(found, np.where(t > 0, x, y), atol=1e-7)


def test_a_gate_fails_inside_its_margin() -> None:
    assert gate(1, bound=7, margin=0.5)([7.0, -0.1])[0] > 1


@given(st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_spread_and_pick_are_inverse(n: int, seed: int) -> None:
    x = float(np.random.default_rng(seed).integers(-20, 21))
    for place in range(n):
        unit = np.eye(n)[place]
        entries = spread(n, bound=20).with_gelu(64.0)([x, *unit])
        np.testing.assert_allclose(entries, x * unit, atol=1e-12)
        assert pick(n, bound=20).with_gelu(64.0)([*entries, *unit])[0] == pytest.approx(x)
    assert pick(n, bound=20)([*np.full(n, x), *np.zeros(n)])[0] == 0


def test_layer_1_of_lemma_a12_as_printed_loses_negative_values_and_is_off_by_one() -> None:
    bound, B = 9.0, 4

    def printed(value: float, remainder: int, j: int) -> float:
        far = max(j - remainder, 0) + max(remainder - j, 0)
        return max(max(value + bound, 0) - bound * (1 + far), 0)

    for remainder in range(B):
        for j in range(1, B + 1):
            assert printed(5, remainder, j) == (5 if j == remainder else 0)  # not remainder + 1
            assert printed(-5, remainder, j) == 0
        unit = np.eye(B)[remainder]
        np.testing.assert_array_equal(spread(B, bound)([-5.0, *unit]), -5 * unit)
