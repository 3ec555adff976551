"""Orientations that satisfy all clauses: points for them, or final polynomials against them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.refutations.final_polynomial import FinalPolynomial
from samapprox.proofs.refutations.orientation_clauses import (
    circuit_clauses,
    count_relations,
    relation_clauses,
    subset_ranks,
    subsets_of,
)
from samapprox.solvers.engine.backends import Sat, list_clauses, one_blas_thread
from samapprox.solvers.engine.search import Search, too_large, too_slow
from samapprox.solvers.orientations.biquadratic import final_polynomial_of_part
from samapprox.solvers.orientations.contractions import read_orientations
from samapprox.solvers.orientations.cores import Core
from samapprox.solvers.orientations.minimal_cores import minimal
from samapprox.solvers.orientations.realize import approach, embedding, signs_of_determinants
from samapprox.support.arrays import Signs
from samapprox.support.text import plural

NAME = "candidates"


_MOST_ENTRIES = 20_000  # larger patterns are left to strategies that look at parts
_MOST_RELATIONS = 65_000  # all relations go to the solver at once, so there may be only so many
_RELATIONS_A_SECOND = 20_000  # relations that are built and solved in a second, measured
# Patience with a search for vectors: at first, and after no final polynomial was found.
_QUICK, _LONG = 1.5, 60.0
_TIDYING = 5.0  # seconds beyond the turn for making a refuted core minimal


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if (reason := too_large(problem, _MOST_ENTRIES)) is not None:
        return reason
    if _count_relations(problem) > _MOST_RELATIONS:
        return f"it takes at most {_MOST_RELATIONS} Grassmann-Pluecker relations"
    return None


def _count_relations(problem: Problem) -> int:
    rows, columns = problem.pattern.shape
    return count_relations(min(columns, rows + 1), problem.d + 1)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Find orientations by SAT, realize them or refute them; once refuted, exclude them and repeat.

    For each candidate some hundred steps of a numeric search, then linear programs of few elements:
    milliseconds each for 8 elements of rank 4.
    """
    reason = too_slow(_count_relations(problem) / _RELATIONS_A_SECOND, search)
    if reason is not None:
        return reason
    core = Core.of(problem.d, problem.pattern.to_array())
    if core.signs.shape[1] <= problem.d + 1:
        search.exhausted.add(NAME)
        return f"{plural(core.signs.shape[1], 'element')} have no circuits in rank {problem.d + 1}"
    with one_blas_thread():
        return _decide(problem, core, search)


def _decide(problem: Problem, core: Core, search: Search) -> Proof | str:
    """Settle one candidate after the other."""
    rank, elements = problem.d + 1, core.signs.shape[1]
    rng = np.random.RandomState(search.seed)
    refuted: list[FinalPolynomial] = []
    unsettled = 0
    with Sat(search) as sat:
        sat.add([[1]])
        sat.add(list_clauses([circuit_clauses(core.signs, rank)], search))
        if elements >= rank + 2:
            sat.add(list_clauses([relation_clauses(elements, rank)], search))
        while (answer := sat.solve()) is True:
            orientations = read_orientations(sat.true, elements, rank)[1:]
            settled = _settle(problem, core, orientations, rng, search)
            if isinstance(settled, Embedding):
                return settled
            if settled is not None:
                refuted.append(settled)
                sat.add([list(settled.clause)])
            elif not search.out_of_time:
                unsettled += 1
                sat.add([(-orientations * np.arange(1, len(orientations) + 1)).tolist()])
    if answer is False and not unsettled:
        proven = minimal(replace(core, polynomials=tuple(refuted)), search.extend(_TIDYING))
        return "no time left for the refutation" if proven is None else proven.proof()
    if search.out_of_time:
        return f"no time left after {plural(len(refuted), 'final polynomial')}"
    return f"{plural(unsettled, 'candidate')} without points and without a final polynomial"


def _settle(
    problem: Problem,
    core: Core,
    orientations: Signs,
    rng: np.random.RandomState,
    search: Search,
) -> Embedding | FinalPolynomial | None:
    """Find points with these orientations, or a reason why there are none, or nothing."""
    rank = problem.d + 1
    found = approach(orientations, core.signs, rank, rng, _QUICK, search)
    proof = embedding(problem.pattern, core.side, found, search)
    if proof is not None:
        return proof
    doubtful = _count_wrong(orientations, signs_of_determinants(found.vectors), found.vectors.shape)
    polynomial = final_polynomial_of_part(orientations, doubtful, rank, rng, search)
    if polynomial is not None:
        return polynomial
    found = approach(orientations, core.signs, rank, rng, _LONG, search)
    return embedding(problem.pattern, core.side, found, search)


def _count_wrong(wanted: Signs, reached: Signs, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Count how often each element occurs in subsets that have the wrong orientation."""
    elements, rank = shape
    wrong = wanted != reached
    if 2 * wrong.sum() > len(wrong):  # a reflection turns all of them round
        wrong = ~wrong
    subsets = subsets_of(elements, rank)
    places = subsets[wrong[subset_ranks(subsets)]]
    return np.bincount(places.ravel(), minlength=elements).astype(np.float64)
