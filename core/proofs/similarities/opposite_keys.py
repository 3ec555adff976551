"""An odd cycle of keys, each opposite to the next: a refutation of cosines in one dimension."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.base import Submatrix
from samapprox.proofs.exact import ExactArray, Vector
from samapprox.proofs.members import Indices
from samapprox.proofs.words import tabulate

_MOST_SHOWN = 12


@dataclass(frozen=True, slots=True, eq=False)
class OppositeKeys(Submatrix):
    """An odd number of keys in a cycle, each of which differs from the next in some row.

    With cosine similarity in d = 1, every key is one of the two points -1 and 1. Two keys with
    different entries in a row are different points, so each key of the cycle is opposite to the
    next. After an odd number of steps, the first key is opposite to itself.

    Parameters
    ----------
    rows : iterable of int
        Rows of the core.
    columns : iterable of int
        The cycle; the last column is followed by the first.
    by : array_like of int
        For each column, the row of the core that separates it from the next one.

    Raises
    ------
    InputError
        Not as many rows as columns.

    References
    ----------
    docs/theory/circular.md proves that there is such a cycle for every NO.

    Examples
    --------
    >>> OppositeKeys([0, 1], [0, 1, 2], [0, 1, 0]).dimension  # rows 100, *10
    1
    """

    KIND = "opposite-keys"
    TASK = "dimension"
    SIMILARITIES = ("cosine",)
    CLAIM = (
        "NO for cosine similarity in d = 1: an odd cycle of keys, each of which has another entry "
        "than the next in the row of the core that `by` names."
    )
    MEMBERS = (Indices("rows"), Indices("columns"), Vector("by", minimum=0))
    caption = "each marked key must be opposite to the next one of an odd cycle"
    dimension = 1

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    by: ExactArray

    def __init__(self, rows: Iterable[int], columns: Iterable[int], by: ArrayLike) -> None:
        self._fill(rows, columns, by)
        if len(self.by) != len(self.columns):
            raise InputError("by must name a row for each column")

    @property
    def size(self) -> int:
        """The number of entries that the argument reads: two in each step."""
        return 2 * len(self.columns)

    def steps(self) -> list[tuple[int, int, int]]:
        """Return each step as a row of the pattern and the two columns that it separates.

        Examples
        --------
        >>> OppositeKeys([0, 7], [5, 6, 8], [0, 1, 0]).steps()
        [(0, 5, 6), (7, 6, 8), (0, 8, 5)]
        """
        following = (*self.columns[1:], *self.columns[:1])
        rows = [self.rows[line] for line in self.by.tolist()]
        return list(zip(rows, self.columns, following, strict=True))

    def entries_read(self) -> list[tuple[int, int]]:
        return sorted({(row, column) for row, *pair in self.steps() for column in pair})

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why some key need not be opposite to the next, or None.

        Reads two entries in each step.
        """
        if len(self.columns) % 2 == 0:
            return f"a cycle of {len(self.columns)} keys is not odd"
        if (self.by >= len(self.rows)).any():
            return f"by names a row of the core outside 0..{len(self.rows) - 1}"
        rows, columns, following = np.array(self.steps(), dtype=np.int64).T
        pattern = problem.pattern
        differ = pattern.ones.entries(rows, columns) != pattern.ones.entries(rows, following)
        if pattern.unspecified is not None:
            for ends in (columns, following):
                differ &= ~pattern.unspecified.entries(rows, ends)
        if (wrong := np.flatnonzero(~differ)).size:
            step = int(wrong[0])
            return (
                f"{pattern.row_label(int(rows[step]))} does not separate "
                f"{pattern.column_label(int(columns[step]))} and "
                f"{pattern.column_label(int(following[step]))}"
            )
        return None

    def explain(self, problem: Problem) -> list[str]:
        pattern = problem.pattern
        steps = [
            f"  {pattern.row_label(row)}: {pattern.column_label(column)} is opposite to "
            f"{pattern.column_label(other)}"
            for row, column, other in self.steps()
        ]
        if len(steps) > _MOST_SHOWN:
            steps[_MOST_SHOWN:] = [f"  .. and {len(steps) - _MOST_SHOWN} more steps"]
        return [
            "With cosine similarity in d = 1, each key is one of two opposite points, and keys "
            "with different entries in a row are different points:",
            *steps,
            f"These {len(self.columns)} keys form an odd cycle, but opposite points alternate. "
            "Contradiction.",
            *tabulate(pattern, self.rows, self.columns),
        ]
