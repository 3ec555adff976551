"""Candidate orders: permutations, and among them the order that a shuffled band had."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Pattern
from samapprox.proofs.embeddings.covectors import Covectors
from samapprox.solvers.embeddings.orders import candidate_orders, is_small
from samapprox.solvers.engine.search import Search
from samapprox.support.clock import search_clock


def shuffled_band(rows: int, columns: int, width: int, seed: int) -> Pattern:
    """Intervals of equal width, whose rows and columns have lost their order."""
    random = np.random.RandomState(seed)
    starts = np.arange(rows) * (columns - width) // max(1, rows - 1)
    column = np.arange(columns)
    entries = (column >= starts[:, None]) & (column < starts[:, None] + width)
    return Pattern(entries[random.permutation(rows)][:, random.permutation(columns)].astype(int))


def least_changes(covectors: Covectors, orders: list[np.ndarray]) -> int:
    """The most changes of a covector along the best of some orders."""
    upright = np.ones(covectors.size, dtype=np.int8)
    return min(int(covectors.count_changes(order, upright).max()) for order in orders)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 6),
    st.integers(1, 7),
    st.integers(0, 2**31),
    st.sampled_from(["columns", "rows"]),
)
def test_all_are_permutations(rows: int, columns: int, seed: int, elements: str) -> None:
    random = np.random.RandomState(seed)
    entries = (random.rand(rows, columns) < 0.5).astype(np.int8)
    entries[~entries.any(axis=1), 0] = 1
    covectors = Covectors(Pattern(entries), elements)
    orders = list(candidate_orders(covectors, Search()))
    assert orders
    for order in orders:
        assert np.sort(order).tolist() == list(range(covectors.size))


# A pattern that is small, one with singular vectors of all signs, one with power iteration.
@pytest.mark.parametrize("size", [40, 300, 1500])
@pytest.mark.parametrize("elements", ["columns", "rows"])
def test_a_shuffled_band_is_put_in_order(size: int, elements: str) -> None:
    covectors = Covectors(shuffled_band(size, size, 7, seed=size), elements)
    orders = list(candidate_orders(covectors, Search()))
    assert is_small(covectors) == (size == 40)
    most = 4 if covectors.has_extra_element else 2  # row 0 is a one of every column
    assert least_changes(covectors, orders[:1]) > most >= least_changes(covectors, orders)
    assert all(np.array_equal(np.sort(order), np.arange(covectors.size)) for order in orders)


def test_without_time_only_cheap_orders_are_tried() -> None:
    covectors = Covectors(shuffled_band(300, 300, 7, seed=0), "columns")
    late = Search(deadline=search_clock.now() - 1)
    assert len(list(candidate_orders(covectors, late))) == 4
