"""Orientations that satisfy all clauses, refuted by biquadratic final polynomials."""

from __future__ import annotations

from fractions import Fraction
from math import comb, lcm

import numpy as np
from numpy.typing import NDArray

from samapprox.checker import Proof
from samapprox.chirotope import (
    Relations,
    circuit_clauses,
    relation_clauses,
    sign_matrix,
    three_term_relations,
)
from samapprox.final_polynomial import TERM_SIGNS, FinalPolynomial, Step
from samapprox.obstruction import Side
from samapprox.problem import Problem
from samapprox.solvers.cores import Core, count_relations, minimal
from samapprox.solvers.sat import Sat
from samapprox.solvers.search import Search

__all__ = ["NAME", "applies", "find_proof", "first_turn"]

NAME = "polynomials"

_MOST_RELATIONS = 6_000
_NOTHING = 1e-9  # multipliers below are none
_MOST = 1_000  # denominator in a ratio of two multipliers
_MOST_POLYNOMIALS = 60
_TIDYING = 5.0  # seconds for making a refuted core minimal


def applies(problem: Problem) -> str | None:
    """Why this strategy has nothing to say about the problem; None when it applies."""
    if problem.d < 2:
        return "on a line every orientation is realizable"
    return None


def first_turn(problem: Problem) -> float:
    """Seconds that are worth a try: a few linear programs; soon if there is but one orientation."""
    rows, columns = problem.pattern.shape
    # As many lines as cells: the pattern tells every orientation, and one program decides.
    full = [1 + rows == _cells(columns, problem.d), columns == 2 * _cells(rows + 1, problem.d)]
    return max(0.06 if any(full) else 0.5, 3e-5 * rows * columns)


def _cells(vectors: int, d: int) -> int:
    """Sign vectors, up to sign, of halfspaces on vectors in general position in R^(d+1)."""
    return sum(comb(vectors - 1, i) for i in range(d + 1))


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
    relations = count_relations(elements, rank)
    if elements < rank + 2 or relations > _MOST_RELATIONS:
        search.exhausted.add(NAME)
        return f"{elements} elements of rank {rank} have {relations} relations"
    found: list[FinalPolynomial] = []
    every = three_term_relations(elements, rank)
    with Sat(search) as sat:
        sat.add([[1]])
        sat.add(circuit_clauses(signs, rank).tolist())
        sat.add(relation_clauses(elements, rank).tolist())
        while len(found) < _MOST_POLYNOMIALS:
            answer = sat.satisfied()
            if answer is None:
                break
            if not answer:
                rows, columns = (list(range(size)) for size in entries.shape)
                core = Core(problem.d, entries, side, rows, columns, polynomials=tuple(found))
                proven = minimal(core, search.extended(_TIDYING))
                return "no time left" if proven is None else proven.proof()
            polynomial = _final_polynomial(every, sat.true, comb(elements, rank), search)
            if polynomial is None:
                break
            sat.add([list(polynomial.clause)])
            found.append(polynomial)
    if search.out_of_time:
        return f"no time left after {len(found)} final polynomials"
    search.exhausted.add(NAME)
    return "it met orientations without a final polynomial"


def _final_polynomial(
    relations: Relations, true: frozenset[int], variables: int, search: Search
) -> FinalPolynomial | None:
    """A product of inequalities that says x > x, by linear programming; None if there is none."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, vstack

    chi = np.full(variables + 1, -1, dtype=np.int64)
    chi[list(true)] = 1
    terms = relations.variables.reshape(-1, 3, 2)
    values = chi[terms].prod(axis=2) * TERM_SIGNS
    # Of three signs, not all equal, the one that stands alone differs from their sum's.
    larger = np.argmax(values != np.sign(values.sum(axis=1))[:, None], axis=1)
    number = np.repeat(np.arange(len(terms)), 2)
    larger = np.repeat(larger, 2)
    smaller = (larger + np.tile([1, 2], len(terms))) % 3
    steps = np.arange(len(number))
    pairs = np.column_stack([terms[number, larger], terms[number, smaller]]) - 1
    powers = np.tile([1, 1, -1, -1], len(steps))
    matrix = csr_array((powers, (np.repeat(steps, 4), pairs.ravel())), (len(steps), variables))
    # Multipliers, least in sum, whose inequalities cancel: at a vertex they are few.
    result = linprog(
        1.0 + np.random.RandomState(0).random_sample(len(steps)),
        A_eq=vstack([matrix.T, np.ones((1, len(steps)))]),
        b_eq=np.append(np.zeros(variables), 1.0),
        bounds=(0, None),
        method="highs-ds",
        options={"time_limit": min(1e6, max(0.01, search.remaining))},
    )
    if result.status != 0:
        return None
    support = np.flatnonzero(result.x > _NOTHING)
    multipliers = _whole(result.x[support])
    if (matrix[support].toarray().T @ multipliers).any():
        return None
    used = np.unique(terms[number[support]])
    return FinalPolynomial(
        np.where(chi[used] > 0, used, -used).tolist(),
        [
            Step(
                power,
                int(larger[at]),
                int(smaller[at]),
                relations.fixed[number[at]].tolist(),
                relations.fours[number[at]].tolist(),
            )
            for at, power in zip(support.tolist(), multipliers.tolist(), strict=True)
        ],
    )


def _whole(multipliers: NDArray[np.float64]) -> NDArray[np.object_]:
    """Whole numbers in the same proportion, as far as that is one of small numbers."""
    ratios = [Fraction(float(x)).limit_denominator(_MOST) for x in multipliers / multipliers.min()]
    scale = lcm(*(ratio.denominator for ratio in ratios))
    return np.array([int(ratio * scale) for ratio in ratios], dtype=object)
