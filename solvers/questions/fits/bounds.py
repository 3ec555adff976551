"""Bounds on the number of wrong items, each with a proof that its check confirms."""

from __future__ import annotations

from samapprox.best_fit import BestFit
from samapprox.checked import require_proof
from samapprox.proofs.base import Obstruction
from samapprox.proofs.checks import check
from samapprox.proofs.kinds.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.questions.fit import Fit

__all__ = ["ProvenBounds"]


class ProvenBounds:
    """The best embedding and the best refutation so far, both confirmed by their checks.

    The number of wrong items that `question` names is ignored. Raises CertificateError if the
    first embedding does not pass its check; later proofs that fail are dropped.
    """

    def __init__(self, question: Fit, yes: PartialEmbedding) -> None:
        self._question = question
        self._yes = yes
        self._no: Obstruction | None = None
        self.lower = 0
        self.upper = len(yes.wrong)
        require_proof(self.ask(self.upper), yes)

    @property
    def yes(self) -> PartialEmbedding:
        """The best embedding so far."""
        return self._yes

    def take(self, proof: PartialEmbedding) -> None:
        """Keep an embedding if it is better, and its check confirms it."""
        wrong = len(proof.wrong)
        if wrong < self.upper and check(self.ask(wrong), proof) is None:
            self._yes, self.upper = proof, wrong

    def refute(self, wrong: int, proof: Obstruction) -> None:
        """Keep a proof that more than `wrong` items are wrong, if its check confirms it."""
        if wrong + 1 > self.lower and check(self.ask(wrong), proof) is None:
            self._no, self.lower = proof, wrong + 1

    def ask(self, wrong: int) -> Fit:
        """Return the question whether at most so many items are wrong."""
        question = self._question
        return Fit(question.pattern, question.d, wrong, question.unit, question.similarity)

    def best_fit(self, seconds: float) -> BestFit:
        """Return the bounds with their proofs, as the result of a search of so many seconds."""
        question = self._question
        return BestFit(
            question.pattern,
            question.d,
            question.unit,
            question.similarity,
            self._yes,
            self._no,
            self.lower,
            self.upper,
            seconds,
        )
