"""The strategy `inscription`: edges of the hull of the keys that no sphere circumscribes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.checks import check
from samapprox.proofs.kinds.similarities.inscription import Inscription
from samapprox.solvers.circular.inscribed import Edge, find_multipliers
from samapprox.solvers.engine.search import Search

__all__ = ["NAME", "applies", "find_proof"]

NAME = "inscription"

_MOST_COLUMNS = 48
_MOST_ENTRIES = 1 << 18


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    most = problem.similarity.sphere_dimension
    if most is None:
        return "Rivin's theorem is about keys on a sphere alone"
    if problem.d > most:
        return f"Rivin's theorem is about points of a sphere in space, d = {most}"
    rows, columns = problem.pattern.shape
    if columns < 5 or rows < 9:  # polytopes with four vertices are inscribable
        return f"{rows} x {columns} entries are too few for a polytope that is not inscribable"
    if rows * columns > _MOST_ENTRIES:
        return f"{rows} x {columns} entries are more than {_MOST_ENTRIES}"
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Find columns and rows that are edges of their hull, and multipliers that refute them.

    Columns that lie in few edges are dropped one by one, which makes pairs of larger rows. After
    each, a linear program in at most n^2/2 unknowns decides.

    Rivin (1996), "A characterization of ideal polyhedra in hyperbolic 3-space", Annals of
    Mathematics 143.
    """
    entries, most = problem.pattern.to_array(), problem.similarity.sphere_dimension
    assert most is not None
    for columns in _list_cores(entries):
        edges = _find_edges(entries, columns)
        core = sorted(edges.values()), columns.tolist()
        for multipliers in find_multipliers(set(edges), len(columns), lambda: search.out_of_time):
            proof = Inscription(most, *core, *multipliers)
            if check(problem, proof) is None:
                return proof
        if search.out_of_time:
            return "no time left"
    return "the pairs of keys that rows single out may be edges of a polytope in a sphere"


def _list_cores(entries: NDArray[np.int8]) -> Iterator[NDArray[np.int64]]:
    """Yield ever fewer columns, without those that lie in the fewest edges."""
    columns = np.arange(entries.shape[1])
    while len(columns) >= 5:
        degrees = np.zeros(len(columns), dtype=np.int64)
        for edge in _find_edges(entries, columns):
            degrees[list(edge)] += 1
        if degrees.min() >= 2 and degrees.max() >= 3 and len(columns) <= _MOST_COLUMNS:
            yield columns
        columns = np.delete(columns, int(degrees.argmin()))


def _find_edges(entries: NDArray[np.int8], columns: NDArray[np.int64]) -> dict[Edge, int]:
    """Return the pairs of columns that rows single out, by ones or zeros, each with its row."""
    part = entries[:, columns]
    specified = (part >= 0).all(axis=1)
    edges: dict[Edge, int] = {}
    by_ones = specified & ((part == 1).sum(axis=1) == 2)
    by_zeros = specified & ~by_ones & ((part == 0).sum(axis=1) == 2)
    for value, chosen in ((1, by_ones), (0, by_zeros)):
        rows = np.flatnonzero(chosen)
        pairs = np.nonzero(part[rows] == value)[1].reshape(-1, 2)
        for (a, b), row in zip(pairs.tolist(), rows.tolist(), strict=True):
            edges.setdefault((a, b), row)
    return edges
