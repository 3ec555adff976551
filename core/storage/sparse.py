"""Rows of ones as sorted column indices (CSR), checked before anything else reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from operator import index
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import EntryError, InputError, SignsError, abridge
from samapprox.storage import PackedMatrix
from samapprox.storage.entries import ENTRY_RULE, MAX_ENTRIES, SIGNS_RULE, check_size
from samapprox.support.arrays import flags_at, places_of


def check_csr(
    indptr: NDArray[np.int64],
    indices: NDArray[np.integer],
    data: NDArray[Any] | None,
    rows: int,
    columns: int,
) -> None:
    """Refuse compressed sparse rows that contradict themselves.

    `indptr`, `indices`, `data`, `rows`, `columns`: as in `Pattern.from_csr`.
    """
    if (
        indptr.shape != (rows + 1,)
        or indptr[0] != 0
        or indptr[-1] != len(indices)
        or (np.diff(indptr) < 0).any()
    ):
        raise InputError("the sparse matrix is damaged: its row pointers do not fit its indices")
    if len(indices) and (indices.min() < 0 or indices.max() >= columns):
        raise InputError(
            f"the sparse matrix is damaged: a column index is outside 0..{columns - 1}"
        )
    if data is None:
        return
    if data.dtype.kind not in "biuf" or data.shape != indices.shape:
        raise EntryError(f"the sparse matrix holds {data.dtype} values", f"; {ENTRY_RULE}")
    wrong = np.flatnonzero((data != 0) & (data != 1))
    if wrong.size:
        row = int(np.searchsorted(indptr, wrong[0], side="right")) - 1
        found = f"entry at row {row}, column {indices[wrong[0]]} is {data[wrong[0]]}"
        if (data[wrong] == -1).all():
            raise SignsError(found, f": {SIGNS_RULE}")
        raise EntryError(found, f"; {ENTRY_RULE}")


def as_indices(name: str, values: object) -> NDArray[np.integer]:
    """Return whole numbers as an array; refuse others, which a conversion would change.

    >>> as_indices("indptr", [0, 1.5])
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: indptr must be a list of whole numbers, not [0, 1.5]
    """
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        array = np.zeros(())
    if array.ndim == 1 and not array.size:
        return array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu" or int(array.max()) >= 1 << 63:
        raise InputError(f"{name} must be a list of whole numbers, not {abridge(values)}")
    return array


def _as_shape(shape: object) -> tuple[int, int]:
    """Return the numbers of rows and columns."""
    try:
        rows, columns = map(index, shape)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        rows = columns = -1
    if min(rows, columns) < 0:
        raise InputError(f"shape must be the numbers of rows and columns, not {abridge(shape)}")
    return rows, columns


def without_stored_zeros(
    indptr: NDArray[np.int64], indices: NDArray[np.integer], data: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.integer]]:
    """Return row pointers and column indices of the entries that are not 0."""
    kept = data != 0
    running = np.concatenate(([0], np.cumsum(kept)))
    return running[indptr], indices[kept]


def rows_of_coordinates(
    row_of: NDArray[np.int64], column_of: NDArray[np.int64], data: NDArray[Any], rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Convert coordinates, whose rows exist, to row pointers, column indices and values."""
    order = np.argsort(row_of, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(row_of, minlength=rows))))
    return indptr, column_of[order], data[order]


def sort_rows(indptr: NDArray[np.int64], indices: NDArray[np.integer]) -> None:
    """Sort the column indices of every row in place; a repeated one is an error."""
    starts = flags_at(indptr, len(indices) + 1)
    step_up = (np.diff(indices) > 0) | starts[1:-1]
    if step_up.all():
        return
    row_of = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    pairs = row_of.astype(np.uint64) << np.uint64(32)  # no side exceeds 32 bits
    pairs |= indices.astype(np.uint64)
    pairs.sort()
    indices[:] = pairs & np.uint64(0xFFFFFFFF)
    repeated = np.flatnonzero((np.diff(indices) == 0) & ~starts[1:-1])
    if repeated.size:
        at = repeated[0]
        raise InputError(
            f"entry at row {row_of[at]}, column {indices[at]} is given twice; merge duplicates "
            "first (sum_duplicates)"
        )


_BLOCK_ONES = 1 << 20  # stored entries that one step of a blocked loop takes
_PROBES = 16  # bytes of a row that cost less to write out than a search for one entry


