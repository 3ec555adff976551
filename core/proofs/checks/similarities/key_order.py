"""The check of an order of the keys around a circle or along a line."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.kinds.similarities.key_order import KeyOrder
from samapprox.storage.packed import block_height
from samapprox.storage.sparse import SparseMatrix

__all__ = ["find_fault"]

Runs = tuple[int, NDArray[np.bool_], NDArray[np.int64]]
"""Of a block of rows: the first one, which rows divide a point, and each one's runs of ones."""


def find_fault(problem: Problem, proof: KeyOrder) -> str | None:
    r"""Return the reason why the order does not represent the pattern in d, or None.

    Parameters
    ----------
    problem : Problem
    proof : KeyOrder

    Notes
    -----
    O(k log k + m + n) time for a sparse pattern of k ones, O(m n) else, in blocks of rows.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("1100\n0110\n1001")
    >>> find_fault(Problem(pattern, 2, similarity="cosine"), KeyOrder("circle", range(4))) is None
    True
    >>> find_fault(Problem(pattern, 1, similarity="l2"), KeyOrder("line", range(4)))
    'row 2 has 2 runs of ones along the line'
    """
    if proof.curve == "line" and "line" not in problem.similarity.curves:
        return f"intervals of a line do not prove YES for {problem}"
    columns = problem.pattern.shape[1]
    if len(proof.places) != columns:
        return f"it has {len(proof.places)} places for {columns} columns"
    if proof.dimension > problem.d:
        return f"its keys have dimension {proof.dimension}, more than d = {problem.d}"
    points = proof.points
    count = _count_sparse_runs if _is_sparse(problem.pattern) else _count_runs
    for start, divided, runs in count(problem.pattern, points, proof.curve == "circle"):
        if divided.any():
            row = problem.pattern.row_label(start + int(divided.argmax()))
            return f"{row} has both a one and a zero at one place"
        if (runs > 1).any():
            worst = int(runs.argmax())
            row = problem.pattern.row_label(start + worst)
            along = "around the circle" if proof.curve == "circle" else "along the line"
            return f"{row} has {runs[worst]} runs of ones {along}"
    return None


def _is_sparse(pattern: Pattern) -> bool:
    return isinstance(pattern.ones, SparseMatrix)


def _count_sparse_runs(
    pattern: Pattern, points: NDArray[np.int64], circular: bool
) -> Iterator[Runs]:
    """Count from the ones alone: distinct points less those whose successor holds ones, too."""
    assert isinstance(pattern.ones, SparseMatrix)
    sizes = np.bincount(points)
    total = len(sizes)
    for start, stop, rows, columns in pattern.ones.blocks_of_ones():
        height = stop - start
        keys, held = np.unique(rows * total + points[columns], return_counts=True)
        row, point = np.divmod(keys, total)
        divided = np.zeros(height, dtype=np.bool_)
        divided[row[held < sizes[point]]] = True
        followed = keys[1:] == keys[:-1] + 1
        followed &= row[1:] == row[:-1]
        runs = np.bincount(row, minlength=height) - np.bincount(row[1:][followed], minlength=height)
        if circular:
            first, last = (
                np.bincount(row[point == end], minlength=height) for end in (0, total - 1)
            )
            runs = runs - first * last
        yield start, divided, runs


def _count_runs(pattern: Pattern, points: NDArray[np.int64], circular: bool) -> Iterator[Runs]:
    """Count from entries written out, block by block; runs continue over points of * alone."""
    order = np.argsort(points, kind="stable")
    starts = np.flatnonzero(np.diff(points[order], prepend=-1))
    step = block_height(8 * len(points))
    for start in range(0, pattern.shape[0], step):
        entries = pattern.block(start, start + step)[:, order]
        ones, zeros = (np.logical_or.reduceat(entries == value, starts, axis=1) for value in (1, 0))
        divided: NDArray[np.bool_] = np.any(ones & zeros, axis=1)
        if not circular:  # beyond the ends of the line, all is zero
            ones = np.pad(ones, ((0, 0), (1, 0)))
            zeros = np.pad(zeros, ((0, 0), (1, 0)), constant_values=True)
        yield start, divided, _count_rises(ones, zeros)


def _count_rises(ones: NDArray[np.bool_], zeros: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count the points of ones whose last specified point before, around the circle, is a zero."""
    ones, zeros = (np.concatenate([part, part], axis=1) for part in (ones, zeros))
    columns = np.arange(ones.shape[1])
    last_one, last_zero = (
        np.maximum.accumulate(np.where(part, columns, -1), axis=1)[:, :-1] for part in (ones, zeros)
    )
    rises = ones[:, 1:] & (last_zero > last_one)
    return np.asarray(rises[:, ones.shape[1] // 2 - 1 :].sum(axis=1))
