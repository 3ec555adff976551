"""Rows that must miss ones at K, as few sets of keys are cut off."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from samapprox.proofs.fits.k_sets import SplitParts, find_fault_of_parts
from samapprox.proofs.fits.recall_losses import RecallLosses
from samapprox.proofs.questions import Recall
from samapprox.support.text import percent_up, plural

__all__ = ["RecallSets"]


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
        losses = RecallLosses(pattern.row_ones, question.at)
        lost = losses.lose_anyway(np.setdiff1d(np.arange(rows), np.array(self.rows, dtype=int)))
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
