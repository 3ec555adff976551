"""Coordinates of the ones of a 0/1 matrix, in any storage, and columns among others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.storage.packed import PackedMatrix
from samapprox.storage.sparse import SparseMatrix

__all__ = ["coordinates", "is_among"]


def coordinates(matrix: PackedMatrix | SparseMatrix) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    r"""Return rows and columns of all 1 entries, row-major.

    Parameters
    ----------
    matrix : PackedMatrix or SparseMatrix

    Returns
    -------
    rows, columns : ndarray of int64, shape (ones,)

    Examples
    --------
    >>> from samapprox import Pattern
    >>> [indices.tolist() for indices in coordinates(Pattern.from_text("01\n11").ones)]
    [[0, 1, 1], [1, 0, 1]]
    """
    counts = matrix.row_counts
    columns = np.empty(int(counts.sum()), dtype=np.int64)
    filled = 0
    for indices in matrix.indices():
        columns[filled : filled + len(indices)] = indices
        filled += len(indices)
    return np.repeat(np.arange(len(counts)), counts), columns


def is_among(columns: NDArray[np.int64], ascending: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the columns that are among some ascending ones, by binary search.

    Parameters
    ----------
    columns, ascending : ndarray of int64

    Examples
    --------
    >>> is_among(np.array([3, 0, 5]), np.array([1, 3]))
    array([ True, False, False])
    """
    found = np.searchsorted(ascending, columns)
    inside = found < len(ascending)
    inside[inside] = ascending[found[inside]] == columns[inside]
    return inside
