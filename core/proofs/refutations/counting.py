"""A core with more splits of its columns than a dimension allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb

from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.base import Submatrix
from samapprox.proofs.members import Indices, Whole
from samapprox.proofs.words import tabulate


@dataclass(frozen=True, slots=True)
class Counting(Submatrix):
    """A core with more splits of its columns than dimension d allows.

    Halfspaces of R^d split c points in at most C(c-1, 0) + .. + C(c-1, d) ways, a split and its
    complement counted once, not at all included (Cover 1965). `Radon` is the case c = d + 2. (The
    like on rows says no more than `Shattering`, by the lemma of Sauer and Shelah.)

    Parameters
    ----------
    d : int
        The dimension that it excludes, and with it every smaller one.
    rows, columns : iterable of int
        The core.
    """

    KIND = "counting"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    CLAIM = "NO: the rows split the columns in more ways than dimension d allows."
    caption = "the marked rows split the marked keys in too many ways"
    MEMBERS = (Whole("d"), Indices("rows"), Indices("columns"))

    d: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __init__(self, d: int, rows: Iterable[int], columns: Iterable[int]) -> None:
        self._fill(d, rows, columns)

    @property
    def dimension(self) -> int:
        """The dimension d that it excludes."""
        return self.d

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why dimension d allows the splits of the columns, or None."""
        entries = problem.pattern.submatrix(self.rows, self.columns)
        if (entries == UNSPECIFIED).any():
            return "it reads a don't-care entry"
        if not self.columns:
            return "it names no columns"
        normal = entries ^ entries[:, :1]  # a row and its complement split alike
        shown = len({tuple(row) for row in normal.tolist() if any(row)}) + 1  # and not at all
        others, room = len(self.columns) - 1, 0
        for i in range(min(self.d, others) + 1):
            room += comb(others, i)
            if shown <= room:  # to add the rest may take for ever
                return f"it shows {shown} splits of the columns, which d = {self.d} allows"
        return None

    def explain(self, problem: Problem) -> list[str]:
        return [
            f"The rows split these {len(self.columns)} keys in more ways than halfspaces in "
            f"dimension {self.d} can:",
            *tabulate(problem.pattern, self.rows, self.columns),
        ]
