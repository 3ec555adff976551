"""The number of right rows that random orders of the keys give."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from samapprox.pattern import Pattern
from samapprox.support.documents import number

__all__ = ["CHANCE", "Chance"]


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
