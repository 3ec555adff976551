"""Lemmas A.1 to A.4 of Yang et al. (2024), and layer 1 of A.12, over their whole domains."""

from __future__ import annotations

from math import ceil, erf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox.attention.reasoning.decoders.mlp import (
    GELU_GAP,
    TOLERANCE,
    Mlp,
    at_least,
    block_and_offset,
    gate,
    is_zero,
    linear,
    minimum,
    one_hot,
    pick,
    product,
    selection,
    spread,
)
from samapprox.attention.transformers import gelu, relu
from samapprox.support.arrays import Floats

LINE = np.linspace(-6, 6, 200_001)


def prefix(n: int) -> Mlp:
    """Lemma A.5: i = 0 .. n to the vector m_i, whose first i entries of n are 1."""
    return at_least(*range(1, n + 1))


def suffix(n: int) -> Mlp:
    """Lemma A.6: i = 0 .. n to the vector n_i, whose first i - 1 entries of n are 0, others 1."""
    return at_least(*range(-1, -n - 1, -1)).read([[-1]])


def gelu_bound(network: Mlp, scale: float) -> float:
    """Lemma A.2: by how much `with_gelu` changes an output at most, whatever the input."""
    return float(GELU_GAP / scale * np.abs(network.w_2).sum(axis=1).max())


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
    assert error <= gelu_bound(network, scale) + 1e-12
    assert gelu_bound(network, 2 * scale) == gelu_bound(network, scale) / 2


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


OFF = np.linspace(-TOLERANCE, TOLERANCE, 9)


def around(*numbers: int) -> Floats:
    """Return whole numbers and inputs within the tolerance: shape (1, numbers, 9)."""
    return np.array(numbers, dtype=np.float64)[None, :, None] + OFF


def prefix_as_printed(n: int, x: Floats) -> Floats:
    """Compute (12): relu(-2 k + 2 (x + 3/4)) - relu(-2 k + 2 (x + 1/4))."""
    k = np.arange(1, n + 1).reshape(-1, *[1] * x.ndim)
    return relu(-2 * k + 2 * (x + 0.75)) - relu(-2 * k + 2 * (x + 0.25))


def suffix_as_printed(n: int, x: Floats) -> Floats:
    """Compute (13): relu(2 k - 2 (x - 3/4)) - relu(2 k - 2 (x - 1/4))."""
    k = np.arange(1, n + 1).reshape(-1, *[1] * x.ndim)
    return relu(2 * k - 2 * (x - 0.75)) - relu(2 * k - 2 * (x - 0.25))


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_prefixes_and_suffixes_are_exact_within_a_third(n: int) -> None:
    x, k = around(*range(n + 1)), np.arange(1, n + 1)[:, None, None]
    i = np.arange(n + 1)[None, :, None]
    for network, expected in ((prefix(n), k <= i), (suffix(n), k >= i)):
        assert network.hidden == 2 * n
        for tried, error in (
            (network, 1e-12),
            (network.with_gelu(64.0), 1e-12),
            (network.with_gelu(16.0), gelu_bound(network, 16.0)),
        ):
            found = tried(x)
            np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), atol=error)


def test_printed_indicators_miss_by_a_sixth_at_a_third_and_are_exact_up_to_a_quarter() -> None:
    for printed in (prefix_as_printed, suffix_as_printed):
        third = printed(3, np.array([1 + 1 / 3, 2 - 1 / 3, 2 + 1 / 3, 3 - 1 / 3]))
        assert {int(np.rint(6 * entry)) for entry in third.flat} == {0, 1, 5, 6}
        quarter = printed(3, np.array([0.75, 1, 1.25, 1.75, 2.25]))
        assert set(quarter.flat) == {0, 1}


@pytest.mark.parametrize("n", [1, 3, 8])
def test_unit_vectors_are_products_of_prefixes_and_suffixes(n: int) -> None:
    numbers = np.arange(-2, n + 4)
    found = one_hot(n).with_gelu(64.0)(around(*numbers))
    expected = numbers[None, :, None] == np.arange(1, n + 1)[:, None, None]
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), atol=1e-12)
    inside = np.arange(1.0, n + 1)[None]
    np.testing.assert_array_equal(one_hot(n)(inside), prefix(n)(inside) * suffix(n)(inside))
    assert one_hot(n).hidden == 2 * n + 2


def test_whole_numbers_are_recognised_within_a_third() -> None:
    x = around(*range(-3, 4))[0]
    expected = np.broadcast_to(np.arange(-3, 4)[:, None] == 0, x.shape)
    np.testing.assert_allclose(is_zero().with_gelu(64.0)(x[None])[0], expected, atol=1e-12)
    steps = at_least(0, 2).with_gelu(64.0)(x[None])
    for step, threshold in zip(steps, (0, 2), strict=True):
        least = np.broadcast_to(np.arange(-3, 4)[:, None] >= threshold, x.shape)
        np.testing.assert_allclose(step, least, atol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 4, 9, 15, 19, 23])
def test_blocks_and_offsets_are_right_for_all_positions(n: int) -> None:
    network = block_and_offset(n).with_gelu(64.0)
    assert network.hidden == 2 * n
    i = np.arange(1, n * n + 1)
    block = -(-i // n)
    expected = np.stack([block, block - 1, n - (block * n - i)]).astype(float)
    np.testing.assert_allclose(network(i[None].astype(float)), expected, atol=1e-8)
    for off in OFF:
        found = network(i[None] + off)
        np.testing.assert_allclose(found[:2], expected[:2], atol=1e-8)
        np.testing.assert_allclose(found[2], expected[2] + off, atol=1e-8)


@pytest.mark.parametrize("n", [2, 5])
def test_equation_14_counts_n_plus_1_minus_the_block(n: int) -> None:
    for i in range(1, n * n + 1):
        printed = sum(
            max(-2 * i + 2 * (j * n + 0.75), 0) - max(-2 * i + 2 * (j * n + 0.25), 0)
            for j in range(1, n + 1)
        )
        assert printed == n + 1 - ceil(i / n)
    assert any(n + 1 - ceil(i / n) != ceil(i / n) for i in range(1, n * n + 1))


def test_an_exact_remainder_needs_more_kinks_than_lemma_a7_has_units() -> None:
    """Plateaus of width 1/2 around 1 .. n^2 with steps between them have 2 (n^2 - 1) kinks."""
    n = 6
    x = np.linspace(0.75, n * n + 0.25, 71 * (n * n) + 1)
    i = np.rint(x)
    plateau = np.abs(x - i) <= 0.25
    wanted = i[plateau] - n * (np.ceil(i[plateau] / n) - 1)
    slopes = np.diff(wanted) / np.diff(x[plateau])
    kinks = np.count_nonzero(np.abs(np.diff(slopes)) > 1e-9)
    assert kinks >= 2 * (n * n - 1) > block_and_offset(n).hidden


def test_the_matching_set_of_copy_as_printed_contains_tokens_that_do_not_match() -> None:
    """By A.10, products are in [-rho, rho] for matches, and at most -delta for all others."""
    rho, delta = 0.01, 0.5
    random = np.random.default_rng(0)
    matches = random.random(1000) < 0.1
    products = np.where(
        matches, random.uniform(-rho, rho, size=1000), random.uniform(-9, -delta, size=1000)
    )
    assert (products < rho).all()
    assert ((np.abs(products) <= rho) == matches).all()
