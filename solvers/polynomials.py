"""Orientations that satisfy all clauses, refuted by biquadratic final polynomials."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb, lcm

import numpy as np
from numpy.typing import NDArray

from samapprox.checker import Proof
from samapprox.chirotope import circuit_clauses, relation_clauses, sign_matrix, subset_ranks
from samapprox.final_polynomial import PAIRS, TERM_SIGNS, FinalPolynomial, Step
from samapprox.obstruction import Side
from samapprox.problem import Problem
from samapprox.solvers.chirotope import Core, reduced, solve
from samapprox.solvers.search import Search

__all__ = ["NAME", "applies", "find_proof", "first_turn"]

NAME = "polynomials"

Relation = tuple[tuple[int, ...], tuple[int, ...], list[tuple[int, ...]]]

_MOST_RELATIONS = 6_000
_MOST_STEPS = 150  # of a final polynomial whose exponents are made exact
_MOST_POLYNOMIALS = 60


def applies(problem: Problem) -> str | None:
    """Why this strategy has nothing to say about the problem; None when it applies."""
    if problem.d < 2:
        return "on a line every orientation is realizable"
    return None


def first_turn(_problem: Problem) -> float:
    """Seconds that are worth a try: a few linear programs."""
    return 0.5


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Find orientations by SAT, refute them by an LP, learn the clause, again.

    Parameters
    ----------
    problem : Problem
    search : Search

    Returns
    -------
    Proof or str
        A `Chirotope` with final polynomials, or why there is none.

    Notes
    -----
    The logarithms of the absolute brackets would satisfy one strict linear inequality for each
    relation and smaller term; when none do, Farkas' multipliers are the final polynomial. An LP
    of C(N, d + 1) numbers and 2 C(N, d + 3) C(d + 3, 4) inequalities for N elements.

    References
    ----------
    Bokowski, Richter (1990), "On the finding of final polynomials".
    """
    entries = problem.pattern.to_array()
    rank = problem.d + 1
    side: Side = "columns" if entries.shape[1] <= entries.shape[0] + 1 else "rows"
    signs = sign_matrix(entries, side)
    elements = signs.shape[1]
    relations = comb(elements, rank + 2) * comb(rank + 2, 4)
    if elements < rank + 2 or relations > _MOST_RELATIONS:
        search.exhausted.add(NAME)
        return f"{elements} elements of rank {rank} have {relations} relations"
    clauses = circuit_clauses(signs, rank).tolist() + relation_clauses(elements, rank).tolist()
    found: list[FinalPolynomial] = []
    every = _relations(elements, rank)
    while len(found) < _MOST_POLYNOMIALS and not search.out_of_time:
        answer = solve(clauses + [list(p.clause) for p in found], search)
        if answer is None:
            break
        if answer.lemmas is not None:
            rows, columns = (list(range(size)) for size in entries.shape)
            core = Core(problem.d, entries, side, rows, columns, True, answer.lemmas, tuple(found))
            # The elements stay, since the polynomials go by their numbers.
            return reduced(core, search, column=side == "rows").proof()
        polynomial = _final_polynomial(every, answer.true, comb(elements, rank), search)
        if polynomial is None and search.remaining <= 0:
            break
        if polynomial is None:
            search.exhausted.add(NAME)
            return "it met orientations without a final polynomial"
        found.append(polynomial)
    return f"no time left after {len(found)} final polynomials"


def _relations(elements: int, rank: int) -> list[Relation]:
    """Every A with b < c < d < e, and the variables of its three terms."""
    subsets = list(combinations(range(elements), rank))
    ranks = subset_ranks(np.array(subsets)).tolist()
    variable = {subset: 1 + place for subset, place in zip(subsets, ranks, strict=True)}
    found: list[Relation] = []
    for union in combinations(range(elements), rank + 2):
        for four in combinations(union, 4):
            fixed = tuple(element for element in union if element not in four)
            terms = [
                tuple(variable[tuple(sorted((*fixed, *(four[i] for i in places))))] for places in p)
                for p in PAIRS
            ]
            found.append((fixed, four, terms))
    return found


def _final_polynomial(
    relations: list[Relation], true: frozenset[int], variables: int, search: Search
) -> FinalPolynomial | None:
    """A product of inequalities that says x > x, by linear programming; None if there is none."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, vstack

    steps: list[tuple[int, int, int]] = []  # relation, larger and smaller term
    entries: list[tuple[int, int, int]] = []  # step, variable, power
    for number, (_, _, terms) in enumerate(relations):
        values = [
            sign * (1 if first in true else -1) * (1 if second in true else -1)
            for sign, (first, second) in zip(TERM_SIGNS, terms, strict=True)
        ]
        larger = next(t for t in range(3) if values.count(values[t]) == 1)
        for smaller in {0, 1, 2} - {larger}:
            at = len(steps)
            steps.append((number, larger, smaller))
            entries += [(at, variable - 1, 1) for variable in terms[larger]]
            entries += [(at, variable - 1, -1) for variable in terms[smaller]]
    rows, columns, powers = (np.array(part) for part in zip(*entries, strict=True))
    matrix = csr_array((powers, (rows, columns)), shape=(len(steps), variables))
    # Multipliers, least in sum, whose inequalities cancel: at a vertex they are few.
    balance = vstack([matrix.T, np.ones((1, len(steps)))])
    wanted = np.append(np.zeros(variables), 1.0)
    weights = 1.0 + np.random.RandomState(0).random_sample(len(steps))
    result = linprog(
        weights,
        A_eq=balance,
        b_eq=wanted,
        bounds=(0, None),
        method="highs-ds",
        options={"time_limit": min(1e6, max(0.01, search.remaining))},
    )
    if result.status != 0:
        return None
    support = np.flatnonzero(result.x > 1e-9)
    if len(support) > _MOST_STEPS:
        return None
    multipliers = _kernel(matrix[support].toarray().T.astype(np.int64))
    if multipliers is None:
        return None
    chosen, used = [], set[int]()
    for at, power in zip(support.tolist(), multipliers, strict=True):
        number, larger, smaller = steps[at]
        fixed, four, terms = relations[number]
        chosen.append(Step(power, larger, smaller, fixed, four))
        used.update(variable for pair in terms for variable in pair)
    return FinalPolynomial(
        [variable if variable in true else -variable for variable in sorted(used)], chosen
    )


def _kernel(matrix: NDArray[np.int64]) -> list[int] | None:
    """The one positive whole solution x of matrix x = 0, by exact elimination; None if not one."""
    count = matrix.shape[1]
    pivots: dict[int, list[Fraction]] = {}  # pivot column -> reduced row
    for line in np.unique(matrix, axis=0).tolist():
        row = [Fraction(value) for value in line]
        for column, pivot in pivots.items():
            if row[column]:
                factor = row[column]
                row = [a - factor * b for a, b in zip(row, pivot, strict=True)]
        lead = next((column for column, value in enumerate(row) if value), None)
        if lead is None:
            continue
        row = [value / row[lead] for value in row]
        for column, pivot in pivots.items():
            if pivot[lead]:
                factor = pivot[lead]
                pivots[column] = [a - factor * b for a, b in zip(pivot, row, strict=True)]
        pivots[lead] = row
    free = [column for column in range(count) if column not in pivots]
    if len(free) != 1:
        return None
    solution = [Fraction(1)] * count
    for column, pivot in pivots.items():
        solution[column] = -pivot[free[0]]
    if min(solution) <= 0:
        return None
    scale = lcm(*(value.denominator for value in solution))
    return [int(value * scale) for value in solution]
