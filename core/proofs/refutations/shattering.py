"""A core of d + 1 rows that contain every possible column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.base import Submatrix
from samapprox.proofs.members import Indices
from samapprox.proofs.words import tabulate


@dataclass(frozen=True, slots=True)
class Shattering(Submatrix):
    """A set of d + 1 rows with all 2^(d+1) kinds of columns: NO in dimension d.

    d + 1 halfspaces cut R^d into fewer than 2^(d+1) cells (the dual of `Radon`).

    Parameters
    ----------
    rows : iterable of int
        The d + 1 rows.
    columns : iterable of int
        Columns that contain every 0/1 vector of length d + 1 on those rows.

    Examples
    --------
    >>> Shattering(rows=[0, 1], columns=[0, 1, 2, 3]).dimension
    1
    """

    KIND = "shattering"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    CLAIM = "NO: the columns contain all 2^(d+1) patterns on the d + 1 rows."
    caption = "the marked rows contain every possible column"
    MEMBERS = (Indices("rows", least=2), Indices("columns"))

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __init__(self, rows: Iterable[int], columns: Iterable[int]) -> None:
        self._fill(rows, columns)

    @property
    def dimension(self) -> int:
        """The d that it excludes, and with it every smaller one."""
        return len(self.rows) - 1

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the columns do not contain every pattern on the rows, or None."""
        if len(self.rows) >= len(self.columns).bit_length():  # too few, whatever they show
            rows, columns = len(self.rows), len(self.columns)
            return f"{columns} columns cannot contain every pattern on {rows} rows"
        entries = problem.pattern.submatrix(self.rows, self.columns)
        if (entries == UNSPECIFIED).any():
            return "it reads a don't-care entry"
        shown = {tuple(column) for column in entries.T.tolist()}
        wanted = 2 ** len(self.rows)
        if len(shown) < wanted:
            return f"the columns contain {len(shown)} of the {wanted} patterns on the rows"
        return None

    def explain(self, problem: Problem) -> list[str]:
        regions = 2 ** len(self.rows)
        cuts = {1: "Two cuts of a line", 2: "Three lines in a plane"}.get(
            self.dimension, f"{len(self.rows)} hyperplanes in dimension {self.dimension}"
        )
        why = (
            f"{cuts} leave at most {regions - 1} regions, but these {len(self.columns)} keys "
            f"need {regions}:"
        )
        return [why, *tabulate(problem.pattern, self.rows, self.columns)]
