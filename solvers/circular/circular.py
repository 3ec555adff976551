"""The strategy `circular`: keys on a circle, on a line, or at two points."""

from __future__ import annotations

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.similarities.key_order import Curve, KeyOrder
from samapprox.proofs.similarities.odd_cycle import OddCycle
from samapprox.solvers.circular.consecutive import (
    MOST_ONES,
    Conflict,
    cut,
    order_columns,
    sparse_rows,
)
from samapprox.solvers.circular.two_points import find_points
from samapprox.solvers.circular.walks import Walk, find_walk
from samapprox.solvers.engine.search import Search

__all__ = ["NAME", "applies", "find_proof"]

NAME = "circular"


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if not problem.similarity.curves:
        return f"keys on a circle or a line are of no use for the similarity {problem.similarity}"
    if not problem.pattern.is_specified and problem.similarity.curve(problem.d) != "points":
        return "don't-care entries make it an ordering problem beyond this linear-time test"
    if problem.pattern.count > MOST_ONES:
        return f"{problem.pattern.count} ones are more than {MOST_ONES}"
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Decide cosine similarity in d = 1, 2 and Euclidean distance in d = 1; else look for YES.

    O(m + n + ones) steps, up to the cost of union-find, and memory in proportion. For dense
    patterns, 4 bytes for each one. With don't-cares, for cosine similarity in d = 1 alone, O(m n).

    Tucker (1971), "Matrix characterizations of circular-arc graphs", Pacific J. Math. 39; McConnell
    (2004), "A certifying algorithm for the consecutive-ones property", SODA.
    """
    if problem.similarity.curve(problem.d) == "points":
        return find_points(problem.pattern, search)
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
