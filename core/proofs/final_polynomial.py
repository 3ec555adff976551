"""Biquadratic final polynomials: orientations that no vectors have, and why.

In a three-term Grassmann-Pluecker relation P_0 + P_1 + P_2 = 0, where P_0 = [A b c][A d e],
P_1 = -[A b d][A c e] and P_2 = [A b e][A c d], the term whose sign stands alone is larger in
absolute value than either of the others. Several such inequalities between products of two
|brackets|, multiplied together, can have the same product on both sides: something would be larger
than itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samapprox.errors import InputError
from samapprox.proofs.exact import exact
from samapprox.proofs.orientation_clauses import subset_ranks

__all__ = ["FinalPolynomial", "Step", "brackets"]

PAIRS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
"""Which of b, c, d, e stand in the two brackets of each term."""

TERM_SIGNS = (1, -1, 1)


def brackets(fixed: Sequence[int], four: Sequence[int]) -> list[tuple[int, int]]:
    """The variables of the two brackets of each of the three terms.

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
    terms = []
    for pair in PAIRS:
        first, second = (
            1 + int(subset_ranks(np.array([sorted([*fixed, *(four[i] for i in places)])]))[0])
            for places in pair
        )
        terms.append((first, second))
    return terms


@dataclass(frozen=True, slots=True)
class Step:
    """One inequality: |P_larger| > |P_smaller| in the relation of `fixed` and `four`.

    Attributes
    ----------
    power : int
        How often it is multiplied in, at least 1.
    larger, smaller : int
        Terms 0..2.
    fixed, four : tuple of int
        A, and b < c < d < e.
    """

    power: int
    larger: int
    smaller: int
    fixed: tuple[int, ...]
    four: tuple[int, ...]

    def __init__(
        self, power: int, larger: int, smaller: int, fixed: Sequence[int], four: Sequence[int]
    ) -> None:
        numbers = exact([power, larger, smaller, *fixed, *four], 1, "a step").tolist()
        terms = {numbers[1], numbers[2]}
        if numbers[0] < 1 or len(terms) < 2 or not terms <= {0, 1, 2}:
            raise InputError("a step has a power of at least 1 and two of the terms 0, 1 and 2")
        elements = numbers[3:]
        if len(four) != 4 or len(set(elements)) < len(elements) or min(elements) < 0:
            raise InputError("a step names different elements, four of them apart")
        if sorted(elements[len(fixed) :]) != elements[len(fixed) :]:
            raise InputError("the four elements of a step ascend")
        object.__setattr__(self, "power", numbers[0])
        object.__setattr__(self, "larger", numbers[1])
        object.__setattr__(self, "smaller", numbers[2])
        object.__setattr__(self, "fixed", tuple(elements[: len(fixed)]))
        object.__setattr__(self, "four", tuple(elements[len(fixed) :]))


@dataclass(frozen=True, slots=True)
class FinalPolynomial:
    """Orientations that contradict each other, as the steps show.

    Attributes
    ----------
    signs : tuple of int
        The orientations, as DIMACS literals.
    steps : tuple of Step
    """

    signs: tuple[int, ...]
    steps: tuple[Step, ...]

    def __init__(self, signs: Sequence[int], steps: Sequence[Step]) -> None:
        literals = tuple(exact(list(signs), 1, "signs").tolist())
        if 0 in literals or len({abs(x) for x in literals}) < len(literals):
            raise InputError("the signs of a final polynomial are of different variables")
        object.__setattr__(self, "signs", literals)
        object.__setattr__(self, "steps", tuple(steps))

    @property
    def clause(self) -> tuple[int, ...]:
        """What follows: one of the signs is wrong."""
        return tuple(-literal for literal in self.signs)

    def fault(self, elements: int, rank: int) -> str | None:
        """Why it proves nothing about so many elements of this rank; None when it holds.

        Parameters
        ----------
        elements, rank : int

        Notes
        -----
        Whole numbers alone; O(steps).
        """
        chi = {abs(literal): 1 if literal > 0 else -1 for literal in self.signs}
        powers: Counter[int] = Counter()
        if not self.steps:
            return "it has no steps"
        for number, step in enumerate(self.steps):
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
        return None
