"""Lemmas A.5 to A.7 of Yang et al. (2024): where the printed formulas fail, and ours do not."""

from __future__ import annotations

from math import ceil

import numpy as np
import pytest

from samapprox.attention.reasoning.decoders.indicators import (
    TOLERANCE,
    at_least,
    block_and_offset,
    is_zero,
    one_hot,
    prefix,
    suffix,
)
from samapprox.attention.reasoning.decoders.mlp import Floats
from samapprox.attention.transformers import relu

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
            (network.with_gelu(16.0), network.gelu_bound(16.0)),
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
