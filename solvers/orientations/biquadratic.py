"""Biquadratic final polynomials by linear programming."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.checks.final_polynomial import TERM_SIGNS
from samapprox.proofs.checks.orientation_clauses import Relations
from samapprox.proofs.kinds.final_polynomial import FinalPolynomial, Step
from samapprox.solvers.search import Search

__all__ = ["final_polynomial"]

_NOTHING = 1e-9  # multipliers below are none
_MOST = 1_000  # denominator in a ratio of two multipliers


def final_polynomial(
    relations: Relations, true: frozenset[int], elements: int, rank: int, search: Search
) -> FinalPolynomial | None:
    """Find a product of inequalities that says x > x; None if there is none, or no time.

    Parameters
    ----------
    relations : Relations
        All of them.
    true : frozenset of int
        Variables of the positive orientations.
    elements, rank : int
    search : Search

    Notes
    -----
    The logarithms of the absolute brackets would satisfy one strict linear inequality for each
    relation and smaller term; when none do, Farkas' multipliers are the exponents. Where these have
    no small whole ratio, elements are left out one by one as long as the rest has multipliers:
    fewer elements, smaller numbers.

    References
    ----------
    Bokowski, Richter (1990), "On the finding of final polynomials".

    Examples
    --------
    Four vectors of the plane always have a place.

    >>> from samapprox.proofs.checks.orientation_clauses import three_term_relations
    >>> final_polynomial(three_term_relations(4, 2), frozenset(range(1, 7)), 4, 2, Search())
    """
    chi = np.full(comb(elements, rank) + 1, -1, dtype=np.int64)
    chi[list(true)] = 1
    program = _Program.of(relations, chi)
    weights = program.multipliers(search)
    if weights is None:
        return None
    polynomial = program.polynomial(weights)
    # How much each element takes part.
    parts = np.repeat(weights, program.elements.shape[1])
    share = np.bincount(program.elements.ravel(), parts, elements)
    for element in np.argsort(share, kind="stable").tolist():
        if polynomial is not None or search.out_of_time:
            break
        fewer = program.without(element)
        weights = fewer.multipliers(search)
        if weights is not None:
            program, polynomial = fewer, fewer.polynomial(weights)
    return polynomial


@dataclass(frozen=True, slots=True, eq=False)
class _Program:
    """One inequality a row: larger term > smaller term of a relation."""

    chi: NDArray[np.int64]
    fixed: NDArray[np.int64]
    fours: NDArray[np.int64]
    terms: NDArray[np.int64]
    larger: NDArray[np.int64]
    smaller: NDArray[np.int64]

    @classmethod
    def of(cls, relations: Relations, chi: NDArray[np.int64]) -> _Program:
        """Return both inequalities of every relation."""
        terms = relations.variables.reshape(-1, 3, 2)
        values = chi[terms].prod(axis=2) * TERM_SIGNS
        # Of three signs, not all equal, the one that stands alone differs from their sum's.
        larger = np.argmax(values != np.sign(values.sum(axis=1))[:, None], axis=1).repeat(2)
        smaller = (larger + np.tile([1, 2], len(terms))) % 3
        twice = np.arange(len(terms)).repeat(2)
        fixed, fours = relations.fixed[twice], relations.fours[twice]
        return cls(chi, fixed, fours, terms[twice], larger, smaller)

    @property
    def elements(self) -> NDArray[np.int64]:
        """The elements of each inequality."""
        return np.concatenate([self.fixed, self.fours], axis=1)

    def without(self, element: int) -> _Program:
        """Return the inequalities that are not about an element."""
        kept = (self.elements != element).all(axis=1)
        parts = (self.fixed, self.fours, self.terms, self.larger, self.smaller)
        return _Program(self.chi, *(part[kept] for part in parts))

    def _powers(self, rows: NDArray[np.int64]) -> Any:
        """Return exponents of the brackets in some inequalities: larger over smaller."""
        from scipy.sparse import csr_array

        pairs = np.column_stack(
            [self.terms[rows, self.larger[rows]], self.terms[rows, self.smaller[rows]]]
        )
        powers = np.tile([1, 1, -1, -1], len(rows))
        places = (np.arange(len(rows)).repeat(4), pairs.ravel())
        return csr_array((powers, places), (len(rows), len(self.chi)))

    def multipliers(self, search: Search) -> NDArray[np.float64] | None:
        """Find exponents of least sum with which the inequalities cancel: few at a vertex."""
        from scipy.optimize import linprog
        from scipy.sparse import vstack

        count = len(self.larger)
        if count == 0:
            return None
        result = linprog(
            1.0 + np.random.RandomState(0).random_sample(count),
            A_eq=vstack([self._powers(np.arange(count)).T, np.ones((1, count))]),
            b_eq=np.append(np.zeros(len(self.chi)), 1.0),
            bounds=(0, None),
            method="highs-ds",
            options={"time_limit": min(1e6, max(0.01, search.remaining))},
        )
        return result.x if result.status == 0 else None

    def polynomial(self, weights: NDArray[np.float64]) -> FinalPolynomial | None:
        """Return the same in whole numbers; None where rounding spoils them."""
        support = np.flatnonzero(weights > _NOTHING)
        multipliers = _whole(weights[support])
        if (self._powers(support).toarray().T @ multipliers).any():
            return None
        used = np.unique(self.terms[support])
        return FinalPolynomial(
            np.where(self.chi[used] > 0, used, -used).tolist(),
            [
                Step(
                    power,
                    int(self.larger[at]),
                    int(self.smaller[at]),
                    self.fixed[at].tolist(),
                    self.fours[at].tolist(),
                )
                for at, power in zip(support.tolist(), multipliers.tolist(), strict=True)
            ],
        )


def _whole(multipliers: NDArray[np.float64]) -> NDArray[np.object_]:
    """Find whole numbers in the same proportion, if small ones exist."""
    ratios = [Fraction(float(x)).limit_denominator(_MOST) for x in multipliers / multipliers.min()]
    scale = lcm(*(ratio.denominator for ratio in ratios))
    return np.array([int(ratio * scale) for ratio in ratios], dtype=object)
