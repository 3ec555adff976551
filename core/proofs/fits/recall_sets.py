"""Rows that must miss ones at K, as few sets of keys are cut off."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED
from samapprox.proofs.fits.cut_sets import ALL_ORDERS, find_room, list_orders, weigh_right_at
from samapprox.proofs.fits.k_sets import SplitParts, find_fault_of_parts
from samapprox.proofs.questions import Recall
from samapprox.similarities import ATTENTION, Similarity
from samapprox.support.arrays import Entries, Numbers, others_than
from samapprox.support.text import percent_up, plural

_MOST_ENTRIES = 1 << 23
"""Entries of all orders that are in memory at once."""


class _RecallLosses:
    """The least recalls that rows lose at K together, as whole numbers of 1 / `unit`.

    `row_ones`: the number of ones of each row of the pattern. docs/theory/ceilings.md has the
    proofs.
    """

    def __init__(self, row_ones: NDArray[np.integer], at: int) -> None:
        self._ones = row_ones.astype(np.int64)
        self._at = at
        self.unit = lcm(*set(self._ones.tolist()))

    def lose_anyway(self, rows: Numbers) -> int:
        """Sum what rows with more than K ones lose: all ones but K."""
        ones = self._ones[rows]
        return int(self.unit * sum_shares(ones, np.maximum(0, ones - self._at)))

    def lose_at_least(
        self, rows: Numbers, entries: Entries, d: int, similarity: Similarity = ATTENTION
    ) -> int:
        """Bound what rows lose, by their entries in some columns.

        >>> losses = _RecallLosses(np.full(9, 1), at=1)
        >>> losses.lose_at_least(np.arange(9), np.eye(9, dtype=np.int8), 1)
        7
        """
        ones = self._ones[rows]
        loss = self.lose_anyway(rows) + self._lose_if_wrong(ones, entries, d, similarity)
        if d + similarity.below > 1:
            return loss
        if entries.shape[1] > ALL_ORDERS:
            return max(loss, self._lose_between_ends(ones, entries))
        return max(loss, find_first_order(entries, ones, self._at, self.unit)[0])

    def _lose_if_wrong(
        self, ones: Numbers, entries: Entries, d: int, similarity: Similarity
    ) -> int:
        """Bound what rows with at most K ones lose: one of them at least, if the row is wrong."""
        room = find_room(ones, self._at)
        possible = room >= 0
        weights: list[int] = [self.unit // count for count in ones[possible].tolist()]
        right = weigh_right_at(entries[possible], room[possible], weights, d, similarity)
        return sum(weights) - right

    def _lose_between_ends(self, ones: Numbers, entries: Entries) -> int:
        """Bound what rows lose on a line: the ones that are not among the K keys at either end.

        Don't-cares take no place, so a row may reach as many keys further.
        """
        columns = entries.shape[1]
        reach = self._at + int((entries == UNSPECIFIED).sum(axis=1).max(initial=0))
        degrees = np.zeros(columns, dtype=object)
        for count in set(ones.tolist()):
            held = (entries[ones == count] == 1).sum(axis=0)
            degrees += held.astype(object) * (self.unit // count)
        return sum(sorted(degrees.tolist())[: max(0, columns - 2 * reach)])


def sum_shares(ones: NDArray[np.integer], counts: NDArray[np.integer]) -> Fraction:
    """Sum counts of ones, each divided by the number of ones of its row.

    >>> sum_shares(np.array([2, 3, 2]), np.array([1, 1, 2]))
    Fraction(11, 6)
    """
    sums = (Fraction(int(counts[ones == size].sum()), size) for size in set(ones.tolist()))
    return sum(sums, Fraction(0))


def find_first_order(entries: Entries, ones: Numbers, at: int, unit: int) -> tuple[int, Numbers]:
    """Return the least recall that rows lose on a line, over all orders of the columns; and this.

    `ones`: the number of ones of each row among all columns; those in other columns may be found.

    >>> find_first_order(np.eye(4, dtype=np.int8), np.full(4, 1), 1, 1)
    (2, array([0, 1, 2, 3]))
    """
    lines, counts = np.unique(np.column_stack([ones, entries]), axis=0, return_counts=True)
    orders = list_orders(entries.shape[1])
    step = max(1, _MOST_ENTRIES // max(1, orders.size))
    losses = np.zeros(len(orders), dtype=object)
    for size in set(ones.tolist()):
        chosen = lines[:, 0] == size
        rows, times = lines[chosen, 1:], counts[chosen]
        missed = np.zeros(len(orders), dtype=np.int64)
        for start in range(0, len(rows), step):
            arranged = rows[start : start + step][:, orders]
            found = np.maximum(
                _count_first(arranged, size, at), _count_first(arranged[:, :, ::-1], size, at)
            )
            missed += times[start : start + step] @ (size - found)
        losses += missed.astype(object) * (unit // size)
    best = int(np.argmin(losses))
    return int(losses[best]), orders[best]


def _count_first(arranged: NDArray[np.integer], size: int, at: int) -> Numbers:
    """Count the ones of lines that can be among the first K: those before a cut, and all others.

    `size` ones belong to each line, some of them perhaps elsewhere.
    """
    ones, zeros = np.cumsum(arranged == 1, axis=-1), np.cumsum(arranged == 0, axis=-1)
    elsewhere = size - (arranged == 1).sum(axis=-1)
    found = np.minimum(ones + elsewhere[..., None], at - zeros).max(axis=-1, initial=0)
    return np.asarray(np.maximum(found, np.minimum(elsewhere, at)))


@dataclass(frozen=True, slots=True, init=False)
class RecallSets(SplitParts):
    r"""Rows that must miss ones at K, as few sets of keys are cut off.

    A row with o > K ones misses o - K of them. Another one that is not right at K misses one at
    least, so the rows that `KSets` counts lose 1 / o each. On a line, only the keys near both ends
    are ever among the first. The parts share no row, and what they lose adds up; other rows with
    more than K ones lose theirs, too.

    Parameters
    ----------
    parts : iterable of SplitColumns
        Rows and columns whose sets of ones are counted, part by part. There may be none.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.proofs import SplitColumns
    >>> recall = Recall(Pattern.from_text("1000\n0100\n0010\n0001"), 1, 1, 1, 2)
    >>> RecallSets([SplitColumns(range(4), range(4))]).most_recall(recall)
    Fraction(1, 2)
    """

    KIND = "recall-sets"
    TASK = "recall"
    SIMILARITIES = ("dot", "cosine", "l2")
    CLAIM = "NO: rows miss more ones at K, as they have more than K, or few sets are cut off."
    caption = "the marked rows cannot all have the marked keys first"

    def most_recall(self, question: Recall) -> Fraction:
        """Return the bound on the mean recall that the parts show.

        Parameters
        ----------
        question : Recall
            The question; its fraction is ignored.
        """
        pattern = question.pattern
        rows = pattern.shape[0]
        losses = _RecallLosses(pattern.row_ones, question.at)
        lost = losses.lose_anyway(others_than(list(self.rows), rows))
        for part in self.parts:
            lines = np.array(part.rows, dtype=np.int64)
            entries = pattern.submatrix(part.rows, part.columns)
            lost += losses.lose_at_least(lines, entries, question.d, question.similarity)
        return 1 - Fraction(lost, rows * losses.unit)

    def find_fault(self, question: Recall) -> str | None:
        """Return the reason why the mean recall may be larger after all, or None."""
        if fault := find_fault_of_parts(question.pattern, "rows", self):
            return fault
        most = self.most_recall(question)
        if most > question.value:
            return f"it shows a mean recall of at most {most}, not {question.value}"
        return None

    def explain(self, question: Recall) -> list[str]:
        at = plural(question.at, "key")
        anyway = RecallSets([]).most_recall(question)
        lines = []
        if anyway < 1:
            ones = plural(question.at, "one")
            lines = [f"Rows with more than {ones} miss some: {_bound(anyway)} in any dimension."]
        if self.parts:
            regions = question.similarity.regions
            lines += [f"In dimension {question.d}, {regions} cut off few sets of {at}:"]
        for part in self.parts:
            counts = f"{plural(len(part.rows), 'row')} on {plural(len(part.columns), 'column')}"
            lines.append(f"  {counts}: {_bound(RecallSets([part]).most_recall(question))}")
        return lines


def _bound(most: Fraction) -> str:
    return f"the mean recall is at most {percent_up(most)}"
