"""Final polynomials on few elements, and their images under automorphisms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.checks.final_polynomial import PAIRS
from samapprox.proofs.checks.orientation_clauses import Relations
from samapprox.proofs.kinds.final_polynomial import FinalPolynomial, Step
from samapprox.solvers.orientations.biquadratic import final_polynomial
from samapprox.solvers.search import Search

__all__ = ["move", "small_polynomial"]

_TRIES = (10, 5, 3)
"""How many subsets of r + 4, r + 5, .. elements are tried: one in ten has a polynomial."""


def small_polynomial(
    relations: Relations,
    true: frozenset[int],
    elements: int,
    rank: int,
    rng: np.random.RandomState,
    search: Search,
) -> FinalPolynomial | None:
    """Find a final polynomial on few of the elements; None if some random subsets have none.

    Parameters
    ----------
    relations : Relations
        All of them.
    true : frozenset of int
        Variables of the positive orientations.
    elements, rank : int
    rng : RandomState
        Chooses the subsets; all of them have fewer elements.
    search : Search

    Notes
    -----
    On 9 of 13 elements in rank 5 the linear program has 2,520 inequalities instead of 120,120 and
    takes 0.1 s instead of some minutes. The clause is shorter, too.
    """
    for size, tries in enumerate(_TRIES, rank + 4):
        for _ in range(tries if size < elements else 0):
            left_out = rng.permutation(elements)[size:]
            kept = ~np.isin(relations.fixed, left_out).any(axis=1)
            kept &= ~np.isin(relations.fours, left_out).any(axis=1)
            parts = (relations.fixed, relations.fours, relations.variables)
            few = Relations(*(part[kept] for part in parts))
            found = final_polynomial(few, true, elements, rank, search)
            if found is not None or search.out_of_time:
                return found
    return None


def move(
    polynomial: FinalPolynomial, signs: list[int], permutation: NDArray[np.int64]
) -> FinalPolynomial:
    """Return the image of a final polynomial under an automorphism.

    Parameters
    ----------
    polynomial : FinalPolynomial
    signs : list of int
        The images of its signs.
    permutation : ndarray of int64, shape (elements,)

    Examples
    --------
    >>> step = Step(1, 0, 1, [], [0, 1, 2, 3])
    >>> moved = move(FinalPolynomial([1], [step]), [3], np.array([0, 2, 1, 3])).steps[0]
    >>> moved.larger, moved.smaller, moved.four
    (1, 0, (0, 1, 2, 3))
    """
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
