"""The check of a refutation by Rivin's theorem: an integer combination of its conditions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.kinds.similarities.inscription import Inscription

__all__ = ["find_fault"]


_MOST_SUMS = 1 << 22
"""Pairs of vertices times cuts that are added up: some seconds."""

Edge = tuple[int, int]


def find_fault(problem: Problem, proof: Inscription) -> str | None:
    r"""Return the reason why the hull of the keys is not refuted, or None.

    Parameters
    ----------
    problem : Problem
    proof : Inscription

    Notes
    -----
    For n vertices and c cuts, O(n^2 c) additions of Python integers.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> edges = "01 02 03 04 05 06 12 13 14 15 17 23 24 26 27 35 36 37".split()
    >>> rows = [[int(str(j) in edge) for j in range(8)] for edge in edges]
    >>> problem = Problem(Pattern.from_array(rows), 3, similarity="cosine")
    >>> proof = Inscription(3, range(18), range(8), [-1] * 4 + [1] * 4)
    >>> find_fault(problem, proof) is None
    True
    >>> find_fault(problem, Inscription(3, range(18), range(8), [0] * 8))
    'the multipliers do not contradict each other'
    """
    most = problem.similarity.sphere_dimension
    if most is None or proof.d > most:
        return f"Rivin's theorem excludes d = {most} for {problem}, not d = {proof.d}"
    edges = _read_edges(problem, proof)
    if isinstance(edges, str):
        return edges
    count = len(proof.columns)
    if fault := _find_fault_of_degrees(edges, count):
        return fault
    if fault := _find_fault_of_cuts(proof, count):
        return fault
    complete = len(edges) == 3 * count - 6
    pairs = sorted(edges) if complete else list(combinations(range(count), 2))
    if len(pairs) * (1 + len(proof.cuts)) > _MOST_SUMS:
        return f"it is too large to check: {len(pairs)} pairs of vertices, {len(proof.cuts)} cuts"
    sums = _add_up(proof, pairs)
    multipliers = proof.cuts[:, 0].tolist()
    constant = sum(proof.vertices.tolist()) + sum(multipliers)
    strict = bool(multipliers) or any(
        total > 0 or (total < 0 and pair in edges) for pair, total in sums.items()
    )
    if not strict or sum(max(total, 0) for total in sums.values()) > 2 * constant:
        return "the multipliers do not contradict each other"
    return None


def _read_edges(problem: Problem, proof: Inscription) -> set[Edge] | str:
    """Return the pairs of columns that the rows single out, or what is wrong with the core."""
    if len(proof.vertices) != len(proof.columns):
        return f"it has {len(proof.vertices)} multipliers for {len(proof.columns)} columns"
    entries = problem.pattern.submatrix(proof.rows, proof.columns)
    if (entries == UNSPECIFIED).any():
        return "it reads a don't-care entry"
    edges: set[Edge] = set()
    for row, line in zip(proof.rows, entries, strict=True):
        pair = np.flatnonzero(line == 1)
        if len(pair) != 2:
            pair = np.flatnonzero(line == 0)
        if len(pair) != 2:
            return f"{problem.pattern.row_label(row)} does not single out two columns of the core"
        edges.add((int(pair[0]), int(pair[1])))
    return edges


def _find_fault_of_degrees(edges: set[Edge], columns: int) -> str | None:
    """Check that the keys are pairwise different, and do not lie in one plane."""
    degrees = np.zeros(columns, dtype=np.int64)
    for edge in edges:
        degrees[list(edge)] += 1
    if (few := np.flatnonzero(degrees < 2)).size:
        return f"column {few[0]} of the core lies in fewer than two edges"
    if degrees.max(initial=0) < 3:
        return "no column of the core lies in three edges"
    return None


def _find_fault_of_cuts(proof: Inscription, count: int) -> str | None:
    """Check that each cut has a positive multiplier and two vertices on each side."""
    if proof.cuts.shape[1] != 1 + count:
        return f"each cut must be {1 + count} numbers, not {proof.cuts.shape[1]}"
    sides: NDArray[np.int64] = proof.cuts[:, 1:]
    if (wrong := np.flatnonzero(proof.cuts[:, 0] <= 0)).size:
        return f"the multiplier of cut {wrong[0]} is not positive"
    if (wrong := np.flatnonzero(((sides != 0) & (sides != 1)).any(axis=1))).size:
        return f"cut {wrong[0]} does not assign 0 or 1 to each vertex"
    held = (sides == 1).sum(axis=1)
    if (wrong := np.flatnonzero((held < 2) | (held > count - 2))).size:
        return f"cut {wrong[0]} has fewer than two vertices on one side"
    return None


def _add_up(proof: Inscription, pairs: list[Edge]) -> dict[Edge, int]:
    """Return the coefficient of each pair's weight in the combination."""
    vertices, multipliers = proof.vertices.tolist(), proof.cuts[:, 0].tolist()
    sides = proof.cuts[:, 1:].T.tolist()  # of each vertex, in each cut
    return {
        (a, b): vertices[a]
        + vertices[b]
        + sum(
            multiplier
            for multiplier, side, other in zip(multipliers, sides[a], sides[b], strict=True)
            if side != other
        )
        for a, b in pairs
    }
