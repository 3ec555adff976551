"""Search by SAT, among all sets of d + 2 columns or d + 1 rows, for one that proves NO."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.solvers.engine.backends import Sat
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.counting import build_proof, splits

__all__ = ["NAME", "applies", "find_proof"]

NAME = "radon"

Signs = NDArray[np.int8]

_MOST_CLAUSES = 500_000  # larger formulas are not built
_MOST_DIMENSIONS = 16  # in more dimensions there are too many splits


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    rows, columns = problem.pattern.shape
    if problem.d > _MOST_DIMENSIONS:
        return f"there are too many ways to split {problem.d + 2} columns"
    kinds = 1 << (problem.d + 1)
    if rows < kinds - 1 and columns < kinds:
        return f"{rows} rows cannot make {kinds - 1} splits, nor {columns} columns {kinds}"
    if kinds * rows * columns * (problem.d + 2) > _MOST_CLAUSES:
        return f"{rows} x {columns} entries have too many sets of rows and columns"
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Find d + 2 columns split in every way, or d + 1 rows with columns of all kinds.

    At most 2^(d+1) m n (d + 2) clauses of two literals, beside few others. Whenever such a set
    exists, it is found, unlike by `counting`, which grows single sets.
    """
    entries = problem.pattern.to_array()
    sides: tuple[Side, ...] = ("columns", "rows")
    for side in sides:
        signs = sign_matrix(entries, side)
        chosen = _find_shattered(signs, problem.d + 2, side, search)
        if chosen is None:
            return "no time left"
        if chosen:
            return build_proof(signs, chosen, problem.d, side)
    search.exhausted.add(NAME)
    return "no set of columns or rows is split in every way"


def _find_shattered(signs: Signs, size: int, side: Side, search: Search) -> list[int] | None:
    """Find elements that are split in every way; none if there are none, None if time is up.

    A covector splits columns whichever part has the ones. Among rows is the extra query, whose sign
    is always +, so that a covector has to agree as it is.
    """
    kinds, turns = list(splits(size)), [1]
    if side == "columns":
        del kinds[0]  # the extra query makes this split, and no other
        signs, turns = signs[1:], [1, -1]
    covectors, count = signs.shape
    if covectors < len(kinds) or count < size:
        return []
    place = np.arange(count * size).reshape(count, size) + 1
    shows = np.arange(len(kinds) * covectors * len(turns)) + place[-1, -1] + 1
    shows = shows.reshape(len(kinds), covectors, len(turns))
    with Sat(search) as sat:
        if side == "rows":
            sat.add([[int(place[0, 0])]])
        for at in range(size):
            sat.add([place[:, at].tolist()])
            sat.add([[-int(a), -int(b)] for a, b in combinations(place[:, at], 2)])
        for at in range(size - 1):  # in ascending order
            sat.add(
                [-int(place[j, at]), -int(place[i, at + 1])]
                for j in range(count)
                for i in range(j + 1)
            )
        for kind, shown in zip(kinds, shows, strict=True):
            sat.add([shown.ravel().tolist()])
            for turn, of_turn in zip(turns, shown.T, strict=True):
                wrong = signs[:, :, None] != np.array(kind) * turn
                covector, element, position = np.nonzero(wrong)
                pairs = [-of_turn[covector], -place[element, position]]
                sat.add(np.column_stack(pairs).tolist())
        answer = sat.solve()
        if answer is None:
            return None
        true = sorted(sat.true) if answer else []
    return np.flatnonzero(np.isin(place, true).any(axis=1)).tolist()
