"""SAT on the orientations of a symmetric pattern, the least of each kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.refutations.orientation_clauses import count_relations, most_clauses
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.automorphisms import find_automorphisms
from samapprox.solvers.orientations.cores import Core
from samapprox.solvers.orientations.least import Breaker, refute_least
from samapprox.solvers.orientations.minimal_cores import minimal

NAME = "symmetric"

_MOST_ELEMENTS = 64  # larger patterns have too many orientations
_MOST_COVECTORS = 400  # the search for automorphisms takes a matrix of the square of their number
_MOST_RELATIONS = 62_000  # all relations go to the solver, so there may be only so many
_RELATIONS_A_SECOND = 30_000  # relations that are built in a second, roughly
_MOST_CIRCUITS = 400_000  # clauses of circuits, at most
_MOST_MAPS = 50_000  # automorphisms that are compared with a model, at most
_LEAST_SECONDS = 0.25  # seconds of a turn, at least, for the automorphisms
_SHARE_OF_IMAGES = 0.25  # share of the time for the images of orientations, at most
_TIDYING = 5.0  # seconds beyond the turn for making a core minimal that is refuted without symmetry


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    rows, columns = problem.pattern.shape
    elements, covectors, rank = min(columns, rows + 1), max(columns, rows + 1), problem.d + 1
    if elements > _MOST_ELEMENTS or covectors > _MOST_COVECTORS:
        return f"{elements} elements and {covectors} covectors are too many for it"
    if count_relations(elements, rank) > _MOST_RELATIONS:
        return f"{elements} elements of rank {rank} have too many relations"
    if most_clauses(elements, covectors, rank, relations=False) > _MOST_CIRCUITS:
        return f"{elements} elements of rank {rank} have too many circuits"
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Refute the orientations of the whole pattern that are least among their images.

    All Grassmann-Pluecker relations take part: C(N, d + 3) C(d + 3, 4) for N elements. Up to 50,000
    automorphisms are compared with every model, and each model that is the least takes a linear
    program.
    """
    core = Core.of(problem.d, problem.pattern.to_array())
    rank, elements = problem.d + 1, core.signs.shape[1]
    if elements < rank + 2:
        search.exhausted.add(NAME)
        return f"{elements} elements of rank {rank} have no relations"
    search = search.extend(max(_LEAST_SECONDS, search.remaining)).half()  # and half for the check
    group = find_automorphisms(core.signs, search)
    if group.order <= 2:  # the identity, and the flip of all elements
        if not search.out_of_time:
            search.exhausted.add(NAME)
        return "the pattern has no symmetries"
    if count_relations(elements, rank) > _RELATIONS_A_SECOND * search.remaining:
        return "no time for its relations"
    maps = group.sample(_MOST_MAPS, np.random.RandomState(search.seed))
    breaker = Breaker(maps, rank, search.slice(_SHARE_OF_IMAGES * search.remaining, 0))
    found = refute_least(core, breaker, search)
    if isinstance(found, str):
        if not search.out_of_time:
            search.exhausted.add(NAME)
        return found
    if found.symmetry is not None:  # the automorphisms are those of the whole core
        return found
    smaller = minimal(replace(core, polynomials=found.polynomials), search.extend(_TIDYING))
    return found if smaller is None else smaller.proof()
