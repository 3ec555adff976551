"""The strategy `circular`: keys on a circle, on a line, or at two points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.refutations.radon import Radon
from samapprox.proofs.similarities.extended import Extended
from samapprox.proofs.similarities.key_order import Curve, KeyOrder
from samapprox.proofs.similarities.odd_cycle import OddCycle
from samapprox.solvers.circular.consecutive import (
    MOST_ONES,
    Conflict,
    cut,
    order_columns,
    sparse_rows,
)
from samapprox.solvers.circular.walks import Walk, find_walk
from samapprox.solvers.engine.search import Search

__all__ = ["NAME", "applies", "find_proof"]

NAME = "circular"


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if not problem.similarity.curves:
        return f"keys on a circle or a line are of no use for the similarity {problem.similarity}"
    if not problem.pattern.is_specified:
        return "don't-care entries make it an ordering problem beyond this linear-time test"
    if problem.pattern.count > MOST_ONES:
        return f"{problem.pattern.count} ones are more than {MOST_ONES}"
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Decide cosine similarity in d = 1, 2 and Euclidean distance in d = 1; else look for YES.

    O(m + n + ones) steps, up to the cost of union-find, and memory in proportion. For dense
    patterns, 4 bytes for each one.

    Tucker (1971), "Matrix characterizations of circular-arc graphs", Pacific J. Math. 39; McConnell
    (2004), "A certifying algorithm for the consecutive-ones property", SODA.
    """
    if problem.similarity.curve(problem.d) == "points":
        return _use_two_points(problem.pattern)
    curve: Curve = "line" if problem.similarity.curve(problem.d) == "line" else "circle"
    rows, cut_at = sparse_rows(problem.pattern), []
    if curve == "circle":
        column, rows = cut(rows)
        cut_at = [column]
    found = order_columns(rows, lambda: search.out_of_time)
    if found is None:
        return "no time left"
    if not isinstance(found, Conflict):
        return KeyOrder(curve, np.argsort(found))
    if problem.d > len(problem.similarity.curves):
        return "no circular order keeps the ones of each row together, which proves nothing here"
    walk = find_walk(rows, found)
    if walk is None:
        return "no orders that contradict each other were found"
    return _refute(curve, walk, cut_at)


def _refute(curve: Curve, walk: Walk, cut_at: list[int]) -> OddCycle:
    """Number the rows and columns of a walk; those where the circle is cut come first."""
    columns, places = np.unique(walk[:, :2], return_inverse=True)
    rows, lines = np.unique(walk[:, 2], return_inverse=True)
    numbered = np.column_stack([places.reshape(-1, 2) + len(cut_at), lines.reshape(-1)])
    return OddCycle(curve, rows.tolist(), [*cut_at, *columns.tolist()], numbered)


def _use_two_points(pattern: Pattern) -> KeyOrder | Extended:
    """Put equal columns at one of two points; refute three different columns."""
    _, first, place = np.unique(_hash_columns(pattern), return_index=True, return_inverse=True)
    if len(first) <= 2:
        return KeyOrder("circle", place.reshape(-1))
    columns = first[:3]
    entries = pattern.ones.entries(np.arange(pattern.shape[0])[:, None], columns[None, :])
    rows = {int((entries[:, a] != entries[:, b]).argmax()) for a, b in ((0, 1), (0, 2), (1, 2))}
    # Each of the three is singled out by a further row.
    singles = range(len(rows), len(rows) + 3)
    return Extended("cosine", sorted(rows), columns.tolist(), Radon(singles, range(3)))


def _hash_columns(pattern: Pattern) -> NDArray[np.uint64]:
    """Return a sum of random numbers for each column: equal for equal columns.

    Different columns with the same sum, one in 2^64 pairs, would fail the check of the proof.
    """
    rows = sparse_rows(pattern)
    numbers = np.random.default_rng(0).integers(1 << 32, size=(2, pattern.shape[0]))
    sums = np.zeros((2, pattern.shape[1]))
    for start, _, lines, columns in rows.blocks_of_ones():
        for part, random in zip(sums, numbers, strict=True):
            part += np.bincount(columns, random[start + lines], minlength=len(part)) % (1 << 32)
    low, high = (part.astype(np.uint64) & np.uint64(0xFFFFFFFF) for part in sums)
    return np.asarray(low | high << np.uint64(32))
