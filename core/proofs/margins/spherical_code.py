"""Rows that cross pairwise: unit queries so far apart that few fit on a sphere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.proofs.base import Submatrix
from samapprox.proofs.exact import ExactArray, Vector
from samapprox.proofs.margins.conditions import find_fault_of_dimension
from samapprox.proofs.members import Indices
from samapprox.proofs.questions import Margin
from samapprox.proofs.words import tabulate

if TYPE_CHECKING:
    from samapprox.proofs.parts.simplify import Simplification


_MOST_POINTS = 1 << 12
"""Points of the largest code: all pairs are compared."""

_TERMS = 64
"""Terms of the series for the measure of a cap; the rest only lowers the measure."""

_PI = Fraction(355, 113)
"""A number above pi."""


@dataclass(frozen=True, slots=True, eq=False)
class SphericalCode(Submatrix):
    r"""Rows, or their complements, that cross pairwise: a bound on the margin in dimension d.

    Two rows cross if some key is a one of the first and a zero of the second, and another key is
    the reverse. Their unit queries are then at least twice the margin apart, so caps around them
    do not overlap, and their measures add up to at most that of the sphere.

    Parameters
    ----------
    rows, columns : iterable of int
        The core, in which the rows cross.
    signs : array_like of int, shape (r,)
        For each row: 1 for the row, -1 for its complement, 0 for both, which are two points.

    Raises
    ------
    InputError
        Other signs, or not one for each row.

    References
    ----------
    docs/theory/margins.md has the proof.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.proofs import SphericalCode, check
    >>> pattern = Pattern.from_text("100000\n010000\n001000\n000100\n000010\n000001")
    >>> proof = SphericalCode(range(6), range(6), [1] * 6)
    >>> print(check(Margin(pattern, 501, 1000, 2), proof))  # sin(pi / 6) = 1 / 2
    None
    """

    KIND = "spherical-code"
    TASK = "margin"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "NO in dimension d: among the rows of sign 1 or 0 and the complements of those of sign -1 "
        "or 0, of which there are at least two, each two cross: in some column of the core, the "
        "first is 1 and the second 0, and in some other one the reverse. So many caps of angular "
        "radius arcsin(margin) cover at least the measure of the unit sphere in dimension d."
    )
    caption = "the marked rows cross pairwise, so their queries lie far apart"
    dimension = 0  # the bound is about the dimension of the question, and excludes none
    MEMBERS = (Indices("rows"), Indices("columns"), Vector("signs", minimum=-1))

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    signs: ExactArray

    def __init__(self, rows: Iterable[int], columns: Iterable[int], signs: ArrayLike) -> None:
        self._fill(rows, columns, signs)
        if self.signs.shape != (len(self.rows),) or (abs(self.signs) > 1).any():
            raise InputError("the signs must be 1, 0 or -1, one for each row")

    def lift(self, simplification: Simplification, /) -> SphericalCode:
        """Carry the argument over to rows and columns of the original pattern."""
        turned = np.where(simplification.turned[list(self.rows)], -1, 1)
        return replace(Submatrix.lift(self, simplification), signs=self.signs * turned)

    def find_fault(self, question: Margin) -> str | None:
        """Return the reason why the rows do not bound the margin, or None."""
        if question.d is None:
            return "the rows bound no margin unless the dimension is stated"
        if fault := find_fault_of_dimension(question.d):
            return fault
        entries = question.pattern.submatrix(self.rows, self.columns)
        ones, zeros = self._points(entries)
        if len(ones) > _MOST_POINTS:
            return f"its {len(ones)} points are too many to check"
        if len(ones) < 2:  # a row that crosses none may lack ones or zeros: its margin is unbounded
            return "a single point crosses no other one"
        crossing = ones @ zeros.T > 0  # counts of columns, which float32 holds exactly
        apart = crossing & crossing.T
        np.fill_diagonal(apart, val=True)
        if not apart.all():
            first, second = (int(index) for index in np.argwhere(~apart)[0])
            return f"points {first} and {second} of its code do not cross"
        if not caps_cover_sphere(len(ones), question.d, question.value):
            return f"{len(ones)} points may lie that far apart in dimension {question.d}"
        return None

    def _points(self, entries: NDArray[np.int8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the ones and the zeros of the chosen rows, then those of the complements."""
        ones, zeros = ((entries == value).astype(np.float32) for value in (1, 0))
        kept, turned = self.signs >= 0, self.signs <= 0
        return (
            np.concatenate([ones[kept], zeros[turned]]),
            np.concatenate([zeros[kept], ones[turned]]),
        )

    def explain(self, problem: Margin) -> list[str]:
        points = len(self.signs) + int((self.signs == 0).sum())
        return [
            f"Each two of {points} rows (or complements) cross, so their queries are at least "
            "twice the margin apart.",
            f"The unit sphere in dimension {problem.d} has no room for more than {problem.value}:",
            *tabulate(problem.pattern, self.rows, self.columns),
        ]


def caps_cover_sphere(points: int, d: int, sine: Fraction) -> bool:
    """Return whether so many caps of this radius have at least the measure of the unit sphere.

    The sine of the caps' angular radius is given, and a lower bound on the measure of a cap is
    used: the first terms of a series, with 355/113 for pi.

    >>> caps_cover_sphere(6, 2, Fraction(1, 2))  # exact equality, which the series misses
    False
    >>> caps_cover_sphere(6, 2, Fraction(500001, 1000000))
    True
    """
    if d == 1:
        return points > 2
    whole = Fraction(2) if d % 2 else _PI  # the integral of sin^(d - 2) from 0 to pi
    for factor in range(2 + d % 2, d - 1, 2):
        whole *= Fraction(factor - 1, factor)
    # that up to arcsin(x), with s = sin: the integral of s^(d - 2) (1 - s^2)^(-1/2)
    square = sine * sine
    cap = sum(
        (Fraction(comb(2 * k, k), 4**k * (d - 1 + 2 * k)) * square**k for k in range(_TERMS)),
        start=Fraction(0),
    )
    return bool(points * cap * sine ** (d - 1) >= whole)
