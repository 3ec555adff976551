"""Rows as sparse sets of columns, and where a circle is cut."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.storage.sparse import SparseMatrix

__all__ = ["MOST_ONES", "cut", "indices_of", "sparse_rows"]

MOST_ONES = 1 << 26
"""Ones that are written out as indices: a quarter of a gigabyte, and twice that after a cut."""


def sparse_rows(pattern: Pattern) -> SparseMatrix:
    """Return the ones of a pattern as sparse rows."""
    if isinstance(pattern.ones, SparseMatrix):
        return pattern.ones
    starts = np.concatenate(([0], np.cumsum(pattern.row_ones)))
    blocks = [block.astype(np.int32) for block in pattern.ones.indices()]
    return SparseMatrix(starts, np.concatenate(blocks), pattern.shape[1])


def indices_of(rows: SparseMatrix) -> NDArray[np.int32]:
    """Return the columns of all ones, row after row."""
    return np.concatenate([block.astype(np.int32, copy=False) for block in rows.indices()])


def cut(rows: SparseMatrix) -> tuple[int, SparseMatrix]:
    """Cut the circle at a column: complement the rows that hold it."""
    counts = rows.column_counts(np.ones(rows.shape[0], dtype=np.bool_))
    column = int(counts.argmin())
    if not counts[column]:
        return column, rows
    return column, rows.complement_rows(rows.entries(np.arange(rows.shape[0]), column))