class SparseMatrix:
    """An immutable 0/1 matrix as compressed sparse rows.

    `indptr`: the ones of row i stand at ``indices[indptr[i]:indptr[i + 1]]``. `indices`: column
    indices, ascending and distinct within a row. `columns`: n.
    """

    __slots__ = ("_indices", "_row_counts", "columns", "indptr")

    is_sparse: ClassVar[Literal[True]] = True
    """Whether only the ones are stored."""

    def __init__(
        self, indptr: NDArray[np.int64], indices: NDArray[np.integer], columns: int
    ) -> None:
        indptr.flags.writeable = False
        indices.flags.writeable = False
        self.indptr = indptr
        self._indices = indices
        self._row_counts = np.diff(indptr)
        self.columns = columns

    @classmethod
    def from_csr(
        cls,
        indptr: NDArray[np.integer],
        indices: NDArray[np.integer],
        data: NDArray[np.generic] | None,
        shape: tuple[int, int],
    ) -> SparseMatrix:
        """Copy the three arrays of a compressed sparse row matrix.

        `indptr`, `indices`, `data`, `shape`: as for `samapprox.Pattern.from_csr`. Raises
        InputError: inconsistent arrays, indices out of range, a coordinate given twice, other
        values.
        """
        rows, columns = _as_shape(shape)
        check_size(rows, columns, stored_densely=False)
        starts = as_indices("indptr", indptr).astype(np.int64)
        given = as_indices("indices", indices)
        data = None if data is None else np.asarray(data)
        check_csr(starts, given, data, rows, columns)
        ones: NDArray[np.integer] = given.astype(np.int32 if columns < 1 << 31 else np.int64)
        if data is not None and not (data != 0).all():
            starts, ones = without_stored_zeros(starts, ones, data)
        sort_rows(starts, ones)
        return cls(starts, ones, columns)

    @property
    def shape(self) -> tuple[int, int]:
        """(m, n)."""
        return len(self.indptr) - 1, self.columns

    @property
    def nbytes(self) -> int:
        """Memory of the stored indices."""
        return self.indptr.nbytes + self._indices.nbytes

    @property
    def row_counts(self) -> NDArray[np.int64]:
        """Number of 1 entries in every row, shape (m,)."""
        return self._row_counts

    def column_counts(self, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the 1 entries of every column among the rows of a mask. Cost O(ones + n)."""
        total = np.zeros(self.columns, dtype=np.int64)
        for start, stop in self._row_blocks():
            chosen = np.repeat(rows[start:stop], self._row_counts[start:stop])
            columns = self._indices[self.indptr[start] : self.indptr[stop]][chosen]
            total += np.bincount(columns, minlength=self.columns)
        return total

    def intersections(self, row: int) -> NDArray[np.int64]:
        """Count the 1 entries that every row shares with `row`, shape (m,)."""
        member = flags_at(self.row(row), self.columns)
        return self._count_ones_where(lambda columns, _rows: member[columns])

    def prefix_counts(
        self, order: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Count the 1 entries of row i among the first lengths[i] columns of `order`.

        `order`: a permutation of the columns.
        """
        rank = places_of(order)

        def inside(columns: NDArray[np.integer], rows: slice) -> NDArray[np.bool_]:
            return np.asarray(rank[columns] < np.repeat(lengths[rows], self.row_counts[rows]))

        return self._count_ones_where(inside)

    def entries(
        self, rows: NDArray[np.int64] | int, columns: NDArray[np.int64] | int
    ) -> NDArray[np.bool_]:
        """Return the entries at the broadcast (rows, columns).

        A binary search in the row of each entry, all of them at once. Rows of a submatrix with many
        of the columns are written out instead.
        """
        is_submatrix = np.shape(rows)[1:] == (1,) and np.shape(columns)[:-1] in ((), (1,))
        if is_submatrix and np.size(columns) * _PROBES >= self.columns:
            return self._of_rows(np.ravel(rows), np.ravel(columns))
        rows, columns = np.broadcast_arrays(rows, columns)
        low, end = self.indptr[rows], self.indptr[rows + 1]
        if not len(self._indices) or not rows.size:
            return np.zeros(rows.shape, dtype=np.bool_)
        high, last = end, len(self._indices) - 1
        for _ in range(int((end - low).max()).bit_length()):
            middle = (low + high) >> 1
            before = (low < high) & (self._indices[np.minimum(middle, last)] < columns)
            low, high = np.where(before, middle + 1, low), np.where(before, high, middle)
        return np.asarray((low < end) & (self._indices[np.minimum(low, last)] == columns))

    def _of_rows(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Write out chosen rows, and take chosen columns of them; both may repeat."""
        block = np.zeros((len(rows), self.columns), dtype=np.bool_)
        counts = self._row_counts[rows]
        places = np.arange(counts.sum()) + np.repeat(
            self.indptr[rows] - counts.cumsum() + counts, counts
        )
        block[np.repeat(np.arange(len(rows)), counts), self._indices[places]] = True
        is_whole = len(columns) == self.columns and (np.diff(columns) == 1).all()
        return block if is_whole else block[:, columns]

    def row(self, row: int) -> NDArray[np.integer]:
        """Return the column indices of the 1 entries of one row."""
        return self._indices[self.indptr[row] : self.indptr[row + 1]]

    def row_of_ones(self) -> NDArray[np.int64]:
        """Return the row of every 1 entry, in the order in which they are stored."""
        return np.repeat(np.arange(self.shape[0]), self._row_counts)

    def blocks_of_ones(
        self,
    ) -> Iterator[tuple[int, int, NDArray[np.int64], NDArray[np.integer]]]:
        """Yield blocks of rows: first, end, and of every 1 its row in the block and its column."""
        for start, stop in self._row_blocks():
            rows = np.repeat(np.arange(stop - start), self._row_counts[start:stop])
            yield start, stop, rows, self._indices[self.indptr[start] : self.indptr[stop]]

    def row_keys(self) -> Iterator[bytes]:
        """Yield the ones of every row as bytes: equal for equal rows, and for these alone."""
        size = self._indices.itemsize
        for start, stop in self._row_blocks():
            content = self._indices[self.indptr[start] : self.indptr[stop]].tobytes()
            ends = (size * (self.indptr[start : stop + 1] - self.indptr[start])).tolist()
            yield from (content[begin:end] for begin, end in pairwise(ends))

    def packed(self) -> PackedMatrix:
        """Return the same entries in words of 64 columns."""
        return PackedMatrix.from_blocks(
            *self.shape, lambda start, stop: self.dense(start, stop).view(np.uint8)
        )

    def compact(self) -> PackedMatrix | SparseMatrix:
        """Return the same entries in whichever storage is smaller."""
        entries = self.shape[0] * self.columns
        return self if entries > MAX_ENTRIES or 8 * self.nbytes < entries else self.packed()

    def complement_rows(self, rows: NDArray[np.bool_]) -> SparseMatrix:
        """Return the matrix with the rows chosen by a mask complemented; all entries are specified.

        Cost O(ones + n r) for r such rows.

        >>> matrix = SparseMatrix(np.array([0, 2, 3]), np.array([0, 2, 1]), 3)
        >>> matrix.complement_rows(np.array([True, False])).dense().astype(int)
        array([[0, 1, 0],
               [0, 1, 0]])
        """
        if not rows.any():
            return self
        counts = np.where(rows, self.columns - self._row_counts, self._row_counts)
        indices = np.empty(counts.sum(), dtype=self._indices.dtype)
        turned = np.repeat(rows, counts)
        indices[~turned] = self._indices[~np.repeat(rows, self._row_counts)]
        chosen = np.flatnonzero(rows)
        step = max(1, _BLOCK_ONES // self.columns)
        zeros = [
            np.nonzero(~self.take(chosen[start : start + step]).dense())[1]
            for start in range(0, len(chosen), step)
        ]
        indices[turned] = np.concatenate(zeros)
        return SparseMatrix(np.concatenate(([0], np.cumsum(counts))), indices, self.columns)

    def append_column(self, value: bool) -> SparseMatrix:
        """Return the matrix with one more column, of ones or of zeros.

        >>> matrix = SparseMatrix(np.array([0, 2, 3]), np.array([0, 2, 1]), 3)
        >>> matrix.append_column(True).dense().astype(int)
        array([[1, 0, 1, 1],
               [0, 1, 0, 1]])
        """
        if not value:
            return SparseMatrix(self.indptr, self._indices, self.columns + 1)
        starts = self.indptr + np.arange(len(self.indptr))
        indices = np.insert(self._indices, self.indptr[1:], self.columns)
        return SparseMatrix(starts, indices, self.columns + 1)

    def take(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64] | None = None
    ) -> SparseMatrix:
        """Return the submatrix of these rows and columns, in their order; columns are distinct.

        `columns`: all of them by default.

        Cost O(k log c) for c columns and k ones in these rows, O(k + n) where k is near n.

        >>> matrix = SparseMatrix(np.array([0, 2, 3]), np.array([0, 2, 1]), 3)
        >>> matrix.take(np.array([1, 0]), np.array([2, 1])).dense().astype(int)
        array([[0, 1],
               [1, 0]])
        """
        counts = self._row_counts[rows]
        starts = np.concatenate(([0], np.cumsum(counts)))
        first = np.repeat(self.indptr[rows] - starts[:-1], counts)
        ones = self._indices[first + np.arange(len(first))]
        if columns is None:
            return SparseMatrix(starts, ones, self.columns)
        place = _places_among(columns, ones, self.columns)
        kept = place >= 0
        indptr = np.concatenate(([0], np.cumsum(kept)))[starts]
        indices = place[kept].astype(self._indices.dtype, copy=False)
        sort_rows(indptr, indices)
        return SparseMatrix(indptr, indices, len(columns))

    def transposed(self) -> SparseMatrix:
        """Return the entries with rows and columns exchanged: O(k log k + n) for k ones."""
        pairs = self._indices.astype(np.uint64) << np.uint64(32)  # no side exceeds 32 bits
        pairs |= self.row_of_ones().astype(np.uint64)
        pairs.sort()
        counts = np.bincount(self._indices, minlength=self.columns)
        indptr = np.concatenate(([0], np.cumsum(counts)))
        rows = (pairs & np.uint64(0xFFFFFFFF)).astype(self._indices.dtype)
        return SparseMatrix(indptr, rows, self.shape[0])

    def dense(self, start: int = 0, stop: int | None = None) -> NDArray[np.bool_]:
        """Write out rows start..stop, shape (stop - start, n)."""
        start, stop, _ = slice(start, stop).indices(self.shape[0])
        block = np.zeros((max(0, stop - start), self.columns), dtype=np.bool_)
        local = np.repeat(np.arange(len(block)), self._row_counts[start:stop])
        block[local, self._indices[self.indptr[start] : self.indptr[stop]]] = True
        return block

    def indices(self) -> Iterator[NDArray[np.integer]]:
        """Yield the column indices of the 1 entries, row-major, block by block."""
        for start, stop in self._row_blocks():
            yield self._indices[self.indptr[start] : self.indptr[stop]]

    def _row_blocks(self) -> Iterator[tuple[int, int]]:
        """Yield consecutive row ranges that hold about `_BLOCK_ONES` ones each."""
        rows = self.shape[0]
        start = 0
        while start < rows:
            limit = self.indptr[start] + _BLOCK_ONES
            stop = int(np.searchsorted(self.indptr, limit, side="right")) - 1
            stop = min(rows, max(start + 1, stop))
            yield start, stop
            start = stop

    def _count_ones_where(
        self, test: Callable[[NDArray[np.integer], slice], NDArray[np.bool_]]
    ) -> NDArray[np.int64]:
        """Count the 1 entries of every row whose flag in ``test(columns, rows)`` is set."""
        counts = np.empty(self.shape[0], dtype=np.int64)
        for start, stop in self._row_blocks():
            columns = self._indices[self.indptr[start] : self.indptr[stop]]
            running = np.zeros(len(columns) + 1, dtype=np.int64)
            np.cumsum(test(columns, slice(start, stop)), out=running[1:])
            local = self.indptr[start : stop + 1] - self.indptr[start]
            counts[start:stop] = running[local[1:]] - running[local[:-1]]
        return counts


def _places_among(
    chosen: NDArray[np.int64], indices: NDArray[np.integer], size: int
) -> NDArray[np.int64]:
    """Return the place of each index in `chosen`; -1 for those that are not in it."""
    if size <= 4 * len(indices):
        return np.asarray(places_of(chosen, size)[indices])
    if not len(chosen):
        return np.full(len(indices), -1, dtype=np.int64)
    order = np.argsort(chosen, kind="stable")
    found = np.minimum(np.searchsorted(chosen, indices, sorter=order), len(chosen) - 1)
    return np.where(chosen[order[found]] == indices, order[found], -1)
