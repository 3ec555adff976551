"""Counting up a biquadratic final polynomial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb

from samapprox.proofs.kinds.final_polynomial import FinalPolynomial

__all__ = ["PAIRS", "TERM_SIGNS", "brackets", "find_fault"]

PAIRS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
"""The members of b, c, d, e in the two brackets of each term."""

TERM_SIGNS = (1, -1, 1)


def brackets(fixed: Sequence[int], four: Sequence[int]) -> list[tuple[int, int]]:
    """Return the variables of the two brackets of each of the three terms.

    Parameters
    ----------
    fixed : sequence of int
        A, d - 1 elements.
    four : sequence of int
        b < c < d < e, outside A.

    Examples
    --------
    >>> brackets([], [0, 1, 2, 3])
    [(1, 6), (2, 5), (4, 3)]
    """
    return [
        (_variable([*fixed, four[i], four[j]]), _variable([*fixed, four[k], four[m]]))
        for (i, j), (k, m) in PAIRS
    ]


def find_fault(polynomial: FinalPolynomial, elements: int, rank: int) -> str | None:
    """Return the reason why a final polynomial of a rank proves nothing, or None.

    Parameters
    ----------
    polynomial : FinalPolynomial
    elements, rank : int

    Notes
    -----
    Whole numbers alone; O(steps).

    Examples
    --------
    >>> find_fault(FinalPolynomial([1, 2], []), 4, 2)
    'it has no steps'
    """
    chi = {abs(literal): 1 if literal > 0 else -1 for literal in polynomial.signs}
    powers: Counter[int] = Counter()
    if not polynomial.steps:
        return "it has no steps"
    for number, step in enumerate(polynomial.steps):
        if len(step.fixed) != rank - 2 or max(*step.fixed, *step.four, 0) >= elements:
            return f"step {number} is about other elements"
        terms = brackets(step.fixed, step.four)
        if not all(variable in chi for pair in terms for variable in pair):
            return f"step {number} uses an orientation that is not among the signs"
        values = [
            sign * chi[first] * chi[second]
            for sign, (first, second) in zip(TERM_SIGNS, terms, strict=True)
        ]
        others = [value for at, value in enumerate(values) if at != step.larger]
        if others[0] != others[1] or others[0] == values[step.larger]:
            return f"in step {number} the larger term's sign does not stand alone"
        for variable in terms[step.larger]:
            powers[variable] += step.power
        for variable in terms[step.smaller]:
            powers[variable] -= step.power
    if any(powers.values()):
        return "the products on both sides differ"
    orientations = comb(elements, rank)
    if max(chi) > orientations:
        return f"it names an orientation beyond the {orientations} that exist"
    return None


def _variable(subset: list[int]) -> int:
    """Return the variable of an orientation: 1 + the colexicographic rank of its elements."""
    return 1 + sum(comb(element, place) for place, element in enumerate(sorted(subset), 1))
