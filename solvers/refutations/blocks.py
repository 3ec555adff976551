"""SAT on the orientations of small dense blocks: large and sparse patterns."""

from __future__ import annotations

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.solvers.engine.search import Search, shared_tokens
from samapprox.solvers.orientations.cores import affordable_elements
from samapprox.solvers.orientations.minimal_cores import minimal
from samapprox.solvers.refutations.dense_blocks import dense_blocks, too_many_ones
from samapprox.solvers.refutations.hard_part import choose_core

NAME = "blocks"

_LEAST_ENTRIES = 5_000  # smaller patterns are refuted as a whole
_MOST_RANK = 10  # larger ranks lead to too many clauses
_KINDS = 30  # kinds of covectors of a block, as a guess before it is known
# Clauses of a block's circuits, which determine its number of elements; small blocks come first.
_CLAUSES = (30_000, 120_000, 600_000)
# Steps of each start at first, and the factor by which they grow to make sure: fewer than in
# `hard-part`, so that more blocks are tried.
_STEPS, _LONGER = 400, 5
_REFUTING = 10.0  # seconds beyond the turn for a refutation, and for making it minimal


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d + 1 > _MOST_RANK:
        return f"rank {problem.d + 1} leads to too many clauses"
    if problem.pattern.size < _LEAST_ENTRIES:
        return "small patterns are refuted as a whole"
    return shared_tokens(problem) or too_many_ones(problem.pattern)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Refute a block of few elements, such as neighbouring tokens, that resists an embedding.

    A numeric search tries each block before SAT does: most are embedded in milliseconds. Of one
    that is not, elements are left out as in `hard-part`, and the last ones that resist go to SAT:
    circuits, then Grassmann-Pluecker relations as they are violated. Nothing grows with the size of
    the pattern but the choice of blocks, linear in the ones: see
    `samapprox.solvers.refutations.dense_blocks`.
    """
    rng = np.random.RandomState(search.seed)
    rank = problem.d + 1
    sides: tuple[Side, ...] = ("columns", "rows")
    sizes = [affordable_elements(rank, _KINDS, clauses) for clauses in _CLAUSES]
    choices = [
        dense_blocks(problem.pattern, side, size, search) for size in sizes for side in sides
    ]
    tried = resisting = 0
    while not search.out_of_time:
        block = next(choices[tried % len(choices)])
        tried += 1
        most = block.elements + 1  # the extra query is one more
        pace = _STEPS, _LONGER
        core = choose_core(problem.d, block.entries, block.side, most, rng, search, pace)
        if core is None:
            continue
        resisting += 1
        proven = minimal(core, search.extend(_REFUTING))
        if proven is not None:
            return proven.proof().place(block.rows, block.columns)
    return f"of {tried} blocks, {resisting} resisted embedding, but none was refuted in time"
