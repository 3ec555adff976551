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
from math import comb

from samapprox.errors import InputError
from samapprox.proofs.base import Record, Records
from samapprox.proofs.members import Choice, Indices, Literals, Whole

PAIRS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
"""The members of b, c, d, e in the two brackets of each term."""

TERM_SIGNS = (1, -1, 1)


@dataclass(frozen=True, slots=True)
class Step(Record):
    """One inequality: |P_larger| > |P_smaller| in the relation of `fixed` and `four`.

    Attributes
    ----------
    power : int
        The exponent of the inequality in the product, at least 1.
    larger, smaller : int
        Terms 0..2.
    fixed, four : tuple of int
        A, and b < c < d < e.
    """

    TITLE = "a step"
    MEMBERS = (
        Whole("power"),
        Choice("larger", (0, 1, 2)),
        Choice("smaller", (0, 1, 2)),
        Indices("fixed"),
        Indices("four", count=4, ascending=True),
    )

    power: int
    larger: int
    smaller: int
    fixed: tuple[int, ...]
    four: tuple[int, ...]

    def __init__(
        self, power: int, larger: int, smaller: int, fixed: Sequence[int], four: Sequence[int]
    ) -> None:
        self._fill(power, larger, smaller, fixed, four)
        if self.larger == self.smaller:
            raise InputError("a step compares two different terms")
        if not set(self.fixed).isdisjoint(self.four):
            raise InputError("a step names different elements, four of them apart")


@dataclass(frozen=True, slots=True)
class FinalPolynomial(Record):
    """Orientations that contradict each other, by a product of steps.

    Attributes
    ----------
    signs : tuple of int
        The orientations, as DIMACS literals.
    steps : tuple of Step
        The inequalities that are multiplied.
    """

    TITLE = "a polynomial"
    MEMBERS = (Literals("signs"), Records("steps", Step, least=1))

    signs: tuple[int, ...]
    steps: tuple[Step, ...]

    def __init__(self, signs: Sequence[int], steps: Sequence[Step]) -> None:
        self._fill(signs, steps)

    @property
    def clause(self) -> tuple[int, ...]:
        """The clause that follows: one of the signs is wrong."""
        return tuple(-literal for literal in self.signs)

    def find_fault(self, elements: int, rank: int) -> str | None:
        """Return the reason why a final polynomial of a rank proves nothing, or None.

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
        orientations = comb(elements, rank)
        if max(chi) > orientations:
            return f"it names an orientation beyond the {orientations} that exist"
        return None


def brackets(fixed: Sequence[int], four: Sequence[int]) -> list[tuple[int, int]]:
    """Return the variables of the two brackets of each of the three terms.

    `fixed`: A, d - 1 elements. `four`: b < c < d < e, outside A.
    """
    return [
        (_variable([*fixed, four[i], four[j]]), _variable([*fixed, four[k], four[m]]))
        for (i, j), (k, m) in PAIRS
    ]


def _variable(subset: list[int]) -> int:
    """Return the variable of an orientation: 1 + the colexicographic rank of its elements."""
    return 1 + sum(comb(element, place) for place, element in enumerate(sorted(subset), 1))
