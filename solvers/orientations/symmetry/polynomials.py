"""Images of final polynomials under automorphisms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.checks.final_polynomial import PAIRS
from samapprox.proofs.kinds.final_polynomial import FinalPolynomial, Step

__all__ = ["move"]


def move(
    polynomial: FinalPolynomial, signs: list[int], permutation: NDArray[np.int64]
) -> FinalPolynomial:
    """Return the image of a final polynomial under an automorphism."""
    return FinalPolynomial(signs, [_move_step(step, permutation) for step in polynomial.steps])


def _move_step(step: Step, permutation: NDArray[np.int64]) -> Step:
    """Move the elements of a step; its terms are the three ways to pair four elements."""
    moved = permutation[list(step.four)].tolist()
    order = np.argsort(moved).tolist()
    terms = [{frozenset(order.index(at) for at in pair) for pair in pairs} for pairs in PAIRS]
    ways = [set(map(frozenset, pairs)) for pairs in PAIRS]
    return Step(
        step.power,
        ways.index(terms[step.larger]),
        ways.index(terms[step.smaller]),
        permutation[list(step.fixed)].tolist(),
        sorted(moved),
    )
