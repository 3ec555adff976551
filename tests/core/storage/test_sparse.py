"""Entries of sparse rows are those of the dense matrix."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from samapprox.storage.matrices import distinct_rows
from samapprox.storage.sparse import SparseMatrix


def sparse(dense: np.ndarray) -> SparseMatrix:
    counts = dense.sum(axis=1)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return SparseMatrix(indptr, np.nonzero(dense)[1].astype(np.int32), dense.shape[1])


@given(hnp.arrays(np.bool_, hnp.array_shapes(min_dims=2, max_dims=2, max_side=9)), st.data())
def test_entries(dense: np.ndarray, data: st.DataObject) -> None:
    m, n = dense.shape
    rows = np.array(data.draw(st.lists(st.integers(0, m - 1), max_size=6)), dtype=np.int64)
    columns = np.array(data.draw(st.lists(st.integers(0, n - 1), max_size=6)), dtype=np.int64)
    found = sparse(dense).entries(rows[:, None], columns[None, :])
    np.testing.assert_array_equal(found, dense[np.ix_(rows, columns)])
    column = int(data.draw(st.integers(0, n - 1)))
    np.testing.assert_array_equal(sparse(dense).entries(rows, column), dense[rows, column])


@pytest.mark.parametrize("sides", [1, 3, 60])
@pytest.mark.parametrize("collide", [False, True])
def test_equal_rows_are_found_by_sums_or_content(
    sides: int, collide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of few columns repeat; numbers that are all 0 tell no rows apart."""
    rng = np.random.default_rng(sides)
    matrix = sparse(rng.random((200, sides)) < 0.3)
    expected = distinct_rows(matrix)
    monkeypatch.setattr("samapprox.storage.matrices._MANY_ROWS", 1)
    if collide:
        zeros = SimpleNamespace(integers=lambda _most, size: np.zeros(size, dtype=np.int64))
        monkeypatch.setattr(np.random, "default_rng", lambda _seed: zeros)
    for found, known in zip(distinct_rows(matrix), expected, strict=True):
        np.testing.assert_array_equal(found, known)
