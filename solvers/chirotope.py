"""SAT on the orientations of few elements, chosen so that a refutation is likely."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.checker import Proof
from samapprox.obstruction import Side
from samapprox.problem import Problem
from samapprox.solvers.cores import Core, grown, minimal
from samapprox.solvers.search import Search

__all__ = ["NAME", "applies", "find_proof", "first_turn"]

NAME = "chirotope"

Entries = NDArray[np.int8]

_MOST_RANK = 10
_MOST_CLAUSES = 400_000
_TIDYING = 5.0  # seconds for making a refuted core minimal


def applies(problem: Problem) -> str | None:
    """Why this strategy has nothing to say about the problem; None when it applies."""
    if problem.d + 1 > _MOST_RANK:
        return f"rank {problem.d + 1} has too many clauses"
    return None


def first_turn(problem: Problem) -> float:
    """Seconds that are worth a try: some ten elements, after a numeric search had its chance."""
    rows, columns = problem.pattern.shape
    return max(0.015, 1.5e-5 * rows * columns)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Refute a core by SAT, circuits first, then with the Grassmann-Pluecker relations.

    Parameters
    ----------
    problem : Problem
    search : Search
        `violations` tell where to look first.

    Returns
    -------
    Proof or str
        A `Chirotope` on a core from which no row and no column can go, or why there is none.

    Notes
    -----
    C(N, d + 2) (min(m, 2^d)) clauses for N elements, the smaller side of the pattern or of a part
    of it that has many kinds of covectors on few elements.

    Examples
    --------
    >>> from samapprox.reductions.families import generate
    >>> pattern = generate("all-subsets", n=5, k=2).pattern
    >>> find_proof(Problem(pattern, 2), Search()).elements
    'columns'
    """
    entries = problem.pattern.to_array()
    fitting, whole = 0, False
    for side, rows, columns in _parts(entries, problem.d + 1, search):
        whole = whole or (len(rows), len(columns)) == entries.shape
        core = grown(Core(problem.d, entries, side, rows, columns), search)
        core = core and minimal(core, search.extended(_TIDYING))
        if core is not None:
            return core.proof()
        if search.out_of_time:
            return "no time left"
        fitting += 1
    if whole:
        search.exhausted.add(NAME)
        return "all of it has fitting orientations"
    return f"{fitting} parts have fitting orientations"


# ---------------------------------------------------------------- choosing parts


def _parts(entries: Entries, rank: int, search: Search) -> list[tuple[Side, list[int], list[int]]]:
    """Parts to try: small sets of elements of either side with many covectors, hard ones first."""
    rows, columns = entries.shape
    rng = np.random.RandomState(search.seed % (1 << 32))
    sizes = {
        side: _affordable(rank, others) for side, others in (("columns", rows), ("rows", columns))
    }
    cores: list[tuple[Side, list[int], list[int]]] = []
    order: list[Side] = ["columns", "rows"] if columns <= rows + 1 else ["rows", "columns"]
    for side in order:
        own = columns if side == "columns" else rows
        if own <= sizes[side]:
            cores.append((side, list(range(rows)), list(range(columns))))
    if cores:
        return cores[:1]
    hot = _violated(entries.shape, search)
    for attempt in range(8):
        for side in order:
            matrix = entries if side == "columns" else entries.T
            size = min(matrix.shape[1], sizes[side], rank + 4 + 2 * attempt)
            weights = hot[1] if side == "columns" else hot[0]
            chosen = sorted(_telling(matrix, size, weights, rng))
            everything = list(range(matrix.shape[0]))
            cores.append(
                (side, everything, chosen) if side == "columns" else (side, chosen, everything)
            )
    return cores


def _affordable(rank: int, covectors: int) -> int:
    """So many elements give a number of clauses that a solver takes in a moment."""
    size = rank + 1
    kinds = min(covectors + 1, 1 << rank)
    while 2 * kinds * comb(size + 1, rank + 1) <= _MOST_CLAUSES // 10 and size < 40:
        size += 1
    return size


def _violated(shape: tuple[int, int], search: Search) -> tuple[NDArray[np.float64], ...]:
    """How often each row and each column stood in an entry that a search could not satisfy."""
    counts = tuple(np.zeros(size) for size in shape)
    for places in search.violations[-50:]:
        for axis in (0, 1):
            np.add.at(counts[axis], places[:, axis], 1.0 / max(1, len(places)))
    return counts


def _telling(
    matrix: Entries, size: int, weights: NDArray[np.float64], rng: np.random.RandomState
) -> list[int]:
    """Columns on which the rows show many kinds, the violated ones preferred."""
    scores = weights / max(1e-9, float(weights.max(initial=0))) + rng.random_sample(len(weights))
    pool = np.argsort(-scores)[: max(size, 40)].tolist()
    chosen = [pool.pop(0)]
    codes = np.zeros(len(matrix), dtype=np.int64)
    base = matrix[:, chosen[0]]
    while len(chosen) < size and pool:
        options = [2 * codes + (matrix[:, j] != base) for j in pool]
        counts = [len(np.unique(option)) for option in options]
        best = int(np.argmax(np.array(counts) + 1e-3 * scores[pool]))
        codes = np.unique(options[best], return_inverse=True)[1].reshape(-1)
        chosen.append(pool.pop(best))
    return chosen
