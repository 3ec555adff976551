"""Biquadratic final polynomials by linear programming."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import lcm

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.refutations.final_polynomial import FinalPolynomial, Step, brackets
from samapprox.proofs.refutations.orientation_clauses import (
    count_relations,
    subset_ranks,
    subsets_of,
)
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.contractions import Contractions, CyclicOrders, Orientations
from samapprox.solvers.orientations.cores import renumber
from samapprox.support.arrays import Floats, Numbers, Signs

_NOTHING = 1e-9  # multipliers below this count as 0
_MOST = 1_000  # largest denominator of the ratio of two multipliers, so that exponents stay small
# Once a polynomial is known, so many elements are left out on trial, one after the other.
_TRIALS = 2


_Arcs = tuple[tuple[int, int], tuple[int, int]]
"""|x(i, k) x(j, l)| > |x(i, l) x(j, k)| in a contraction, for disjoint arcs (i, j) and (k, l)."""


_MOST_RELATIONS = 16_000  # parts grow as long as their linear program has at most so many relations
_PARTS = 2  # parts of each size that are tried


def final_polynomial(
    chi: Orientations, elements: int, rank: int, search: Search
) -> FinalPolynomial | None:
    """Find a product of inequalities that says x > x; None if there is none, or no time.

    The logarithms of the absolute brackets would satisfy one strict linear inequality for each
    relation and smaller term; when none do, Farkas' multipliers are the exponents. Then elements
    that take little part are left out as long as the rest has multipliers, down to
    `least_elements`: a polynomial of fewer elements forbids more. Where the multipliers have no
    small whole ratio, all elements are tried.

    A contraction to rank 2 orders its m elements cyclically, and its inequalities belong to pairs
    of disjoint arcs. One of longer arcs is the sum of those of their parts, so the linear program
    takes the m (m - 3) / 2 pairs of arcs between neighbours instead of all 2 C(m, 4) inequalities.
    Afterwards neighbouring arcs are joined again, which makes fewer steps.

    Bokowski, Richter (1990), "On the finding of final polynomials".
    """
    if elements < rank + 2:
        return None
    program = _Program(chi, elements, rank, Contractions.of(elements, rank).orders(chi))
    weights, polynomial = program.multipliers(search), None
    while weights is not None:
        polynomial = program.polynomial(weights) or polynomial
        trials = program.least_used(weights)
        if len(trials) <= least_elements(rank):
            break
        if polynomial is not None:
            del trials[_TRIALS:]
        weights = None
        for element in trials:
            if search.out_of_time:
                break
            fewer = program.without(element)
            weights = fewer.multipliers(search)
            if weights is not None:
                program = fewer
                break
    return polynomial


def least_elements(rank: int) -> int:
    """Return the least number of elements whose orientations may be consistent without vectors.

    Uniform oriented matroids of rank 3 have vectors up to 8 elements, of rank 4 up to 7; the dual
    of one on n elements has rank n - r, and one on r + 2 elements always has vectors.

    Goodman, Pollack (1980); Bokowski, Richter-Gebert (1990), "On the classification of non-
    realizable oriented matroids".
    """
    return {3: 9, 4: 8, 5: 9}.get(rank, rank + 3)


@dataclass(frozen=True, slots=True, eq=False)
class _Program:
    """One inequality for each contraction and pair of disjoint arcs between neighbours.

    Floats have one row for each contraction, one column for each pair of arcs.
    """

    chi: Orientations
    elements: int
    rank: int
    orders: CyclicOrders

    def without(self, element: int) -> _Program:
        """Return the program of the inequalities of all elements but one."""
        return replace(self, orders=self.orders.without(element))

    @property
    def arcs(self) -> Numbers:
        """The pairs of arcs, as places (i, j, k, l) in the orders."""
        return _list_pairs_of_arcs(self.orders.elements.shape[1])

    def multipliers(self, search: Search) -> Floats | None:
        """Find exponents of least sum with which the inequalities cancel: few at a vertex."""
        from scipy.optimize import linprog
        from scipy.sparse import csc_array

        i, j, k, m = self.arcs.T
        variables = self.orders.brackets[:, [i, j, i, j], [k, m, m, k]].swapaxes(1, 2)
        shape = variables.shape[:2]
        count = shape[0] * shape[1]
        if count == 0:
            return None
        # Place 0, which belongs to no variable, is the sum of all exponents.
        rows = np.column_stack([variables.reshape(count, 4), np.zeros(count, dtype=np.int32)])
        powers = np.tile([1.0, 1.0, -1.0, -1.0, 1.0], count)
        starts = np.arange(0, rows.size + 1, 5)
        sums = np.zeros(len(self.chi))
        sums[0] = 1.0
        result = linprog(
            1.0 + np.random.RandomState(0).random_sample(count),
            A_eq=csc_array((powers, rows.ravel(), starts), shape=(len(sums), count)),
            b_eq=sums,
            bounds=(0, None),
            method="highs-ds",
            options={"time_limit": min(1e6, max(0.01, search.remaining))},
        )
        return np.reshape(result.x, shape) if result.status == 0 else None

    def least_used(self, weights: Floats) -> list[int]:
        """Return the elements of the program, those that take least part first."""
        names = self.orders.elements[:, self.arcs]
        share = np.bincount(names.ravel(), weights.repeat(4), self.elements)
        fixed, of_contraction = self.orders.fixed, weights.sum(axis=1)
        share += np.bincount(
            fixed.ravel(), of_contraction.repeat(fixed.shape[1]), minlength=self.elements
        )
        present = np.unique(names)
        least: list[int] = present[np.argsort(share[present], kind="stable")].tolist()
        return least

    def polynomial(self, weights: Floats) -> FinalPolynomial | None:
        """Return the same in whole numbers; None where rounding spoils them."""
        contractions, pairs = np.nonzero(weights > _NOTHING)
        powers: dict[int, dict[_Arcs, int]] = defaultdict(dict)
        places = zip(contractions.tolist(), self.arcs[pairs].tolist(), strict=True)
        multipliers = _find_integers(weights[contractions, pairs])
        for (contraction, (i, j, k, m)), power in zip(places, multipliers, strict=True):
            powers[contraction][(i, j), (k, m)] = power
        steps = [
            self._step(contraction, arcs, power)
            for contraction, unjoined in powers.items()
            for arcs, power in _join(unjoined).items()
        ]
        used = {
            variable
            for step in steps
            for term in brackets(step.fixed, step.four)
            for variable in term
        }
        signs = [variable if self.chi[variable] > 0 else -variable for variable in sorted(used)]
        polynomial = FinalPolynomial(signs, steps)
        return polynomial if polynomial.find_fault(self.elements, self.rank) is None else None

    def _step(self, contraction: int, arcs: _Arcs, power: int) -> Step:
        """Return an inequality as a step, whose terms are numbered by the order of elements."""
        four = self.orders.elements[contraction, [*arcs[0], *arcs[1]]].tolist()
        ascending = sorted(four)
        # The least of i, j, k, l shares a bracket with the one two places on, or with its mirror.
        least = four.index(ascending[0])
        larger, smaller = (ascending.index(four[at]) - 1 for at in (least ^ 2, 3 - least))
        fixed = self.orders.fixed[contraction].tolist()
        return Step(power, larger, smaller, fixed, ascending)


@lru_cache(maxsize=32)
def _list_pairs_of_arcs(size: int) -> Numbers:
    """Return all pairs of disjoint arcs between neighbours of a cyclic order, one a row."""
    starts = [(i, k) for i, k in combinations(range(size), 2) if k - i not in (1, size - 1)]
    return np.array([(i, i + 1, k, (k + 1) % size) for i, k in starts]).reshape(-1, 4)


def _join(powers: dict[_Arcs, int]) -> dict[_Arcs, int]:
    """Replace inequalities of neighbouring arcs by those of longer arcs, as often as possible."""
    waiting = list(powers)
    while waiting:
        one = waiting.pop()
        for other in list(powers):
            power = min(powers[one], powers[other])
            if (
                power
                and (both := _add_inequalities(one, other) or _add_inequalities(other, one))
                is not None
            ):
                powers[one] -= power
                powers[other] -= power
                powers[both] = powers.get(both, 0) + power
                waiting += [other, both]
    return {arcs: power for arcs, power in powers.items() if power}


def _add_inequalities(left: _Arcs, right: _Arcs) -> _Arcs | None:
    """Return the sum of two inequalities if they share an arc and the other two are neighbours."""
    for at, of in product((0, 1), repeat=2):
        (start, end), (following, last) = left[1 - at], right[1 - of]
        if left[at] == right[of] and end == following:
            first, second = sorted((left[at], (start, last)))
            return first, second
    return None


def _find_integers(multipliers: Floats) -> list[int]:
    """Find whole numbers in the same proportion, if small ones exist."""
    ratios = [Fraction(float(x)).limit_denominator(_MOST) for x in multipliers / multipliers.min()]
    scale = lcm(*(ratio.denominator for ratio in ratios))
    return [int(ratio * scale) for ratio in ratios]


# ---------------------------------------------------------------- few elements


def final_polynomial_of_part(
    orientations: Signs,
    doubtful: NDArray[np.float64],
    rank: int,
    rng: np.random.RandomState,
    search: Search,
) -> FinalPolynomial | None:
    """Find a final polynomial of few elements; None if there is none, or no time.

    A polynomial of few elements forbids more, and its linear program is smaller: 252 inequalities
    for 8 elements of rank 4 instead of 900 for 10. Parts grow until one has a polynomial, as far as
    16,000 relations.
    """
    for part in _choose_parts(doubtful, rank, rng):
        if search.out_of_time:
            break
        subsets = subsets_of(len(part), rank)
        variables = np.empty(len(subsets), dtype=np.int64)
        variables[subset_ranks(subsets)] = 1 + subset_ranks(part[subsets])
        chi = np.append(np.int8(0), orientations[variables - 1])
        found = final_polynomial(chi, len(part), rank, search)
        if found is not None:
            return renumber(found, part, rank)
    return None


def _choose_parts(
    doubtful: NDArray[np.float64], rank: int, rng: np.random.RandomState
) -> Iterator[NDArray[np.int64]]:
    """Yield sets of elements, ascending, from the least size on, the doubtful ones first."""
    count = len(doubtful)
    size = min(least_elements(rank), count)
    while size <= count and count_relations(size, rank) <= _MOST_RELATIONS:
        for noise in np.arange(_PARTS if size < count else 1):
            scores = doubtful + noise * rng.random_sample(count) * doubtful.max(initial=1.0)
            yield np.sort(np.argsort(-scores, kind="stable")[:size])
        size += 1
