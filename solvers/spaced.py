"""SAT on the orientations of evenly spaced elements: patterns that repeat along the tokens."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.checker import Proof
from samapprox.chirotope import most_clauses
from samapprox.obstruction import Side
from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.solvers.cores import Core, grown, minimal
from samapprox.solvers.search import Search

__all__ = ["NAME", "applies", "find_proof", "first_turn"]

NAME = "spaced"

Entries = NDArray[np.int8]

_MOST_RANK = 8
_CLAUSES_A_SECOND = 200_000  # that are built and solved, roughly
_SIZES = (40_000, 160_000, 700_000)  # clauses of a part, one size after the other
_CONSTANT = 0.9  # share of ones from which on a column stands for a token that all attend to
_MOST_CONSTANT = 3
_TIDYING = 10.0  # seconds for making a refuted core minimal


def applies(problem: Problem) -> str | None:
    """Why this strategy has nothing to say about the problem; None when it applies."""
    if problem.d + 1 > _MOST_RANK:
        return f"rank {problem.d + 1} has too many clauses"
    return None


def first_turn(problem: Problem) -> float:
    """Seconds that are worth a try, after cores of all kinds had their chance."""
    rows, columns = problem.pattern.shape
    return max(0.2, 6e-5 * rows * columns)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Refute a core of every s-th key (or query), for one spacing s after the other.

    Parameters
    ----------
    problem : Problem
    search : Search

    Returns
    -------
    Proof or str
        A `Chirotope` on a core from which no row and no column can go, or why there is none.

    Notes
    -----
    A mask looks the same all along the tokens, so that close keys are told apart by rows that say
    little else. Spaced keys see a smaller mask of the same kind: every fourth token of STRIDED with
    stride 16 is STRIDED with stride 4. Tokens that all attend to are taken along: no other row
    tells them apart, yet they bind all rows together.

    Examples
    --------
    >>> from samapprox.reductions.families import generate
    >>> len(find_proof(Problem(generate("mask", graph="star", n=9).pattern, 2), Search()).columns)
    5
    """
    entries = problem.pattern.to_array()
    fitting = 0
    for side, chosen in _parts(entries, problem.d + 1, search):
        rows, columns = (list(range(size)) for size in entries.shape)
        if side == "columns":
            columns = chosen
        else:
            rows = chosen
        core = grown(Core(problem.d, entries, side, rows, columns), search)
        if core is not None:
            core = minimal(core, search.extended(_TIDYING))
        if core is not None:
            return core.proof()
        if search.out_of_time:
            return "no time left"
        fitting += 1
    return f"{fitting} parts have fitting orientations"


def _parts(entries: Entries, rank: int, search: Search) -> Iterator[tuple[Side, list[int]]]:
    """Spaced columns and rows, from anywhere: few of every spacing first."""
    rng = np.random.RandomState(search.seed % (1 << 32))
    affordable = _CLAUSES_A_SECOND * search.remaining
    constant = _constant(entries)
    rows, columns = entries.shape
    sides: list[tuple[Side, int, int, list[int]]] = [
        ("columns", columns, rows + 1, constant),
        ("rows", rows, columns, []),
    ]
    seen = set()
    for most in _SIZES:
        if most > max(affordable, _SIZES[0]):
            return
        for spacing in 1 + rng.permutation(max(rows, columns) - 1):
            for side, count, covectors, always in sides:
                room = _affordable(rank, covectors, most) - max(1, len(always))
                pool = np.setdiff1d(np.arange(count), always)
                length = min(room, -(-len(pool) // spacing))
                if length < min(rank + 1, len(pool)) or (side, spacing, length) in seen:
                    continue
                seen.add((side, spacing, length))
                first = int(rng.randint(len(pool) - (length - 1) * spacing))
                yield side, [*always, *pool[first + spacing * np.arange(length)].tolist()]


def _constant(entries: Entries) -> list[int]:
    """Columns that nearly all rows have a one in."""
    ones = (entries == 1).sum(axis=0)
    known = (entries != UNSPECIFIED).sum(axis=0)
    return [int(at) for at in np.flatnonzero(ones > _CONSTANT * known)[:_MOST_CONSTANT]]


def _affordable(rank: int, covectors: int, most: int) -> int:
    """So many elements have no more clauses than that."""
    size = rank + 1
    while most_clauses(size + 1, covectors, rank, relations=False) <= most:
        size += 1
    return size
