"""Rows that split columns in more ways than points allow, by the sizes of the splits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from samapprox.proofs.base import Obstruction
from samapprox.proofs.members import Indices, Record, Records
from samapprox.proofs.questions.fit import Fit
from samapprox.proofs.splits import count_right
from samapprox.support.text import plural

__all__ = ["KSets", "SplitColumns"]


@dataclass(frozen=True, slots=True)
class SplitColumns(Record):
    """Columns, and rows that split them.

    Parameters
    ----------
    rows, columns : iterable of int
    """

    TITLE = "a part"
    MEMBERS = (Indices("rows"), Indices("columns"))

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __init__(self, rows: Iterable[int], columns: Iterable[int]) -> None:
        self._fill(rows=rows, columns=columns)


@dataclass(frozen=True, slots=True)
class KSets(Obstruction):
    r"""Rows that split columns in more ways than points allow, by the sizes of the splits.

    In an embedding, a row that is right cuts its ones from its zeros, on any set of columns. Few
    splits of n points cut off a small number k of them (*k-sets*): two on a line, at most 3n/2
    pairs in the plane. So of the rows with other splits, many must be wrong. The parts share no
    row, or no entry if entries are counted, and their numbers of wrong rows add up.

    Parameters
    ----------
    parts : iterable of SplitColumns

    Examples
    --------
    >>> from samapprox import Pattern
    >>> fit = Fit(Pattern.from_text("1000\n0100\n0010\n0001"), 1, wrong=1)
    >>> print(*KSets([SplitColumns(range(4), range(4))]).explain(fit), sep="\n")
    In dimension 1, halfspaces split the keys in few ways, so rows must be wrong:
      4 rows on 4 columns: at most 2 are right, at least 2 wrong
    """

    KIND = "k-sets"
    CLAIM = "NO: more rows or entries are wrong, as points have few splits of these sizes."
    MEMBERS = (Records("parts", SplitColumns),)

    parts: tuple[SplitColumns, ...]

    def __init__(self, parts: Iterable[SplitColumns]) -> None:
        self._fill(parts=parts)

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows of all parts, ascending."""
        return tuple(sorted({row for part in self.parts for row in part.rows}))

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of all parts, ascending."""
        return tuple(sorted({column for part in self.parts for column in part.columns}))

    @property
    def dimension(self) -> int:
        """0: the question states the dimension."""
        return 0

    @property
    def caption(self) -> str:
        """The caption of a picture of the core: half a line on the marked rows and columns."""
        return "the marked rows split the marked keys in too many ways"

    @property
    def size(self) -> int:
        """The number of entries that the check reads."""
        return sum(len(part.rows) * len(part.columns) for part in self.parts)

    def entries_read(self) -> list[tuple[int, int]]:
        """Return the entries that the argument reads, as (row, column)."""
        return sorted({(i, j) for part in self.parts for i in part.rows for j in part.columns})

    def explain(self, problem: Fit) -> list[str]:
        """Explain the proof in lines of text."""
        lines = []
        for part in self.parts:
            rows, columns = len(part.rows), len(part.columns)
            entries = problem.pattern.submatrix(part.rows, part.columns)
            right = count_right(entries, problem.d, problem.similarity)
            lines.append(
                f"  {plural(rows, 'row')} on {plural(columns, 'column')}: at most {right} are "
                f"right, at least {rows - right} wrong"
            )
        return [
            f"In dimension {problem.d}, {problem.similarity.regions} split the keys in few ways, "
            "so rows must be wrong:",
            *lines,
        ]
