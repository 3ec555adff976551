"""Rounding: right, small, and never an embedding that the exact check refuses."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Pattern
from samapprox.proofs.embeddings.embedding import first_mismatch
from samapprox.solvers.embeddings.whole_numbers import whole_numbers
from samapprox.solvers.engine.search import Search
from samapprox.support.limits import search_clock


def planted(rows: int, columns: int, d: int, seed: int) -> tuple[Pattern, np.ndarray, np.ndarray]:
    """A pattern with factors in homogeneous form that have its signs."""
    rng = np.random.RandomState(seed)
    U = np.vstack([np.eye(d + 1)[-1], rng.normal(size=(rows, d + 1))])
    V = np.column_stack([rng.normal(size=(columns, d)), np.ones(columns)])
    entries = U[1:] @ V.T > 0
    U[1:][~entries.any(axis=1)] *= -1
    return Pattern.from_array(U[1:] @ V.T > 0), U, V


@given(st.integers(1, 12), st.integers(1, 12), st.integers(2, 4), st.integers(0, 10**6))
def test_what_is_rounded_passes_the_exact_check(rows: int, columns: int, d: int, seed: int) -> None:
    pattern, U, V = planted(rows, columns, d, seed)
    found = whole_numbers(pattern, U, V)
    assert found is not None
    assert first_mismatch(pattern, found) is None


def with_a_narrow_gap(seed: int, exponent: float) -> tuple[Pattern, np.ndarray, np.ndarray]:
    """Two keys so near to each other, and a row that tells them apart."""
    _, U, V = planted(6, 6, 2, seed)
    V[1] = V[0] + 10.0**exponent * np.array([1.0, 0.0, 0.0])
    U[1] = [1.0, 0.0, -(V[0, 0] + V[1, 0]) / 2]
    entries = U[1:] @ V.T > 0
    U[1:][~entries.any(axis=1)] *= -1
    return Pattern.from_array(U[1:] @ V.T > 0), U, V


@given(st.integers(0, 10**6), st.floats(-9.0, -6.0))
def test_narrow_gaps_stay_right(seed: int, exponent: float) -> None:
    """Beyond 2^53 floats round; the halfway thresholds hold all the same."""
    pattern, U, V = with_a_narrow_gap(seed, exponent)
    found = whole_numbers(pattern, U, V)
    assert found is not None
    assert first_mismatch(pattern, found) is None


def test_narrow_gaps_take_more_bits() -> None:
    found = whole_numbers(*with_a_narrow_gap(0, -9.0))
    assert found is not None
    assert abs(int(found.keys.max())).bit_length() > 12


def test_wrong_factors_are_no_embedding() -> None:
    pattern, U, V = planted(8, 8, 2, 0)
    assert whole_numbers(pattern, -U, V * np.array([1.0, -1.0, 1.0])) is None


def test_what_is_found_in_the_last_moment_is_rounded() -> None:
    pattern, U, V = planted(8, 8, 2, 0)
    past = search_clock.now() - 1
    assert whole_numbers(pattern, U, V, Search(deadline=past, whole=past)) is not None


def test_a_search_that_is_stopped_rounds_nothing() -> None:
    pattern, U, V = planted(8, 8, 2, 0)
    search = Search()
    search.stop()
    assert whole_numbers(pattern, U, V, search) is None
