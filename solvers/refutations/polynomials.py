"""Orientations that satisfy all clauses, refuted by biquadratic final polynomials."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.refutations.final_polynomial import FinalPolynomial
from samapprox.proofs.refutations.orientation_clauses import (
    circuit_clauses,
)
from samapprox.solvers.engine.backends import Sat, list_clauses
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.biquadratic import final_polynomial
from samapprox.solvers.orientations.cores import Core, most_elements
from samapprox.solvers.orientations.minimal_cores import minimal
from samapprox.solvers.orientations.on_demand import OnDemand
from samapprox.solvers.refutations.dense_blocks import on_excerpt

NAME = "polynomials"

_MOST_ENTRIES = 1_000_000  # larger patterns are not looked at as a whole
# Relations of a part, which determine the size of the linear program.
_MOST_RELATIONS = 16_000
_MOST_POLYNOMIALS = 60  # the search gives up after so many final polynomials
# Seconds of a turn, at least, since a linear program that is broken off is lost.
_LEAST_SECONDS = 0.25
_TIDYING = 5.0  # seconds beyond the turn for making a refuted core minimal


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    return None


@on_excerpt(_MOST_ENTRIES)
def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Find orientations by SAT, refute them by linear programming, learn the clause, repeat.

    On all rows (or columns), or on those that a numeric search could not satisfy.

    For each final polynomial an LP of C(N, d + 1) numbers and C(N, d - 1) m (m - 3) / 2
    inequalities, for N elements and m = N - d + 1.

    Bokowski, Richter (1990), "On the finding of final polynomials".
    """
    search = search.extend(max(_LEAST_SECONDS, search.remaining))
    entries = problem.pattern.to_array()
    rank = problem.d + 1
    side: Side = "columns" if entries.shape[1] <= entries.shape[0] + 1 else "rows"
    everything = list(range(entries.shape[1 if side == "columns" else 0]))
    part = _choose_part(everything, side, rank, search, entries.shape)
    if len(part) + (side == "rows") < rank + 2:
        search.exhausted.add(NAME)
        return f"{len(everything)} {side} have no relations in rank {rank}"
    core = _refute(problem.d, entries, side, part, search)
    if isinstance(core, str):
        if part == everything and not search.out_of_time:
            search.exhausted.add(NAME)
        return core
    proven = minimal(core, search.extend(_TIDYING))
    return "no time left" if proven is None else proven.proof()


def _choose_part(
    everything: list[int], side: Side, rank: int, search: Search, shape: tuple[int, ...]
) -> list[int]:
    """Choose all rows (columns), or as many as the relations allow, the violated ones first."""
    most = most_elements(rank, _MOST_RELATIONS) - (side == "rows")
    if most >= len(everything):
        return everything
    rng = np.random.RandomState(search.seed)
    weights = search.count_violations(shape)[1 if side == "columns" else 0]
    weights = weights / max(1e-9, float(weights.max(initial=0)))
    scores = weights + 0.3 * rng.random_sample(len(weights))
    return sorted(np.argsort(-scores)[:most].tolist())


def _refute(
    d: int, entries: NDArray[np.int8], side: Side, part: list[int], search: Search
) -> Core | str:
    """Refute the core of some rows or columns by final polynomials, or say why that fails."""
    core = Core.of(d, entries, side, part if side == "columns" else [1 + row for row in part])
    rank, elements = d + 1, core.signs.shape[1]
    found: list[FinalPolynomial] = []
    with Sat(search) as sat:
        sat.add([[1]])
        sat.add(list_clauses([circuit_clauses(core.signs, rank)], search))
        solver = OnDemand(sat, elements, rank, search)
        while len(found) < _MOST_POLYNOMIALS:
            chi = solver.solve()
            if chi is None:
                break
            if chi is False:
                return replace(core, polynomials=tuple(found))
            polynomial = final_polynomial(chi, elements, rank, search)
            if polynomial is None:
                break
            sat.add([list(polynomial.clause)])
            found.append(polynomial)
    if search.out_of_time:
        return f"no time left after {len(found)} final polynomials"
    if len(found) == _MOST_POLYNOMIALS:
        return f"{len(found)} final polynomials left consistent orientations"
    return f"it found orientations of {elements} elements without a final polynomial"
