"""Biquadratic final polynomials: orientations that no vectors have, and why.

In a three-term Grassmann-Pluecker relation P_0 + P_1 + P_2 = 0, where P_0 = [A b c][A d e],
P_1 = -[A b d][A c e] and P_2 = [A b e][A c d], the term whose sign stands alone is larger in
absolute value than either of the others. Several such inequalities between products of two
|brackets|, multiplied together, can have the same product on both sides: something would be larger
than itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samapprox.errors import InputError
from samapprox.proofs.members import Choice, Indices, Literals, Record, Records, Whole

__all__ = ["FinalPolynomial", "Step"]


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
        self._fill(power=power, larger=larger, smaller=smaller, fixed=fixed, four=four)
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
    """

    TITLE = "a polynomial"
    MEMBERS = (Literals("signs"), Records("steps", Step, least=1))

    signs: tuple[int, ...]
    steps: tuple[Step, ...]

    def __init__(self, signs: Sequence[int], steps: Sequence[Step]) -> None:
        self._fill(signs=signs, steps=steps)

    @property
    def clause(self) -> tuple[int, ...]:
        """The clause that follows: one of the signs is wrong."""
        return tuple(-literal for literal in self.signs)
