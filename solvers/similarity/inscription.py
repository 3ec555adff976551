"""The strategy `inscription`: edges of the hull of the keys that no sphere circumscribes.

By Rivin's theorem, a polytope is inscribed in a sphere if and only if its edges have weights that
satisfy some strict inequalities. The weights are the unknowns of a linear program that maximizes
the slack of all these conditions. If there is no slack, the dual solution is the refutation. Cuts
are added as long as the weights violate one.

Rivin (1996), "A characterization of ideal polyhedra in hyperbolic 3-space", Annals of Mathematics
143.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.checker import check
from samapprox.proofs.similarities.inscription import Inscription
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Floats, flags_at

NAME = "inscription"

# Larger cores are skipped: their linear program would have over a thousand unknowns.
_MOST_COLUMNS = 48
# Larger patterns are left out: all entries are read once for each column that is dropped.
_MOST_ENTRIES = 1 << 18

Edge = tuple[int, int]
Multipliers = tuple[list[int], list[list[int]]]
"""Multipliers of the vertices; the multiplier of each cut, then 0 or 1 for each vertex."""

_MOST_ENUMERATED = 16  # up to so many vertices, all cuts of a polytope are listed

# A core is given up after so many rounds of cuts, each of which solves a linear program.
_MOST_ROUNDS = 60
# Multipliers are rounded to fractions with denominators up to this; the check decides which
# rounding is right.
_MOST_DENOMINATOR = 120
_SLACK = 1e-9  # numbers of the linear program below this count as 0
# Cuts that are added in a round: more of them mean fewer rounds with larger programs.
_CUTS_A_ROUND = 8

Sides = NDArray[np.bool_]


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


# ---------------------------------------------------------------- multipliers


def find_multipliers(
    edges: set[Edge], count: int, out_of_time: Callable[[], bool] = lambda: False
) -> Iterator[Multipliers]:
    """Find integers that refute all weights of the edges of a polytope.

    A linear program in count^2/2 unknowns at most for each round of cuts. Up to 16 vertices, all
    cuts are considered; beyond, only those that grow from an edge vertex by vertex.
    """
    complete = len(edges) == 3 * count - 6
    pairs = sorted(edges) if complete else list(combinations(range(count), 2))
    known = np.array([pair in edges for pair in pairs])
    ends = np.array(pairs)
    cuts: list[Sides] = []
    for _ in range(_MOST_ROUNDS):
        if out_of_time():
            return
        solved = _solve(ends, known, cuts, count)
        if solved is None:
            return
        slack, weights, vertices, multipliers = solved
        if slack <= _SLACK:
            yield from _round_multipliers(vertices, multipliers, cuts)
            return
        violated = _find_cuts(ends, weights, count, 1 + slack)
        if not violated:
            return
        cuts += violated


def _solve(
    ends: NDArray[np.int64], known: Sides, cuts: list[Sides], count: int
) -> tuple[float, Floats, Floats, Floats] | None:
    """Return the greatest slack, weights that attain it, and the multipliers that prove it."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, eye_array, hstack, vstack

    size = len(ends)
    both = np.arange(size)
    at_vertices = csr_array(
        (np.ones(2 * size), (ends.T.ravel(), np.concatenate([both, both]))), shape=(count, size)
    )
    crossing = [side[ends[:, 0]] != side[ends[:, 1]] for side in cuts]
    identity = eye_array(size, format="csr")
    blocks = [-identity[np.flatnonzero(known)], identity]
    if crossing:
        blocks.append(csr_array(-np.array(crossing, dtype=np.float64)))
    below = vstack(blocks, format="csr")
    bounds = np.concatenate([np.zeros(known.sum()), np.full(size, 0.5), -np.ones(len(cuts))])
    found = linprog(
        np.concatenate([np.zeros(size), [-1.0]]),
        A_ub=hstack([below, csr_array(np.ones((below.shape[0], 1)))]),
        b_ub=bounds,
        A_eq=hstack([at_vertices, csr_array((count, 1))]),
        b_eq=np.ones(count),
        bounds=[*[(0, None)] * size, (None, None)],
        method="highs",
    )
    if found.status != 0:
        return None
    multipliers = -found.ineqlin.marginals[len(bounds) - len(cuts) :]
    return float(found.x[-1]), found.x[:-1], found.eqlin.marginals, multipliers


def _round_multipliers(
    vertices: Floats, multipliers: Floats, cuts: list[Sides]
) -> Iterator[Multipliers]:
    """Yield integers near multiples of the multipliers, relative to the least and to one."""
    sizes = np.abs(np.concatenate([vertices, multipliers]))
    if not (sizes > _SLACK).any():
        return
    for scale in (sizes[sizes > _SLACK].min(), 1.0):
        for denominator in range(1, _MOST_DENOMINATOR + 1):
            factor = denominator / scale
            rounded = np.rint(factor * np.concatenate([vertices, multipliers])).astype(np.int64)
            if np.abs(rounded - factor * np.concatenate([vertices, multipliers])).max() > 0.05:
                continue
            chosen = rounded[len(vertices) :].tolist()
            yield (
                rounded[: len(vertices)].tolist(),
                [
                    [multiplier, *map(int, side)]
                    for multiplier, side in zip(chosen, cuts, strict=True)
                    if multiplier > 0
                ],
            )


def _find_cuts(ends: NDArray[np.int64], weights: Floats, count: int, least: float) -> list[Sides]:
    """Return some of the cuts whose weights sum to less than required, the worst ones first."""
    sides = np.array(list(_list_sides(ends, weights, count)), dtype=np.bool_)
    if not len(sides):
        return []
    sums = (sides[:, ends[:, 0]] != sides[:, ends[:, 1]]) @ weights
    worst = np.argsort(sums, kind="stable")[:_CUTS_A_ROUND]
    return [sides[place] for place in worst.tolist() if sums[place] < least - _SLACK]


def _list_sides(ends: NDArray[np.int64], weights: Floats, count: int) -> Iterable[Sides]:
    """Return sets of at least two vertices, without at least two others."""
    if count <= _MOST_ENUMERATED:
        numbers = np.arange(1 << (count - 1))  # the last vertex is always on the other side
        sides = (numbers[:, None] >> np.arange(count) & 1).astype(np.bool_)
        held = sides.sum(axis=1)
        return list(sides[(held >= 2) & (held <= count - 2)])
    return _grow_sides(ends, weights, count)


def _grow_sides(ends: NDArray[np.int64], weights: Floats, count: int) -> Iterator[Sides]:
    """Grow sets from each pair of positive weight by the vertex that is joined to it most."""
    matrix = np.zeros((count, count))
    matrix[ends[:, 0], ends[:, 1]] = weights
    matrix += matrix.T
    for pair in ends[weights > _SLACK]:
        side = flags_at(pair, count)
        for _ in range(count - 4):
            yield side.copy()
            joined = np.where(side, -1.0, matrix[side].sum(axis=0))
            side[int(joined.argmax())] = True
        yield side.copy()
