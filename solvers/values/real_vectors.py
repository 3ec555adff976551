"""Refutations of real vectors, which are refutations of vectors with few values."""

from __future__ import annotations

from samapprox.problem import Problem, Reduction
from samapprox.proofs.base import Obstruction, Proof
from samapprox.proofs.values.real_vectors import RealVectors
from samapprox.solvers.engine.decision import decide_reduced
from samapprox.solvers.engine.search import Search

NAME = "real-vectors"


def applies(_problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Decide whether real vectors represent the pattern, with all strategies for dot products."""
    return decide_reduced(problem, _ToRealVectors(), search, NAME)


class _ToRealVectors(Reduction[Problem, Problem, None]):
    """The question about real vectors, of which a NO carries over."""

    def apply(self, asked: Problem, /) -> tuple[Problem, None]:
        """Return the same question with dot products of real vectors."""
        return Problem(asked.pattern, asked.d), None

    def lift(self, proof: Proof, _back: None, /) -> Proof | str:
        """Turn a refutation into one for the set of values."""
        if isinstance(proof, Obstruction):
            return RealVectors(proof)
        return "real vectors represent the pattern"
