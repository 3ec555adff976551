"""SAT on the orientations of evenly spaced elements: patterns that repeat along the tokens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.cores import Core, affordable_elements, grow_core
from samapprox.solvers.orientations.minimal_cores import minimal
from samapprox.solvers.refutations.dense_blocks import Incidence, block_of, too_many_ones
from samapprox.support.text import plural

__all__ = ["NAME", "applies", "find_proof", "first_turn"]

NAME = "spaced"

_LARGE = 50_000  # entries from which on small dense blocks come first, for
_LATER = 4.0  # seconds
_MOST_RANK = 8
_CLAUSES_A_SECOND = 200_000  # that are built and solved, roughly
_SIZES = (40_000, 160_000, 700_000)  # clauses of a part; the least is always tried
_CONSTANT = 0.9  # share of ones from which on a column stands for a token that all attend to
_MOST_CONSTANT = 3
_TIDYING = 20.0  # seconds for a refutation, and for making the core minimal


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d + 1 > _MOST_RANK:
        return f"rank {problem.d + 1} leads to too many clauses"
    return too_many_ones(problem.pattern)


def first_turn(problem: Problem) -> float:
    """Return the length of the first turn in seconds: after cores of all kinds."""
    rows, columns = problem.pattern.shape
    return _LATER if rows * columns > _LARGE else min(2.0, max(0.2, 6e-5 * rows * columns))


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Refute a core of every s-th key (or query), for one spacing s after another.

    A mask looks the same all along the tokens, so that close keys are told apart by rows that say
    little else. Spaced keys see a smaller mask of the same kind: every fourth token of STRIDED with
    stride 16 is STRIDED with stride 4. Tokens that all attend to are taken along: no other row
    tells them apart, yet they bind all rows together.
    """
    fitting = 0
    for side, chosen in _parts(problem.pattern, problem.d + 1, search):
        block = block_of(problem.pattern, side, np.array(chosen))
        rows, columns = (list(range(size)) for size in block.entries.shape)
        core = grow_core(Core(problem.d, block.entries, side, rows, columns), search)
        if core is not None:
            core = minimal(core, search.extend(_TIDYING))
        if core is not None:
            return core.proof().place(block.rows, block.columns)
        if search.out_of_time:
            return "no time left"
        fitting += 1
    return f"consistent orientations exist for {plural(fitting, 'part')}"


def _parts(pattern: Pattern, rank: int, search: Search) -> Iterator[tuple[Side, list[int]]]:
    """Yield spaced columns and rows, from anywhere: as many as time allows, then fewer."""
    rng = np.random.RandomState(search.seed % (1 << 32))
    affordable = _CLAUSES_A_SECOND * search.remaining
    constant = _constant(pattern)
    rows, columns = pattern.shape
    sides: list[tuple[Side, int, int, list[int]]] = [
        ("columns", columns, rows + 1, constant),
        ("rows", rows, columns, []),
    ]
    sizes = [size for size in _SIZES if size <= max(affordable, _SIZES[0])]
    for fewer, most in reversed(list(pairwise([0, *sizes]))):
        for spacing in 1 + rng.permutation(max(rows, columns) - 1):
            for side, count, covectors, always in sides:
                pool = np.setdiff1d(np.arange(count), always)
                less, room = (
                    affordable_elements(rank, covectors, size) - max(1, len(always))
                    for size in (fewer, most)
                )
                length = min(room, -(-len(pool) // spacing))
                # What has no more than the next smaller size has its turn there.
                if length < min(rank + 1, len(pool)) or (fewer and length <= less):
                    continue
                first = int(rng.randint(len(pool) - (length - 1) * spacing))
                yield side, [*always, *pool[first + spacing * np.arange(length)].tolist()]


def _constant(pattern: Pattern) -> list[int]:
    """Return columns that nearly all rows have a one in."""
    ones = Incidence.of(pattern).degrees("columns")
    known = pattern.shape[0] - _count_unspecified(pattern)
    return [int(at) for at in np.flatnonzero(ones > _CONSTANT * known)[:_MOST_CONSTANT]]


def _count_unspecified(pattern: Pattern) -> NDArray[np.int64]:
    """Return the number of don't-cares in every column."""
    counts = np.zeros(pattern.shape[1], dtype=np.int64)
    if pattern.unspecified is not None:
        for _, block in pattern.unspecified.blocks():
            counts += block.sum(axis=0)
    return counts
