"""A proof of YES for a mean recall: an embedding with chosen ones among the first keys."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Nested, Witness
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import ExactArray, Places
from samapprox.proofs.fits.partial_embedding import change_entries, spread_rows
from samapprox.proofs.fits.recall_sets import sum_shares
from samapprox.proofs.questions import Recall
from samapprox.support.text import percent, plural


@dataclass(frozen=True, slots=True, eq=False)
class RecallEmbedding(Witness):
    r"""A proof of YES for a pattern whose missed ones, and zeros before ones, are don't-cares.

    A row whose other ones score above its threshold, while at most K minus their number of its
    zeros do, has as many ones among its first K keys.

    Parameters
    ----------
    missed : array_like of int
        Ones that need not be among the first K keys: entry (i, j) has the number i n + j.
    above : array_like of int
        Zeros that may score as high as the ones of their rows.
    proof : Witness
        For the pattern in which these entries are don't-cares, without the rows that miss all their
        ones.

    Raises
    ------
    InputError
        Not integers, or another proof.

    Examples
    --------
    >>> pattern = Pattern.from_text("100\n010\n101")
    >>> numbers = Embedding([[-1], [-1]], [[0], [1], [2]], [-1, -1])
    >>> proof = RecallEmbedding([4, 8], [], numbers)
    >>> proof.right_part(pattern).to_text()
    '100\n10*'
    >>> proof.mean_recall(pattern)
    Fraction(1, 2)
    """

    KIND = "recall-embedding"
    TASK = "recall"
    SIMILARITIES = ("dot", "cosine", "l2")
    CLAIM = (
        "YES: the proof holds for the pattern without the rows that miss all their ones, in which "
        "missed ones and zeros that may stand before others are don't-cares; entry (i, j) has the "
        "number i n + j."
    )
    MEMBERS = (
        Places("missed", description="Ones that need not be among the first K keys."),
        Places("above", description="Zeros that may stand before the ones of their rows."),
        Nested("proof"),
    )

    missed: ExactArray
    above: ExactArray
    proof: Witness

    def __init__(self, missed: ArrayLike, above: ArrayLike, proof: Witness) -> None:
        self._fill(missed, above, proof)

    @property
    def dimension(self) -> int:
        """The dimension of the proof."""
        return self.proof.dimension

    def found_ones(self, pattern: Pattern) -> NDArray[np.int64]:
        """Count the ones of each row that are among the first K keys.

        Parameters
        ----------
        pattern : Pattern
            The whole one, which has all the entries that are named.
        """
        rows, columns = pattern.shape
        return pattern.row_ones - np.bincount(self.missed // columns, minlength=rows)

    def mean_recall(self, pattern: Pattern) -> Fraction:
        """Compute the mean recall that the proof shows.

        Parameters
        ----------
        pattern : Pattern
            The whole one, which has all the entries that are named.
        """
        return sum_shares(pattern.row_ones, self.found_ones(pattern)) / pattern.shape[0]

    def right_part(self, pattern: Pattern) -> Pattern:
        """Return the pattern that the proof is about.

        Parameters
        ----------
        pattern : Pattern
            The whole one, which has all the entries that are named.

        Raises
        ------
        InputError
            All ones are missed, or entries change in rows that are too many to be written out.
        """
        found = self.found_ones(pattern)
        rows = np.flatnonzero(found)
        if not rows.size:
            raise InputError("all ones of the pattern are missed")
        if not self.above.size and (found[rows] == pattern.row_ones[rows]).all():
            return pattern.take(rows, np.arange(pattern.shape[1]))
        changed = np.concatenate([self.missed, self.above])
        return change_entries(pattern, changed, rows, UNSPECIFIED)

    def embedding(self, pattern: Pattern, /) -> Embedding:
        """Compute the queries, keys and thresholds, with queries of 0 for rows that miss all ones.

        Parameters
        ----------
        pattern : Pattern
            The whole one, which has all the entries that are named.

        Raises
        ------
        InputError
            The numbers are too many or too long to be written out.
        """
        own = self.proof.embedding(self.right_part(pattern))
        return spread_rows(own, np.flatnonzero(self.found_ones(pattern)), pattern.shape[0])

    def find_fault(self, question: Recall) -> str | None:
        """Return the reason why the recall is too small or the proof for the rest fails.

        Linear in the stored entries, and the cost of the check of the proof for the rest.
        """
        pattern = question.pattern
        rows, columns = pattern.shape
        for places, value, name in ((self.missed, 1, "ones"), (self.above, 0, "zeros")):
            if places.size and places.max() >= rows * columns:
                return f"it names entry {places.max()}, which the pattern does not have"
            if (_read_entries(pattern, places) != value).any():
                return f"it names entries that are not {name}"
        found = self.found_ones(pattern)
        before = np.bincount(self.above // columns, minlength=rows)
        late = np.flatnonzero((found > 0) & (found + before > question.at))
        if late.size:
            first = found[late[0]] + before[late[0]]
            return f"row {late[0]} has {first} ones and zeros before them, more than {question.at}"
        recall = self.mean_recall(pattern)
        if recall < question.value:
            return f"its mean recall is {recall}, less than {question.value}"
        try:
            rest = self.right_part(pattern)
        except InputError as error:
            return str(error)
        return check(Problem(rest, question.d, None, question.similarity), self.proof)

    def explain(self, question: Recall) -> list[str]:
        right = Problem(self.right_part(question.pattern), question.d, None, question.similarity)
        missed, keys = plural(self.missed.size, "one"), plural(question.at, "key")
        recall = percent(float(self.mean_recall(question.pattern)))
        lines = [f"Of all rows, {missed} need not be among the first {keys}: recall {recall}."]
        if self.above.size:
            lines.append(f"The other ones may come after {plural(self.above.size, 'zero')} in all.")
        return [*lines, *self.proof.explain(right)]


def _read_entries(pattern: Pattern, places: ExactArray) -> NDArray[np.int8]:
    """Read entries with these numbers."""
    rows, columns = np.divmod(places, pattern.shape[1])
    entries = pattern.ones.entries(rows, columns).astype(np.int8)
    if pattern.unspecified is not None:
        entries[pattern.unspecified.entries(rows, columns)] = UNSPECIFIED
    return entries
