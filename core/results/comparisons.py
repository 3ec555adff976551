"""Figures beside an evaluation: chance, the best of the dimension, and the coverage of a join."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from samapprox.pattern import Pattern
from samapprox.support.documents import flag, number, whole
from samapprox.support.text import percent, plural


@dataclass(frozen=True, slots=True)
class Chance:
    """The number of right rows if each row ranked its keys in a random order.

    Attributes
    ----------
    mean, deviation : float
        Its expectation and its standard deviation. A row with r ones and z zeros is right with
        probability 1 / C(r + z, r), independently of the others.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> chance = Chance.of(Pattern.from_text("10"))
    >>> round(chance.mean, 9), round(chance.deviation, 9)
    (0.5, 0.5)
    """

    mean: float
    deviation: float

    @classmethod
    def of(cls, pattern: Pattern) -> Chance:
        """Return the chances for a pattern.

        Parameters
        ----------
        pattern : Pattern
            Its don't-care entries do not matter.
        """
        mean = variance = 0.0
        counts, repetitions = np.unique(
            np.column_stack([pattern.row_ones, pattern.row_zeros]), axis=0, return_counts=True
        )
        for (ones, zeros), rows in zip(counts.tolist(), repetitions.tolist(), strict=True):
            log = math.lgamma(ones + zeros + 1) - math.lgamma(ones + 1) - math.lgamma(zeros + 1)
            share = min(1.0, math.exp(-log))
            mean += rows * share
            variance += rows * share * (1 - share)
        return cls(mean, math.sqrt(variance))

    def explains(self, count: int) -> bool:
        """Return whether a number of right rows is no better than chance.

        It is not if it exceeds the expectation by at most two standard deviations.

        Parameters
        ----------
        count : int
            The number of right rows.
        """
        return count <= self.mean + 2 * self.deviation


CHANCE = {
    "mean": number(0, "Expected number of right rows if each row ranked its keys at random."),
    "deviation": number(0, "Its standard deviation."),
}
"""The members of a document that states a chance."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """Proven bounds on the rows that the best embedding of a dimension gets right.

    Attributes
    ----------
    least : int
        Some embedding gets this many rows right; 0 where none is known.
    most : int
        No embedding gets more rows right.

    Examples
    --------
    >>> Allowance(2, 3).describe(4)
    'between 50.0 % and 75.0 %'
    """

    least: int
    most: int

    def describe(self, rows: int) -> str:
        """Return the share of right rows in words.

        Parameters
        ----------
        rows : int
            Of the pattern.
        """
        least, most = (percent(count / rows) for count in (self.least, self.most))
        if self.least == self.most:
            return most
        return f"between {least} and {most}" if self.least else f"at most {most}"


@dataclass(frozen=True, slots=True)
class Coverage:
    r"""The queries and documents that vectors and a pattern, joined by ids, do not share.

    Attributes
    ----------
    unjudged : int
        Documents that have a vector and are no column of the pattern.
    left_out : bool
        Whether these are left out, as unspecified pairs; else they are zeros in every row.
    unasked : int
        Queries that have a vector and are no row of the pattern; they are left out.
    missing_queries, missing_documents : int
        Rows and columns of the pattern that have no vector; they are left out.
    emptied : int
        Rows whose ones are all among these columns; they are left out.

    Examples
    --------
    >>> print(*Coverage(unjudged=2, unasked=1).explain(), sep="\n")
    2 documents that nobody judged count as zeros.
    1 query without relevant documents is left out.
    """

    unjudged: int = 0
    left_out: bool = False
    unasked: int = 0
    missing_queries: int = 0
    missing_documents: int = 0
    emptied: int = 0

    def explain(self) -> list[str]:
        """Describe what is added or left out, a line each.

        Returns
        -------
        list of str
        """
        gone = "is left out", "are left out"
        unjudged = gone if self.left_out else ("counts as zeros", "count as zeros")
        counts = (
            (self.unjudged, "document", "that nobody judged", unjudged),
            (self.unasked, "query", "without relevant documents", gone),
            (self.missing_documents, "document", "without a vector", gone),
            (self.missing_queries, "query", "without a vector", gone),
            (self.emptied, "query", "whose relevant documents have no vectors", gone),
        )
        return [
            f"{plural(count, noun)} {which} {verbs[count != 1]}."
            for count, noun, which, verbs in counts
            if count
        ]


COVERAGE = {
    "unjudged": whole(0, "Documents with a vector that are no column of the pattern."),
    "left_out": flag("Whether these are left out; else they are zeros in every row."),
    "unasked": whole(0, "Queries with a vector that are no row of the pattern, and left out."),
    "missing_queries": whole(0, "Rows without a vector, which are left out."),
    "missing_documents": whole(0, "Columns without a vector, which are left out."),
    "emptied": whole(0, "Rows whose ones are all among these, which are left out."),
}
"""The members of a document that states a coverage."""
