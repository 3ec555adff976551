"""The greatest mean recall at K in a dimension, as a result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from samapprox.proofs.certificate import Certificate
from samapprox.proofs.checker import check
from samapprox.proofs.fits.recall_embedding import RecallEmbedding
from samapprox.proofs.fits.recall_sets import RecallSets
from samapprox.proofs.questions import Fit, Recall
from samapprox.support.text import percent, percent_up

_LARGEST_DENOMINATOR = 10**9
"""Certificates state fractions up to this denominator; others are rounded to the safe side."""


@dataclass(frozen=True)
class BestRecall:
    """Proven bounds on the greatest mean recall at K in dimension d.

    Attributes
    ----------
    question : Fit
        The pattern, the dimension, the similarity, and K; its number of wrong rows does not count.
    yes : RecallEmbedding
        An embedding with the mean recall `least`.
    no : RecallSets or None
        A proof that no mean recall is above `most`; None for 1.
    least, most : Fraction
        Proven bounds on the greatest mean recall.

    Examples
    --------
    >>> from samapprox import fit
    >>> recall = fit([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1, at=1).recall
    >>> recall.least, recall.most, recall.exact
    (Fraction(2, 3), Fraction(2, 3), True)
    """

    question: Fit
    yes: RecallEmbedding
    no: RecallSets | None
    least: Fraction
    most: Fraction

    @property
    def exact(self) -> bool:
        """Whether the bounds meet."""
        return self.least == self.most

    @property
    def yes_certificate(self) -> Certificate:
        """The certificate of the lower bound."""
        return Certificate.of(ask_recall(self.question, _round(self.least, floor)), self.yes)

    @property
    def no_certificate(self) -> Certificate | None:
        """The certificate of the upper bound; None if it is 1."""
        if self.no is None:
            return None
        return Certificate.of(ask_recall(self.question, _round(self.most, ceil)), self.no)

    def at_least(self, smaller: BestRecall) -> BestRecall:
        """Return these bounds with the embedding of a smaller dimension, if it is better.

        Parameters
        ----------
        smaller : BestRecall
            The bounds in a smaller dimension.
        """
        if smaller.least <= self.least:
            return self
        return replace(self, yes=smaller.yes, least=smaller.least)

    def at_most(self, larger: BestRecall) -> BestRecall:
        """Return these bounds with the limit of a larger dimension, if it is better and holds here.

        Parameters
        ----------
        larger : BestRecall
            The bounds in a larger dimension. The limits that its proof uses are not nested.
        """
        if larger.no is None or larger.most >= self.most:
            return self
        if check(ask_recall(self.question, larger.most), larger.no) is not None:
            return self
        return replace(self, no=larger.no, most=larger.most)

    @property
    def shares(self) -> tuple[str, str]:
        """Both bounds in percent; the upper one is rounded up unless it is reached."""
        least = percent(float(self.least))
        return least, least if self.exact else percent_up(self.most)

    @property
    def headline(self) -> str:
        """One sentence: the mean recall that is reached, and what is proven.

        Examples
        --------
        >>> from samapprox import fit
        >>> fit([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1, at=1).recall.headline
        'Mean recall at 1: 66.7 % is reached, and no embedding has more.'
        """
        least, most = self.shares
        reached = f"Mean recall at {self.question.at}: {least} is reached"
        if self.exact:
            return f"{reached}, and no embedding has more."
        if self.most == 1:
            return f"{reached}; no limit below 100 % is proven for this d."
        return f"{reached}, and no embedding has more than {most}."

    def explain(self) -> list[str]:
        """Explain both bounds in words."""
        lines = []
        if self.no is not None:
            question = ask_recall(self.question, _round(self.most, ceil))
            lines += [f"NO: {question.claim('NO')}:"]
            lines += [f"  {line}" for line in self.no.explain(question)]
        question = ask_recall(self.question, _round(self.least, floor))
        return [
            *lines,
            f"YES: {question.claim('YES')}:",
            *(f"  {line}" for line in self.yes.explain(question)),
        ]


def ask_recall(question: Fit, value: Fraction) -> Recall:
    """Return the question whether a mean recall is possible, for the K of a fit.

    Parameters
    ----------
    question : Fit
        The pattern, the dimension, the similarity and K.
    value : Fraction
        The mean recall.
    """
    assert question.at is not None
    fraction = value.numerator, value.denominator
    return Recall(question.pattern, question.d, question.at, *fraction, question.similarity)


def _round(value: Fraction, to_whole: Callable[[Fraction], int]) -> Fraction:
    """Round a recall to at most 10 digits, down by `floor` or up by `ceil`."""
    if value.denominator <= _LARGEST_DENOMINATOR:
        return value
    return Fraction(to_whole(value * _LARGEST_DENOMINATOR), _LARGEST_DENOMINATOR)
