"""Bounds on the number of wrong items, each with a proof that its check confirms."""

from __future__ import annotations

from dataclasses import replace

from samapprox.proofs.base import Obstruction
from samapprox.proofs.checker import check
from samapprox.proofs.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.questions import Fit
from samapprox.results.answer import require_proof
from samapprox.results.best_fit import BestFit

__all__ = ["FitBounds"]


class FitBounds:
    """The best embedding and the best refutation so far, both confirmed by their checks.

    The number of wrong items that `question` names is ignored. Raises CertificateError if the
    first embedding does not pass its check; later proofs that fail are dropped. There is no
    embedding where every row is wrong.
    """

    def __init__(self, question: Fit, yes: PartialEmbedding | None) -> None:
        unit, similarity = question.unit, question.similarity
        upper = question.pattern.shape[0] if yes is None else len(yes.wrong)
        self._question = question
        self.best = BestFit(
            question.pattern, question.d, unit, similarity, yes, None, 0, upper, at=question.at
        )
        if yes is not None:
            require_proof(self.ask(upper), yes)

    @property
    def lower(self) -> int:
        """The largest number of wrong items that is proven to be needed."""
        return self.best.lower

    @property
    def upper(self) -> int:
        """The number of wrong items of the best embedding."""
        return self.best.upper

    def take(self, proof: PartialEmbedding) -> None:
        """Keep an embedding if it is better, and its check confirms it."""
        wrong = len(proof.wrong)
        if wrong < self.upper and check(self.ask(wrong), proof) is None:
            self.best = replace(self.best, yes=proof, upper=wrong)

    def refute(self, wrong: int, proof: Obstruction) -> None:
        """Keep a proof that more than `wrong` items are wrong, if its check confirms it."""
        if wrong + 1 > self.lower and check(self.ask(wrong), proof) is None:
            self.best = replace(self.best, no=proof, lower=wrong + 1)

    def ask(self, wrong: int) -> Fit:
        """Return the question whether at most so many items are wrong."""
        return replace(self._question, wrong=wrong)
