"""Merging rows and columns without changing the answer, and the way back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.exact import ExactArray
from samapprox.storage import PackedMatrix, block_height
from samapprox.storage.matrices import distinct_rows
from samapprox.storage.sparse import SparseMatrix

_SAFE = 1 << 62  # as in `ExactArray`


@dataclass(frozen=True, slots=True, eq=False)
class Simplification:
    """A smaller pattern with the same weak dimension, and the origin of its lines.

    `samapprox.proofs.base.Proof.lift` turns a proof for it into one for the original.

    `pattern`: distinct columns, distinct rows up to complement, no row without a 0; None when no
    row is left (every embedding represents the original). `rows` and `columns`: for each row and
    column of `pattern`, one original that it stands for. `row_of` (shape (m,)): for each original
    row, its row in `pattern`; -1 for a row without a 0. `flipped` (shape (m,)): whether the
    original row is the complement of that row. `column_of` (shape (n,)): for each original column,
    its column in `pattern`.
    """

    pattern: Pattern | None
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    row_of: NDArray[np.int64]
    flipped: NDArray[np.bool_]
    column_of: NDArray[np.int64]

    @property
    def turned(self) -> NDArray[np.bool_]:
        """Whether each row of `pattern` is the complement of the original in `rows`."""
        return self.flipped[self.rows]

    @property
    def signs(self) -> NDArray[np.int64]:
        """-1 for each original row that is the complement of its row in `pattern`, 1 for others."""
        return np.where(self.flipped & (self.row_of >= 0), -1, 1)

    def spread(self, values: ExactArray, free: int) -> ExactArray:
        """Give each original row the value of its row in `pattern`; `free` to rows without a 0."""
        kind = values.dtype if abs(free) < _SAFE else object
        spread = np.full((len(self.row_of), *values.shape[1:]), free, dtype=kind)
        held = self.row_of >= 0
        spread[held] = values[self.row_of[held]]
        return spread

    def unturned(self) -> Simplification:
        """Return the same with every row of `pattern` as the original in `rows` has it."""
        return self.complement(self.turned)

    def complement(self, chosen: NDArray[np.bool_]) -> Simplification:
        """Return the same with some rows of `pattern` complemented."""
        if self.pattern is None or not chosen.any():
            return self
        entries = _Entries.of(self.pattern).complement(chosen)
        flipped = self.flipped ^ (chosen[self.row_of] & (self.row_of >= 0))
        return replace(self, pattern=entries.pattern(), flipped=flipped)


def simplify(pattern: Pattern, *, complements: bool = True) -> Simplification:
    r"""Merge equal columns, rows equal up to complement, and drop rows without a 0 (free case).

    `pattern` (shape (m, n)): don't-care entries count as a third value: only identical rows and
    columns merge. `complements`: whether rows that are complements of one another merge, too.

    With complements, every row of its pattern has at most as many ones as zeros; where it has as
    many, its first specified entry is 1.

    Equal columns can be one point; equal rows one halfspace; complementary rows the two sides of
    one hyperplane. Nothing here is lossless in the coupled case, where row i and column i share
    a token. Merging columns keeps distinct rows distinct, so one pass merges all there is to merge.

    Rows and columns are looked up by their content in a hash table: O(k log k + m + n) for a sparse
    pattern of k ones, O(m n) byte operations for a packed one. What is sparse stays sparse.

    >>> simplification = simplify(Pattern.from_text("1100\n0011\n1111\n1010"))
    >>> simplification.pattern
    <Pattern 2 x 4, 4 ones>
    >>> simplify(Pattern.from_text("1100\n0011\n1111")).pattern
    <Pattern 1 x 2, 1 one>
    """
    height, width = pattern.shape
    mixed = np.flatnonzero(pattern.row_zeros > 0)
    row_of = np.full(height, -1, dtype=np.int64)
    flipped = np.zeros(height, dtype=np.bool_)
    if not mixed.size:
        nothing = np.zeros(0, dtype=np.int64)
        one, all_one = np.zeros(1, dtype=np.int64), np.zeros(width, dtype=np.int64)
        return Simplification(None, nothing, one, row_of, flipped, all_one)
    entries = _Entries.of(pattern).take(mixed)
    turned = entries.heavy_rows() & complements
    entries = entries.complement(turned)
    kept, row_of[mixed] = distinct_rows(entries.ones, entries.unspecified)
    entries = entries.take(kept)
    turned_over = entries.transposed()
    columns, column_of = distinct_rows(turned_over.ones, turned_over.unspecified)
    entries = entries.take(np.arange(len(kept)), columns)
    again = entries.heavy_rows() & complements  # of the columns that are left
    flipped[mixed] = turned ^ again[row_of[mixed]]
    smaller = entries.complement(again).pattern()
    return Simplification(smaller, mixed[kept], columns, row_of, flipped, column_of)


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """The entries of a pattern, of which some rows may have no 1 as yet."""

    ones: PackedMatrix | SparseMatrix
    unspecified: PackedMatrix | None

    @classmethod
    def of(cls, pattern: Pattern) -> _Entries:
        ones, stars = pattern.ones, pattern.unspecified
        if stars is not None and ones.is_sparse:  # a complement has no stars
            ones = ones.packed()
        return cls(ones, stars)

    def pattern(self) -> Pattern:
        ones, stars = self.ones, self.unspecified
        if ones.is_sparse:
            ones = ones.compact()
        if stars is not None and not stars.row_counts.any():
            stars = None
        return Pattern.from_storage(ones, stars)

    def take(self, rows: NDArray[np.int64], columns: NDArray[np.int64] | None = None) -> _Entries:
        """Return a submatrix; without a copy where it is the whole."""
        height, width = self.ones.shape
        if columns is not None and len(columns) == width:  # they ascend
            columns = None
        if columns is None and len(rows) == height:
            return self
        stars = None if self.unspecified is None else self.unspecified.take(rows, columns)
        return _Entries(self.ones.take(rows, columns), stars)

    def transposed(self) -> _Entries:
        stars = None if self.unspecified is None else self.unspecified.transposed()
        return _Entries(self.ones.transposed(), stars)

    def complement(self, rows: NDArray[np.bool_]) -> _Entries:
        """Return the entries with the rows chosen by a mask complemented."""
        if isinstance(self.ones, PackedMatrix):
            turned = self.ones.complement_rows(rows, self.unspecified)
            return _Entries(turned, self.unspecified)
        return _Entries(self.ones.complement_rows(rows), self.unspecified)

    def heavy_rows(self) -> NDArray[np.bool_]:
        """Mark rows with more ones than zeros, or as many and a 0 as first specified entry.

        A row or its complement is heavy, never both.
        """
        specified = self.ones.columns - (
            0 if self.unspecified is None else self.unspecified.row_counts
        )
        surplus = 2 * self.ones.row_counts - specified
        heavy = surplus > 0
        level = np.flatnonzero(surplus == 0)
        step = block_height(self.ones.columns)
        for start in range(0, len(level), step):
            rows = level[start : start + step]
            heavy[rows] = ~self.ones.entries(rows, self._first_specified(rows))
        return heavy

    def _first_specified(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        if self.unspecified is None:
            return np.zeros_like(rows)
        return np.asarray((~self.unspecified.take(rows).dense()).argmax(axis=1))
