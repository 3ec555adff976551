"""Rows that split columns in more ways than points allow, by the sizes of the splits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.proofs.base import Obstruction, Record, Records
from samapprox.proofs.fits.cut_sets import count_right, count_right_at, find_room
from samapprox.proofs.members import Indices
from samapprox.proofs.questions import Fit, Unit
from samapprox.support.text import plural

_MOST_PARTS = 1 << 13
"""Each takes a tenth of a millisecond at least; honest proofs have some hundred."""


@dataclass(frozen=True, slots=True)
class SplitColumns(Record):
    """Columns, and rows that split them.

    Parameters
    ----------
    rows, columns : iterable of int
        The rows, and the columns that they split.
    """

    TITLE = "a part"
    MEMBERS = (Indices("rows"), Indices("columns"))

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __init__(self, rows: Iterable[int], columns: Iterable[int]) -> None:
        self._fill(rows, columns)


@dataclass(frozen=True, slots=True)
class SplitParts(Obstruction):
    """An obstruction that counts splits or sets of ones in parts of the pattern."""

    MEMBERS = (Records("parts", SplitColumns),)
    dimension = 0  # the question states it

    parts: tuple[SplitColumns, ...]

    def __init__(self, parts: Iterable[SplitColumns]) -> None:
        self._fill(parts)

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows of all parts, ascending."""
        return tuple(sorted({row for part in self.parts for row in part.rows}))

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of all parts, ascending."""
        return tuple(sorted({column for part in self.parts for column in part.columns}))

    @property
    def size(self) -> int:
        """The number of entries that the check reads."""
        return sum(len(part.rows) * len(part.columns) for part in self.parts)

    def entries_read(self) -> list[tuple[int, int]]:
        return sorted({(i, j) for part in self.parts for i in part.rows for j in part.columns})


@dataclass(frozen=True, slots=True, init=False)
class KSets(SplitParts):
    r"""Rows that split columns in more ways than points allow, by the sizes of the splits.

    In an embedding, a row that is right cuts its ones from its zeros, on any set of columns. Few
    splits of n points cut off a small number k of them (*k-sets*): two on a line, at most 3n/2
    pairs in the plane. So of the rows with other splits, many must be wrong. The parts share no
    row, or no entry if entries are counted, and their numbers of wrong rows add up. If rows are to
    be right at K, their ones must lie in sets of K keys that are cut off.

    Parameters
    ----------
    parts : iterable of SplitColumns
        Rows and columns whose splits are counted, part by part.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> fit = Fit(Pattern.from_text("1000\n0100\n0010\n0001"), 1, wrong=1)
    >>> print(*KSets([SplitColumns(range(4), range(4))]).explain(fit), sep="\n")
    In dimension 1, halfspaces split the keys in few ways, so rows must be wrong:
      4 rows on 4 columns: at most 2 are right, at least 2 wrong
    """

    KIND = "k-sets"
    TASK = "fit"
    SIMILARITIES = ("dot", "cosine", "l2")
    CLAIM = "NO: more rows or entries are wrong, as points have few splits of these sizes."
    caption = "the marked rows split the marked keys in too many ways"

    def find_fault(self, fit: Fit) -> str | None:
        """Return the reason why so few rows or entries may be wrong after all, or None."""
        if fault := find_fault_of_parts(fit.pattern, fit.unit, self):
            return fault
        wrong = 0
        for part in self.parts:
            right = _count_right(fit, part)
            if right is None:
                return "it reads a don't-care entry"
            wrong += len(part.rows) - right
        if wrong <= fit.wrong:
            return f"it shows that at least {wrong} {fit.unit} are wrong, not more than {fit.wrong}"
        return None

    def explain(self, problem: Fit) -> list[str]:
        lines = []
        for part in self.parts:
            rows, columns = len(part.rows), len(part.columns)
            right = _count_right(problem, part) or 0
            if problem.at is not None and not columns and not right:
                ones = plural(problem.at, "one")
                lines.append(f"  {plural(rows, 'row')} with more than {ones}: none is right")
                continue
            lines.append(
                f"  {plural(rows, 'row')} on {plural(columns, 'column')}: at most {right} are "
                f"right, at least {rows - right} wrong"
            )
        how = "split the keys in few ways"
        if problem.at is not None:
            how = f"cut off few sets of {plural(problem.at, 'key')}"
        return [
            f"In dimension {problem.d}, {problem.similarity.regions} {how}, so rows must be wrong:",
            *lines,
        ]


def _count_right(fit: Fit, part: SplitColumns) -> int | None:
    """Count how many rows of a part can be right at most; None if this takes specified entries."""
    entries = fit.pattern.submatrix(part.rows, part.columns)
    if fit.at is not None:
        room = find_room(fit.pattern.row_ones[list(part.rows)], fit.at)
        return count_right_at(entries, room, fit.d, fit.similarity)
    if (entries == UNSPECIFIED).any():
        return None
    return count_right(entries, fit.d, fit.similarity)


def find_fault_of_parts(pattern: Pattern, unit: Unit, proof: SplitParts) -> str | None:
    """Check that the parts are few and share no row; no entry, if entries are counted."""
    if len(proof.parts) > _MOST_PARTS:
        return f"it has {len(proof.parts)} parts, more than {_MOST_PARTS}: too large to check"
    blocks = [np.zeros(0, dtype=np.int64)]
    for part in proof.parts:
        rows, columns = (np.array(lines, dtype=np.int64) for lines in (part.rows, part.columns))
        entries = np.add.outer(rows * pattern.shape[1], columns).ravel()
        blocks.append(rows if unit == "rows" else entries)
    items = np.sort(np.concatenate(blocks))  # much faster than np.unique for millions of entries
    if (items[1:] == items[:-1]).any():
        return f"its parts share {unit}"
    return None
