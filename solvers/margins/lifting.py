"""Certificates of a pattern from proofs about the simplified pattern."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.certificate import Certificate
from samapprox.proofs.questions.margin import Margin
from samapprox.proofs.simplify import Simplified

__all__ = ["Lifting"]


@dataclass(frozen=True, slots=True)
class Lifting:
    """The way back from a simplified pattern.

    Attributes
    ----------
    pattern : Pattern
        The whole pattern.
    simplified : Simplified
    """

    pattern: Pattern
    simplified: Simplified

    def certify_margin(self, value: Fraction, proof: Proof, d: int | None = None) -> Certificate:
        """Return the certificate of a bound on the margin.

        Parameters
        ----------
        value : Fraction
        proof : Proof
            About the simplified pattern.
        d : int, optional
            None for any dimension.
        """
        lifted = proof.lift(self.simplified)
        assert not isinstance(lifted, str)
        question = Margin(self.pattern, value.numerator, value.denominator, d)
        return Certificate.of(question, lifted)

    def certify_dimension(self, d: int, proof: Proof | None) -> Certificate | None:
        """Return the certificate of an answer for dimension d; None if it cannot be lifted.

        Parameters
        ----------
        d : int
        proof : Proof or None
            About the simplified pattern.
        """
        lifted = None if proof is None else proof.lift(self.simplified)
        if lifted is None or isinstance(lifted, str):
            return None
        return Certificate.of(Problem(self.pattern, d), lifted)
