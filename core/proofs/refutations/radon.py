"""A core of d + 2 columns that the rows split in every way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.base import Submatrix
from samapprox.proofs.members import Indices
from samapprox.proofs.words import tabulate


@dataclass(frozen=True, slots=True)
class Radon(Submatrix):
    """A set of d + 2 columns that the rows split in every way: NO in dimension d.

    Any d + 2 points of R^d fall into two parts whose convex hulls meet (Radon 1921), so no
    halfspace contains one part and misses the other, but some row here requires exactly that.

    Parameters
    ----------
    rows : iterable of int
        Rows that make all 2^(d+1) - 1 splits of the columns into two nonempty parts.
    columns : iterable of int
        The d + 2 columns.

    Examples
    --------
    >>> Radon(rows=[0, 1, 2], columns=[0, 1, 2]).dimension
    1
    """

    KIND = "radon"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    CLAIM = "NO: the rows split the d + 2 columns in every way (Radon's theorem)."
    caption = "the marked rows split the marked keys in every way"
    MEMBERS = (Indices("rows"), Indices("columns", least=3))

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __init__(self, rows: Iterable[int], columns: Iterable[int]) -> None:
        self._fill(rows, columns)

    @property
    def dimension(self) -> int:
        """The d that it excludes, and with it every smaller one."""
        return len(self.columns) - 2

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the rows do not split the columns in every way, or None."""
        if len(self.columns) - 1 > len(self.rows).bit_length():  # too few, however they split
            return f"{len(self.rows)} rows cannot split {len(self.columns)} columns in every way"
        entries = problem.pattern.submatrix(self.rows, self.columns)
        if (entries == UNSPECIFIED).any():
            return "it reads a don't-care entry"
        normal = entries ^ entries[:, :1]  # a row and its complement split alike
        splits = {tuple(row) for row in normal.tolist() if any(row)}
        wanted = 2 ** (self.dimension + 1) - 1
        if len(splits) < wanted:
            return f"the rows make {len(splits)} of the {wanted} splits of the columns"
        return None

    def explain(self, problem: Problem) -> list[str]:
        if self.dimension == 1:
            why = (
                "On a line, one of any three keys lies between the other two, but each of these "
                "keys is singled out by some row:"
            )
        else:
            why = (
                f"By Radon's theorem, any {len(self.columns)} points in dimension "
                f"{self.dimension} split into two groups whose convex hulls meet, so no query "
                "separates them, but the rows split these keys in every way:"
            )
        return [why, *tabulate(problem.pattern, self.rows, self.columns)]
