"""Bounds on wrong rows and entries from the limits on splits of each size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.fits.cut_sets import count_right, count_right_at, find_room
from samapprox.proofs.fits.k_sets import KSets, SplitColumns
from samapprox.proofs.questions import Fit
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.turns import Refuted

# Entries of all parts, as in the checker.
_MOST_ENTRIES = 1 << 22
# Columns of a part: fewer are split in all ways.
_SMALLEST = 3
# Columns of blocks that are tried: no width is the best one for all patterns.
_WIDTHS = (4, 6, 8, 10, 12, 16, 20, 24, 32)
# Changes of one column without a gain, after which a climb ends.
_TRIES = 200
# Seconds of a climb: without this, one part would take the whole time.
_SECONDS = 10.0


def find_bound(question: Fit, search: Search) -> Refuted | str:
    """Choose rows and columns that must have many wrong rows, as points have few splits.

    For rows: all columns; then columns are left out and put in as long as more rows must be wrong;
    then the same with the rows that the part does not split. For entries: also blocks of few
    columns each, whose numbers add up. One evaluation takes O(m n), some ms for 1,000 x 50 entries.
    """
    if len(question.pattern.row_ones) * question.pattern.shape[1] > _MOST_ENTRIES:
        return f"the pattern has more than {_MOST_ENTRIES} entries"
    chooser = _Chooser(question, search)
    best: list[_Part] = []
    for parts in chooser.propose():
        if _total(parts) > _total(best):
            best = parts
        if _total(best) > question.wrong:
            break
    wrong = _total(best)
    if not wrong:
        return "no columns are split in too many ways"
    proof = KSets([SplitColumns(part.rows.tolist(), part.columns.tolist()) for part in best])
    return Refuted(wrong - 1, proof)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    wrong: int


def _total(parts: list[_Part]) -> int:
    return sum(part.wrong for part in parts)


@dataclass(frozen=True, slots=True, eq=False)
class _Chooser:
    question: Fit
    search: Search
    entries: NDArray[np.int8] = field(init=False)
    columns: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        entries = self.question.pattern.to_array()
        first = np.arange(entries.shape[1])
        if self.question.at is None:  # equal columns add no split, but they count at K
            _, first = np.unique(entries, axis=1, return_index=True)
        object.__setattr__(self, "entries", entries)
        object.__setattr__(self, "columns", np.sort(first))

    def propose(self) -> Iterator[list[_Part]]:
        """Yield parts that may be counted together, quick ones first."""
        everything = np.arange(len(self.entries))
        yield [self._make(everything, self.columns)]
        if self.question.unit == "entries":
            for width in _WIDTHS:
                if self.search.out_of_time or width > len(self.columns):
                    break
                yield self._make_blocks(everything, width)
        random = np.random.RandomState(self.search.seed)
        rows, parts = everything, list[_Part]()
        while len(rows) and not self.search.out_of_time:
            part = self._climb(rows, random)
            if not part.wrong:
                break
            parts = [*parts, part]
            yield parts
            rows = np.setdiff1d(rows, part.rows)

    def _make(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> _Part:
        """Make the part of the rows that are specified on the columns, and are split by them."""
        entries = self.entries[np.ix_(rows, columns)]
        if self.question.at is not None:
            room = find_room(self.question.pattern.row_ones[rows], self.question.at)
            counted = (entries == 1).any(axis=1) | (room < 0)
            rows, entries, room = rows[counted], entries[counted], room[counted]
            right = count_right_at(entries, room, self.question.d, self.question.similarity)
            return _Part(rows, columns, len(rows) - right)
        split = (entries >= 0).all(axis=1) & (entries != entries[:, :1]).any(axis=1)
        rows, entries = rows[split], entries[split]
        right = count_right(entries, self.question.d, self.question.similarity)
        return _Part(rows, columns, len(rows) - right)

    def _make_blocks(self, rows: NDArray[np.int64], width: int) -> list[_Part]:
        """Make parts of so many columns each."""
        count = max(1, len(self.columns) // width)
        parts = []
        for block in np.array_split(self.columns, count):
            if self.search.out_of_time:
                break
            if (part := self._make(rows, block)).wrong:
                parts.append(part)
        return parts

    def _climb(self, rows: NDArray[np.int64], random: np.random.RandomState) -> _Part:
        """Put in and leave out columns as long as more rows must be wrong."""
        search = self.search.slice(_SECONDS, 0)
        best = max(self._starts(rows, random), key=lambda part: part.wrong)
        tries = 0
        while tries < _TRIES and not search.out_of_time:
            tries += 1
            column = self.columns[random.randint(len(self.columns))]
            if column in best.columns:
                if len(best.columns) <= _SMALLEST:
                    continue
                columns = best.columns[best.columns != column]
            else:
                columns = np.sort(np.append(best.columns, column))
            part = self._make(rows, columns)
            if part.wrong > best.wrong:
                best, tries = part, 0
        return best

    def _starts(self, rows: NDArray[np.int64], random: np.random.RandomState) -> Iterator[_Part]:
        """Yield all columns, and few that split the rows most evenly."""
        yield self._make(rows, self.columns)
        specified = np.maximum(1, (self.entries[rows] >= 0).sum(axis=0))
        ones = (self.entries[rows] == 1).sum(axis=0) / specified
        evenly = np.argsort(np.abs(ones - 0.5) + 1e-6 * random.rand(len(ones)))
        evenly = evenly[np.isin(evenly, self.columns)]
        for width in _WIDTHS:
            if width < len(evenly) and not self.search.out_of_time:
                yield self._make(rows, np.sort(evenly[:width]))
