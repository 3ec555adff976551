"""SAT on the orientations of small dense blocks: large and sparse patterns."""

from __future__ import annotations

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.solvers.embeddings.projections import Approach
from samapprox.solvers.engine.search import Search, shared_tokens
from samapprox.solvers.orientations.cores import Core, affordable_elements
from samapprox.solvers.orientations.minimal_cores import minimal
from samapprox.solvers.refutations.dense_blocks import Block, dense_blocks, too_many_ones

__all__ = ["NAME", "applies", "find_proof"]

NAME = "blocks"

_LEAST_ENTRIES = 5_000  # smaller patterns are refuted as a whole
_MOST_RANK = 10  # larger ranks lead to too many clauses
_KINDS = 30  # kinds of covectors of a block, as a guess before it is known
# Clauses of a block's circuits, which determine its number of elements; small blocks come first.
_CLAUSES = (30_000, 120_000, 600_000)
# Steps of the first numeric search on a block, and multiples of them for its parts and for the
# last search.
_STEPS, _LONGER, _LONGEST = 400, 5, 50
_STARTS = 4  # starts of each numeric search
_CHOOSING = 2.0  # seconds for the elements of a block that resists, or what is left of the turn
_REFUTING = 10.0  # seconds beyond the turn for a refutation, and for making it minimal


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d < 2:
        return "d = 1 is decided by other strategies"
    if problem.d + 1 > _MOST_RANK:
        return f"rank {problem.d + 1} leads to too many clauses"
    rows, columns = problem.pattern.shape
    if rows * columns < _LEAST_ENTRIES:
        return "small patterns are refuted as a whole"
    return shared_tokens(problem) or too_many_ones(problem.pattern)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Refute a block of few elements, such as neighbouring tokens, that resists an embedding.

    A numeric search tries each block before SAT does: most are embedded in milliseconds, and so are
    fewer elements of one that is not. The fewest elements that resist, with one more, go to SAT:
    circuits, then Grassmann-Pluecker relations as they are violated. Nothing grows with the size of
    the pattern but the choice of blocks, linear in the ones: see
    `samapprox.solvers.refutations.dense_blocks`.
    """
    rng = np.random.RandomState(search.seed % (1 << 32))
    rank = problem.d + 1
    sides: tuple[Side, ...] = ("columns", "rows")
    sizes = [affordable_elements(rank, _KINDS, clauses) for clauses in _CLAUSES]
    choices = [
        dense_blocks(problem.pattern, side, size, search) for size in sizes for side in sides
    ]
    tried = resisting = 0
    while not search.out_of_time:
        block = _find_resisting(next(choices[tried % len(choices)]), rank, rng, search)
        tried += 1
        if block is None:
            continue
        resisting += 1
        core = _refute(block, problem.d, search)
        if core is not None:
            return core.proof().place(block.rows, block.columns)
    return f"of {tried} blocks, {resisting} resisted embedding, but none was refuted in time"


def _find_resisting(
    block: Block, rank: int, rng: np.random.RandomState, search: Search
) -> Block | None:
    """Find the block on few elements that no numeric search embeds; None if all is embedded."""
    if _embeds(block, rank, _STEPS, rng, search) or search.out_of_time:
        return None
    search = search.extend(max(_CHOOSING, search.remaining))
    # The first elements overlap most: of these, low are embedded and high are not.
    low, high = rank, block.elements
    while high - low > 1 and not search.out_of_time:
        middle = (low + high) // 2
        if _embeds(block.keep(range(middle)), rank, _LONGER * _STEPS, rng, search):
            low = middle
        else:
            high = middle
    block = block.keep(range(high))
    for element in reversed(range(high)):
        fewer = block.keep([other for other in range(block.elements) if other != element])
        if not _embeds(fewer, rank, _LONGER * _STEPS, rng, search):
            block = fewer
    if search.out_of_time or _embeds(block, rank, _LONGEST * _STEPS, rng, search):
        return None
    return block


def _embeds(
    block: Block, rank: int, steps: int, rng: np.random.RandomState, search: Search
) -> bool:
    """Return whether so many steps of a numeric search represent the block."""
    if block.elements < rank + (2 if block.side == "columns" else 1):
        return True
    signs = sign_matrix(block.entries, "columns").astype(np.float64)
    return any(Approach(signs, rank, rng).go(steps, search) for _ in range(_STARTS))


def _refute(block: Block, d: int, search: Search) -> Core | None:
    """Refute a core of the block; None if its orientations are consistent or time is up."""
    return minimal(Core.of(d, block.entries, block.side, relations=True), search.extend(_REFUTING))
