"""More different rows or columns than vectors with few values can tell apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Side, Submatrix
from samapprox.proofs.members import Choice, Indices, Whole
from samapprox.proofs.values.clauses import Steps
from samapprox.similarities import VALUE_SETS

MOST_LINES = 1 << 13
"""Lines of the largest core that is checked: each is compared with every other one."""


def most_distinct(values: tuple[int, ...], d: int, elements: Side, enough: int) -> int:
    """Return how many columns or rows can differ at most; any number beyond `enough` if so many.

    Keys are a^d vectors of a values. A query cuts off all keys, none, or those whose dot product
    has s steps at least, for some s from 1 to d w, with the steps of `Steps`.

    >>> most_distinct((-1, 1), 3, "columns", 100), most_distinct((-1, 1), 3, "rows", 100)
    (8, 26)
    """
    vectors = 1
    for _ in range(d):
        vectors *= len(values)
        if vectors > enough:
            return vectors
    return vectors if elements == "columns" else vectors * d * Steps.of(values, values).width + 2


@dataclass(frozen=True, slots=True)
class DistinctLines(Submatrix):
    """A core with more different rows or columns than d coordinates can tell apart.

    Parameters
    ----------
    d : int
        The dimension that it excludes, and with it every smaller one.
    elements : {"rows", "columns"}
        The lines that differ from each other: one has a 1 where the other has a 0.
    rows, columns : iterable of int
        The core.
    """

    KIND = "distinct-lines"
    TASK = "dimension"
    SIMILARITIES = VALUE_SETS
    CLAIM = (
        "NO for a set of values: the rows (or columns) of the core differ from each other, and are "
        "more than vectors of d such values can tell apart."
    )
    MEMBERS = (
        Whole("d"),
        Choice("elements", ("rows", "columns")),
        Indices("rows"),
        Indices("columns"),
    )

    d: int
    elements: Side
    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __init__(self, d: int, elements: Side, rows: Iterable[int], columns: Iterable[int]) -> None:
        self._fill(d, elements, rows, columns)

    @property
    def dimension(self) -> int:
        """The dimension d that it excludes."""
        return self.d

    @property
    def caption(self) -> str:
        what = "queries" if self.elements == "rows" else "keys"
        return f"more different {what} than vectors with so few values"

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the lines may be told apart, or None.

        r c^2 operations for c lines of length r.
        """
        values = problem.similarity.values
        assert values is not None
        if problem.similarity.free_queries and self.elements == "rows":
            return "the queries are any real vectors, so rows prove nothing"
        lines = problem.pattern.submatrix(self.rows, self.columns)
        lines = lines if self.elements == "rows" else lines.T
        if len(lines) > MOST_LINES:
            return f"{len(lines)} {self.elements} are too many to compare"
        most = most_distinct(values, self.d, self.elements, len(lines))
        if len(lines) <= most:
            return f"{len(lines)} {self.elements} are no more than {most}"
        ones, zeros = (np.asarray(lines == value, dtype=np.float64) for value in (1, 0))
        differ = ones @ zeros.T > 0
        differ |= differ.T
        np.fill_diagonal(differ, True)
        if differ.all():
            return None
        first, second = np.argwhere(~differ)[0].tolist()
        numbers = self.rows if self.elements == "rows" else self.columns
        return f"{self.elements} {numbers[first]} and {numbers[second]} may be equal"

    def explain(self, problem: Problem) -> list[str]:
        values = problem.similarity.values
        assert values is not None
        lines = self.rows if self.elements == "rows" else self.columns
        most = most_distinct(values, self.d, self.elements, len(lines))
        what, others = ("rows", "columns") if self.elements == "rows" else ("columns", "rows")
        return [
            f"{len(lines)} {what} differ from each other in {others} {_shorten(self, others)}, but "
            f"{problem.similarity} vectors in dimension {self.d} tell at most {most} apart."
        ]


def _shorten(proof: DistinctLines, side: str) -> str:
    """List the numbers of few lines, and count many."""
    from samapprox.proofs.words import list_numbers

    return list_numbers(proof.rows if side == "rows" else proof.columns, 12)
