"""Orthogonal vectors: both methods against all pairs met one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import InputError
from samapprox.attention.vectors.orthogonal_vectors import (
    METHODS,
    choose_method,
    count_orthogonal,
    least_inner_product,
    orthogonal_pair,
)

Bits = NDArray[np.uint8]


def products(first: Bits, second: Bits | None) -> list[tuple[int, int, int]]:
    """Inner product, i and j of all pairs."""
    right = first if second is None else second
    return [
        (sum(a * b for a, b in zip(first[i].tolist(), right[j].tolist(), strict=True)), i, j)
        for i in range(len(first))
        for j in range(i + 1 if second is None else 0, len(right))
    ]


@st.composite
def sets(draw: st.DrawFn, dimensions: st.SearchStrategy[int]) -> tuple[Bits, Bits | None]:
    d, density = draw(dimensions), draw(st.sampled_from([0.2, 0.5, 0.8, 0.95]))
    rng = np.random.RandomState(draw(st.integers(0, 2**32 - 1)))
    m, n = draw(st.integers(2, 30)), draw(st.integers(1, 30))
    first = (rng.random_sample((m, d)) < density).astype(np.uint8)
    two = draw(st.booleans())
    return first, (rng.random_sample((n, d)) < density).astype(np.uint8) if two else None


def check(first: Bits, second: Bits | None, method: str | None, threads: int | None = None) -> None:
    found = products(first, second)
    zero = [(i, j) for product, i, j in found if product == 0]
    options: dict[str, Any] = {"method": method, "threads": threads}
    assert orthogonal_pair(first, second, **options) == (zero[0] if zero else None)
    assert count_orthogonal(first, second, **options) == len(zero)
    least = least_inner_product(first, second, **options)
    assert (least.value, *least.pair) == min(found)


@given(sets(st.integers(1, 10)))
def test_both_methods(instance: tuple[Bits, Bits | None]) -> None:
    for method in METHODS:
        check(*instance, method)


@given(sets(st.sampled_from([63, 64, 65, 127, 128, 129, 200])))
def test_many_words(instance: tuple[Bits, Bits | None]) -> None:
    check(*instance, "pairs")


@pytest.mark.parametrize(("n", "d"), [(600, 14), (520, 40), (300, 70)])
def test_more_than_a_task(n: int, d: int) -> None:
    """A pair late in the order, found by every number of threads and either method."""
    rng = np.random.RandomState(n)
    bits = (rng.random_sample((n, d)) < 0.7).astype(np.uint8)
    bits[:, 0] = 1
    bits[n - 9] = 0
    bits[n - 9, 1] = 1
    bits[:, 1] = 1
    bits[n - 1, 1] = 0
    gram = bits.astype(np.int64) @ bits.T
    upper = gram[np.triu_indices(n, 1)]
    for method in METHODS if d < 20 else ("pairs",):
        for threads in (1, 3):
            options: dict[str, Any] = {"method": method, "threads": threads}
            assert orthogonal_pair(bits, **options) == (n - 9, n - 1)
            assert count_orthogonal(bits, **options) == (upper == 0).sum() == 1
            assert count_orthogonal(bits, bits, **options) == (gram == 0).sum() == 2
            others = gram[: n - 9, : n - 9][np.triu_indices(n - 9, 1)]
            assert least_inner_product(bits[: n - 9], **options).value == others.min() > 0


def test_large_sets_start_threads() -> None:
    bits = np.random.RandomState(0).randint(0, 2, (5000, 30)).astype(np.uint8)
    gram = bits.astype(np.float32) @ bits.T.astype(np.float32)
    pairs = int((gram[np.triu_indices(5000, 1)] == 0).sum())
    for threads in (1, 2):
        assert count_orthogonal(bits, method="pairs", threads=threads) == pairs
    assert count_orthogonal(bits) == pairs


def test_zero_vectors_are_orthogonal_to_all() -> None:
    bits = np.ones((5, 4), dtype=np.uint8)
    bits[[1, 3]] = 0
    for method in METHODS:
        assert orthogonal_pair(bits, method=method) == (0, 1)
        assert count_orthogonal(bits, method=method) == 7
        assert count_orthogonal(bits, bits, method=method) == 16
        assert least_inner_product(bits[[0, 2]], method=method).value == 4


def test_a_million_vectors() -> None:
    """Only one pair among 5 x 10^11 is orthogonal."""
    rng = np.random.RandomState(5)
    bits = rng.randint(0, 2, (10**6, 24)).astype(np.uint8)
    bits[:, [3, 8]] = 1
    bits[777_777], bits[999_999, :] = 0, 0
    bits[777_777, 3] = bits[999_999, 8] = 1
    assert orthogonal_pair(bits) == (777_777, 999_999)


@pytest.mark.parametrize("task", ["find", "count", "least"])
def test_the_choice_follows_the_sizes(task: str) -> None:
    assert choose_method(10**6, 10**6, 12, task) == "subsets"
    assert choose_method(100, 100, 20, task) == "pairs"
    assert choose_method(10**6, 10**6, 60, task) == "pairs"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 1], [2, 0]],), "row 1, column 0 is 2"),
        (([[0, 0.5]], [[1, 1]]), "row 0, column 1 is 0.5"),
        (([[0, -1]], [[1, 1]]), "row 0, column 1 is -1"),
        (([[0, float("nan")]], [[1, 1]]), "row 0, column 1 is nan"),
        (([[0, 1]], [[1, 3]]), "second set: the entry at row 0, column 1 is 3"),
        (([[0, 1], [1]],), "ragged"),
        (([[], []],), "dimension 0"),
        (([[0, 1]],), "a single vector makes no pair"),
        (([[0, 1]], [[1]]), "different dimensions, 2 and 1"),
        ((["01", "10"],), "matrix of numbers"),
    ],
)
def test_what_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    for function in (orthogonal_pair, count_orthogonal, least_inner_product):
        with pytest.raises(InputError, match=message):
            function(*arguments)


def test_methods_are_checked() -> None:
    with pytest.raises(InputError, match="unknown method"):
        orthogonal_pair([[0, 1], [1, 0]], method="fast")
    wide = np.ones((2, 50), dtype=np.uint8)
    for function in (orthogonal_pair, count_orthogonal, least_inner_product):
        with pytest.raises(InputError, match="too large; use 'pairs'"):
            function(wide, method="subsets")
