"""Final polynomials about some of the elements, or about more."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.checks.orientation_clauses import subset_ranks, subsets_of
from samapprox.proofs.kinds.final_polynomial import FinalPolynomial, Step

__all__ = ["elements_of", "renumber"]


def elements_of(polynomial: FinalPolynomial) -> list[int]:
    """Return the elements of a final polynomial's steps, ascending."""
    return sorted({element for step in polynomial.steps for element in (*step.fixed, *step.four)})


def renumber(polynomial: FinalPolynomial, numbers: NDArray[np.int64], rank: int) -> FinalPolynomial:
    """Return the same polynomial about elements with other numbers, in the same order.

    The order of the elements stays, so orientations keep their signs and terms their places.
    """
    subsets = np.empty((comb(len(numbers), rank), rank), dtype=np.int64)
    listed = subsets_of(len(numbers), rank)
    subsets[subset_ranks(listed)] = listed
    signs = np.array(polynomial.signs)
    variables = 1 + subset_ranks(numbers[subsets[np.abs(signs) - 1]])
    steps = [
        Step(
            step.power,
            step.larger,
            step.smaller,
            numbers[list(step.fixed)].tolist(),
            numbers[list(step.four)].tolist(),
        )
        for step in polynomial.steps
    ]
    return FinalPolynomial((np.sign(signs) * variables).tolist(), steps)
