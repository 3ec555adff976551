"""Embeddings that need no search."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from helpers.durations import ended_within
from helpers.truth.fits import random_pattern
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from samapprox import Pattern, fit, fit_curve
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.proofs.fits.items import Items
from samapprox.proofs.questions import Fit, Unit
from samapprox.solvers.questions.fits.first_embeddings import (
    _find_missing,
    _Frequent,
    list_starts,
    order_frequent,
    separate_rows,
)
from samapprox.storage.sparse import SparseMatrix

Random = np.random.RandomState


def copy_rows(random: np.random.RandomState) -> NDArray[np.bool_]:
    """Copies and complements of a few random rows, each with a one."""
    entries = random.rand(random.randint(1, 9), random.randint(2, 7)) < 0.5
    entries = entries[random.randint(len(entries), size=12)] ^ (random.rand(12, 1) < 0.3)
    entries[:, 0] |= ~entries.any(axis=1)
    return entries


@given(
    seed=st.integers(0, 10**6),
    d=st.integers(1, 4),
    unit=st.sampled_from(["rows", "entries"]),
    similarity=st.sampled_from(["dot", "cosine", "l2"]),
)
@example(seed=467743, d=1, unit="rows", similarity="l2")  # an order that no row agrees with
def test_all_starts_are_proofs(seed: int, d: int, unit: Unit, similarity: str) -> None:
    pattern = random_pattern(Random(seed), 9, 8)
    question = Fit(pattern, d, 0, unit, similarity)
    starts = list(list_starts(question, Items.of(pattern, unit)))
    assert starts
    for start in starts:
        asked = Fit(pattern, d, len(start.wrong), unit, similarity)
        assert check(asked, start) is None
        assert start.dimension <= d


@given(seed=st.integers(0, 10**6), d=st.integers(1, 4))
def test_d_rows_are_right_and_their_copies_and_complements(seed: int, d: int) -> None:
    """All rows that are constant, and the d most frequent ones up to complement, at least."""
    random = Random(seed)
    entries = random.rand(random.randint(1, 9), random.randint(2, 12)) < 0.5
    entries = entries[random.randint(len(entries), size=12)] ^ (random.rand(12, 1) < 0.3)
    entries = entries[entries.any(axis=1)]
    if not len(entries):
        return
    found = separate_rows(Pattern.from_array(entries), d)
    right = ((found.queries @ found.keys.T > found.thresholds[:, None]) == entries).all(axis=1)
    classes = np.unique(entries ^ entries[:, :1], axis=0, return_counts=True)
    counts = sorted((int(n) for row, n in zip(*classes, strict=True) if row.any()), reverse=True)
    constant = int((entries == entries[:, :1]).all(axis=1).sum())
    assert right.sum() >= constant + sum(counts[:d])


@given(seed=st.integers(0, 10**6), d=st.integers(1, 4))
def test_the_same_rows_are_right_along_the_moment_curve(seed: int, d: int) -> None:
    """Constant rows, and d + 1 others unless those are shattered; don't-cares do no harm."""
    random = Random(seed)
    entries = copy_rows(random)
    plain = Pattern.from_array(entries)
    loose = Pattern.from_array(entries, entries | (random.rand(*entries.shape) < 0.8))
    for pattern in (plain, loose):
        start = order_frequent(pattern, d)
        assert check(Fit(pattern, d, len(start.wrong)), start) is None
    classes = _Frequent.of(plain, d).number_of
    assert order_frequent(plain, d).wrong.tolist() == np.flatnonzero(classes == -2).tolist()


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_one_missing_vector_is_found(size: int) -> None:
    every = np.array(list(product([False, True], repeat=size)))
    assert _find_missing(every) is None
    for number, vector in enumerate(every):
        found = _find_missing(np.delete(every, number, axis=0))
        assert found is not None
        assert found.tolist() == vector.tolist()


@pytest.mark.parametrize("size", [61, 62, 63, 64, 65, 200])
def test_of_many_sides_a_vector_is_missing(size: int) -> None:
    sides = np.vstack([np.zeros(size), np.eye(size), np.tri(size)]).astype(np.bool_)
    found = _find_missing(sides)
    assert found is not None
    assert not (sides == found).all(axis=1).any()


def test_one_more_row_than_dimensions_is_right_unless_all_are_shattered() -> None:
    cube = np.array([[number >> place & 1 for number in range(8)] for place in range(3)])
    without = cube[:, [0, 1, 2, 3, 4, 6, 7]]
    for entries, wrong in ((cube, 1), (without, 0)):
        pattern = Pattern.from_array(entries == 1)
        start = next(list_starts(Fit(pattern, 2, 0), Items.of(pattern, "rows")))
        assert len(start.wrong) == wrong


