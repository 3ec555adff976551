"""Submatrices and transposes of both storages are those of the dense matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from samapprox import InputError, Pattern
from samapprox.storage import PackedMatrix
from samapprox.storage.sparse import SparseMatrix

DENSE = hnp.arrays(np.bool_, st.tuples(st.integers(1, 80), st.integers(1, 140)))


def sparse(dense: np.ndarray) -> SparseMatrix:
    indptr = np.concatenate([[0], np.cumsum(dense.sum(axis=1))]).astype(np.int64)
    return SparseMatrix(indptr, np.nonzero(dense)[1].astype(np.int32), dense.shape[1])


def packed(dense: np.ndarray) -> PackedMatrix:
    return PackedMatrix.from_blocks(*dense.shape, lambda i, j: dense[i:j].view(np.uint8))


def same(found: SparseMatrix | PackedMatrix, wanted: np.ndarray) -> None:
    assert found.shape == wanted.shape
    np.testing.assert_array_equal(found.dense(), wanted)
    np.testing.assert_array_equal(found.row_counts, wanted.sum(axis=1))


@given(DENSE)
def test_transposes(dense: np.ndarray) -> None:
    same(sparse(dense).transposed(), dense.T)
    same(packed(dense).transposed(), dense.T)


@given(DENSE, st.data())
def test_take(dense: np.ndarray, data: st.DataObject) -> None:
    m, n = dense.shape
    rows = np.array(data.draw(st.lists(st.integers(0, m - 1), min_size=1)), dtype=np.int64)
    chosen = data.draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True))
    columns = np.array(chosen, dtype=np.int64)
    wanted = dense[np.ix_(rows, columns)]
    same(sparse(dense).take(rows, columns), wanted)
    same(packed(dense).take(rows, columns), wanted)


@given(DENSE, st.data())
def test_entries(dense: np.ndarray, data: st.DataObject) -> None:
    """Of submatrices with few or many of the columns, in any order, and of single places."""
    m, n = dense.shape
    rows = np.array(data.draw(st.lists(st.integers(0, m - 1), min_size=1)))
    columns = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=1)))
    for matrix in (sparse(dense), packed(dense)):
        for some in (columns[None], columns, columns[:1], columns[:, None, None]):
            found = matrix.entries(rows[:, None], some)
            np.testing.assert_array_equal(found, dense[rows[:, None], some])
        place = (rows[: len(columns), None], columns[: len(rows), None])
        np.testing.assert_array_equal(matrix.entries(*place), dense[place])


@given(st.data())
def test_take_of_patterns(data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 9)))
    entries = data.draw(hnp.arrays(np.int8, shape, elements=st.integers(-1, 1)))
    entries[:, 0] = 1
    names = [f"k{column}" for column in range(shape[1])]
    pattern = Pattern(entries == 1, entries >= 0, column_names=names)
    rows = data.draw(st.permutations(range(shape[0])))
    columns = (
        [0, *data.draw(st.lists(st.integers(1, shape[1] - 1), unique=True))]
        if (shape[1] > 1)
        else [0]
    )
    taken = pattern.take(rows, columns)
    np.testing.assert_array_equal(taken.to_array(), pattern.submatrix(rows, columns))
    assert taken.column_names == tuple(names[column] for column in columns)
    assert taken.is_specified == bool((taken.to_array() >= 0).all())


def test_a_part_of_a_huge_pattern_needs_no_room_for_its_columns() -> None:
    side = 1 << 24
    diagonal = Pattern.from_csr(np.arange(side + 1), np.arange(side), None, (side, side))
    taken = diagonal.take([side - 1, 7], [7, side - 1, 9])
    assert taken.to_text() == "010\n100"
    assert isinstance(taken.ones, PackedMatrix)
    assert isinstance(diagonal.take(range(999), range(5000)).ones, SparseMatrix)


def test_choices_that_are_no_pattern() -> None:
    pattern = Pattern.from_text("10\n01")
    with pytest.raises(InputError, match="row 0 has no 1"):
        pattern.take([0], [1])
    with pytest.raises(InputError, match="empty"):
        pattern.take([], [0])
    with pytest.raises(IndexError, match="column 2 is outside"):
        pattern.take([0], [2])
    with pytest.raises(ValueError, match="twice"):
        pattern.take([0], [0, 0])
