"""Search by SAT, among all sets of d + 2 columns or d + 1 rows, for one that proves NO."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.refutations.radon import Radon
from samapprox.proofs.refutations.shattering import Shattering
from samapprox.solvers.backends.sat import Sat
from samapprox.solvers.engine.search import Search

__all__ = ["NAME", "applies", "find_proof"]

NAME = "radon"

Entries = NDArray[np.int8]

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
    for of in ("columns", "rows"):
        found = _find_shattered(entries if of == "columns" else entries.T, problem.d, of, search)
        if found is None:
            return "no time left"
        if found:
            chosen, others = found
            return Radon(others, chosen) if of == "columns" else Shattering(chosen, others)
    search.exhausted.add(NAME)
    return "no set of columns or rows is split in every way"


def _find_shattered(
    matrix: Entries, d: int, of: Side, search: Search
) -> tuple[list[int], list[int]] | tuple[()] | None:
    """Find columns of the matrix and a row for each kind; () if there are none.

    A split of columns counts whichever part has the ones; of rows every kind of columns is needed.
    """
    size = d + 2 if of == "columns" else d + 1
    turned = [0, 1] if of == "columns" else [0]
    kinds = range(1, 1 << (d + 1)) if of == "columns" else range(1 << size)
    lines, count = matrix.shape
    if lines < len(kinds) or count < size:
        return ()
    place = np.arange(count * size).reshape(count, size) + 1
    shows = np.arange(len(kinds) * lines * len(turned)) + place[-1, -1] + 1
    shows = shows.reshape(len(kinds), lines, len(turned))
    with Sat(search) as sat:
        for at in range(size):
            sat.add([place[:, at].tolist()])
            sat.add([[-int(a), -int(b)] for a, b in combinations(place[:, at], 2)])
        for at in range(size - 1):  # in ascending order
            sat.add(
                [-int(place[j, at]), -int(place[i, at + 1])]
                for j in range(count)
                for i in range(j + 1)
            )
        for number, kind in enumerate(kinds):
            sat.add([shows[number].ravel().tolist()])
            bits = kind >> np.arange(size) & 1
            for turn in turned:
                wrong = (matrix[:, :, None] != (bits ^ turn)) | (matrix == UNSPECIFIED)[:, :, None]
                line, column, position = np.nonzero(wrong)
                pairs = [-shows[number, line, turn], -place[column, position]]
                sat.add(np.column_stack(pairs).tolist())
        answer = sat.solve()
        if answer is None:
            return None
        if not answer:
            return ()
        true = np.array(sorted(sat.true))
    chosen = np.flatnonzero(np.isin(place, true).any(axis=1)).tolist()
    others = [int(np.argmax(np.isin(kind, true).any(axis=1))) for kind in shows]
    return chosen, sorted(others)