@pytest.mark.parametrize("unit", ["rows", "entries"])
def test_the_shortest_limit_has_a_start(unit: Unit) -> None:
    """A window of three keys in d = 2, in the order of its keys, and noise in the last rows."""
    window = np.tri(120) - np.tri(120, k=-3)
    window[110:] = Random(0).rand(10, 120) < 0.5
    found = ended_within(3, lambda: fit(window, 2, unit=unit, time_limit=1e-3))
    assert found.upper <= (10 if unit == "rows" else window.sum())
    assert found.yes_certificate.verify(found.pattern)


@pytest.mark.parametrize("unit", ["rows", "entries"])
@pytest.mark.parametrize("shape", [(3, 4), (4, 4), (3, 6), (6, 3), (1, 1), (2, 1)])
def test_a_large_pattern_needs_no_numbers_in_enough_dimensions(
    unit: Unit, shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "samapprox.solvers.questions.fits.first_embeddings._MOST_PRODUCTS", 0, raising=True
    )
    entries = Random(1).rand(*shape) < 0.5
    entries[:, 0] |= ~entries.any(axis=1)
    pattern = Pattern.from_array(entries)
    enough = max(1, min(shape[0], shape[1] - 1))
    for d in (enough, enough + 3):
        (start,) = list_starts(Fit(pattern, d, 0, unit), Items.of(pattern, unit))
        assert isinstance(start.proof, MomentCurve)
        assert check(Fit(pattern, d, 0, unit), start) is None
        found = fit(pattern, d, unit=unit, time_limit=1)
        assert found.upper == 0
        assert len(found.embedding.queries) == shape[0]
    if enough > 1:
        first = next(list_starts(Fit(pattern, enough - 1, 0, unit), Items.of(pattern, unit)))
        assert isinstance(first.proof, MomentCurve) == (unit == "rows")
        assert check(Fit(pattern, enough - 1, len(first.wrong), unit), first) is None


def _draw_sparse(rows: int, columns: int) -> Pattern:
    """Draw rows of two ones, so that some are equal."""
    ones = np.sort(Random(0).randint(columns, size=(rows, 2)), axis=1)
    ones[:, 1] += ones[:, 0] == ones[:, 1]
    starts = np.arange(0, 2 * rows + 1, 2)
    return Pattern.from_csr(starts, ones.ravel(), None, (rows, columns + 1))


@given(seed=st.integers(0, 10**6), d=st.integers(1, 4))
def test_sparse_rows_have_the_starts_of_dense_ones(seed: int, d: int) -> None:
    """The sizes of the most frequent classes, whatever column tells rows from complements."""
    random = Random(seed)
    entries = copy_rows(random)
    rows = sparse.csr_array(entries)
    stored = SparseMatrix.from_csr(rows.indptr, rows.indices, None, entries.shape)
    sizes = []
    for pattern in (Pattern.from_array(entries), Pattern.from_storage(stored, None)):
        frequent = _Frequent.of(pattern, d)
        own = frequent.embed(pattern, d, frequent.right)
        above = own.queries @ own.keys.T > own.thresholds[:, None]
        assert (above == entries[frequent.right]).all()
        counts = np.bincount(frequent.number_of + 2, minlength=d + 2)
        sizes.append([counts[1], *sorted(counts[2 : d + 2])])
    assert pattern.ones.is_sparse
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("similarity", ["dot", "cosine", "l2"])
@pytest.mark.parametrize("at", [None, 10])
def test_large_sparse_patterns_have_a_start_by_their_ones(at: int | None, similarity: str) -> None:
    """10^9 entries, which a pass over all of them would take many seconds to read."""
    pattern = _draw_sparse(40_000, 25_000)
    asked = partial(fit, pattern, 2, at=at, similarity=similarity, time_limit=1e-3)
    found = ended_within(3, asked)
    assert found.upper < 40_000
    assert found.yes_certificate.verify(pattern)


@pytest.mark.parametrize("similarity", ["cosine", "l2"])
def test_curves_of_large_sparse_patterns_end_without_long_numbers(similarity: str) -> None:
    """Their last fit has as many dimensions as the pattern has rows."""
    pattern = _draw_sparse(1_500, 20_000)
    asked = partial(fit_curve, pattern, similarity=similarity, time_limit=1e-3)
    curve = ended_within(4, asked)
    assert len(curve.fits) > 1_000
    for found in (curve.fits[0], curve.fits[-1]):
        assert found.yes_certificate.verify(pattern)
