"""The items that an embedding may get wrong, and what equal rows and columns mean for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.questions import Unit
from samapprox.storage import PackedMatrix
from samapprox.storage.matrices import distinct_rows
from samapprox.storage.sparse import SparseMatrix

if TYPE_CHECKING:
    from samapprox.proofs.fits.hitting_set import Core


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The items of a pattern: rows, or entries numbered row by row.

    Item i is row i, or entry (i // n, i % n). Two items are copies if they are equal rows, or
    entries of equal rows in equal columns. A best embedding gets copies right or wrong together,
    so an item stands for all of its copies, and its weight is their number.

    `row_of` and `column_of`: the first row that equals each row, and the first column that equals
    each column; where rows are the items, each column is its own copy. `row_counts` and
    `column_counts`: how many rows, and columns, have each number there.
    """

    unit: Unit
    shape: tuple[int, int]
    row_of: NDArray[np.int64]
    column_of: NDArray[np.int64]
    row_counts: NDArray[np.int64]
    column_counts: NDArray[np.int64]

    @classmethod
    def of(cls, pattern: Pattern, unit: Unit) -> Items:
        """Find the copies of a pattern's rows and columns. Cost: linear in the stored entries."""
        rows, columns = pattern.shape
        row_of = _find_copies(pattern.ones, pattern.unspecified)
        column_of = np.arange(columns)
        if unit == "entries":
            stars = pattern.unspecified
            column_of = _find_copies(
                pattern.ones.transposed(), None if stars is None else stars.transposed()
            )
        counts = np.bincount(row_of, minlength=rows), np.bincount(column_of, minlength=columns)
        return cls(unit, pattern.shape, row_of, column_of, *counts)

    @property
    def count(self) -> int:
        """The number of items, copies counted: their numbers are below it."""
        return self.shape[0] if self.unit == "rows" else self.shape[0] * self.shape[1]

    def find_first(self, item: int) -> int:
        """Return the item that stands for all copies of an item."""
        if self.unit == "rows":
            return int(self.row_of[item])
        row, column = divmod(item, self.shape[1])
        return int(self.row_of[row]) * self.shape[1] + int(self.column_of[column])

    def weigh(self, item: int) -> int:
        """Return the number of copies of an item that stands for them, itself included."""
        if self.unit == "rows":
            return int(self.row_counts[item])
        row, column = divmod(item, self.shape[1])
        return int(self.row_counts[row]) * int(self.column_counts[column])

    def read_by(self, core: Core) -> set[int]:
        """Return the items that a core's argument reads, each by the first of its copies."""
        if self.unit == "rows":
            return {self.find_first(row) for row in core.proof.rows}
        width = self.shape[1]
        numbers = {row * width + column for row, column in core.proof.entries_read()}
        return {self.find_first(number) for number in numbers.difference(core.ignored or ())}


def _find_copies(
    ones: PackedMatrix | SparseMatrix, unspecified: PackedMatrix | None
) -> NDArray[np.int64]:
    """Return for each row of a matrix the first row that equals it."""
    first, class_of = distinct_rows(ones, unspecified)
    return first[class_of]
