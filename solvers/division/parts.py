"""The parts into which the ones of a pattern fall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.storage.coordinates import coordinates
from samapprox.storage.sparse import SparseMatrix

__all__ = ["Parts", "find_components", "is_joined_twice"]

Indices = NDArray[np.int64]

_SAMPLE = 512
"""Columns, evenly spaced, among which two sets that join all rows are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Each row and each of its ones in a part.

    Attributes
    ----------
    count : int
    part_of_row : ndarray of int64, shape (m,)
    parts, columns : ndarray of int64, shape (pairs,)
        Which parts have which columns: ascending by part, then by column.
    rows, pairs : ndarray of int64, shape (ones,)
        For each 1 of the pattern, row-major, its row and the pair of its part and column.
    """

    count: int
    part_of_row: Indices
    parts: Indices
    columns: Indices
    rows: Indices
    pairs: Indices

    @classmethod
    def of(cls, count: int, part_of_row: Indices, rows: Indices, columns: Indices) -> Parts:
        """The parts of given rows, which have the columns of their ones.

        Parameters
        ----------
        count : int
        part_of_row : ndarray of int64, shape (m,)
        rows, columns : ndarray of int64, shape (ones,)
            Of the ones.

        Examples
        --------
        >>> parts = Parts.of(2, np.array([0, 1]), np.array([0, 0, 1]), np.array([0, 1, 1]))
        >>> parts.parts.tolist(), parts.columns.tolist(), parts.pairs.tolist()
        ([0, 0, 1], [0, 1, 1], [0, 1, 2])
        """
        width = int(columns.max(initial=0)) + 1
        keys, pairs = np.unique(part_of_row[rows] * width + columns, return_inverse=True)
        return cls(count, part_of_row, keys // width, keys % width, rows, pairs.reshape(-1))


def find_components(pattern: Pattern) -> Parts:
    r"""The connected components of a pattern's graph of ones: row i and column j are joined by a 1.

    Parameters
    ----------
    pattern : Pattern

    Notes
    -----
    O(ones log ones), whatever the storage.

    Examples
    --------
    >>> parts = find_components(Pattern.from_text("1100\n0001\n0100"))
    >>> parts.count, parts.part_of_row.tolist(), parts.columns.tolist()
    (2, [0, 1, 0], [0, 1, 3])
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = coordinates(pattern.ones)
    height, width = pattern.shape
    size = height + width
    joined = np.ones(len(rows), dtype=np.int8)
    graph = csr_array((joined, (rows, height + columns)), shape=(size, size))
    _, labels = connected_components(graph, directed=False)
    _, part_of_row = np.unique(labels[:height], return_inverse=True)
    part_of_row = part_of_row.astype(np.int64)
    return Parts.of(int(part_of_row.max()) + 1, part_of_row, rows, columns)


def is_joined_twice(pattern: Pattern) -> bool:
    r"""Whether two disjoint sets of columns, each connected by ones, were found to hold all rows.

    Such a pattern is one component without cut columns: a column that is removed leaves one of the
    sets whole, and every other column has a 1 in some row. False says nothing.

    Parameters
    ----------
    pattern : Pattern
        Every column has a 1, but for at most one.

    Notes
    -----
    O(m) for each of at most 512 columns; sparse patterns, which are quickly searched, are left out.

    Examples
    --------
    >>> is_joined_twice(Pattern.from_text("1101\n0111\n1110"))
    True
    >>> is_joined_twice(Pattern.from_text("1100\n0110\n0011"))
    False
    """
    if isinstance(pattern.ones, SparseMatrix):
        return False
    height, width = pattern.shape
    sample = np.unique(np.linspace(0, width - 1, min(width, _SAMPLE)).astype(np.int64))
    columns = pattern.ones.take(np.arange(height), sample).transposed().dense()
    return all(_joins_all_rows(columns[start::2]) for start in (0, 1))


def _joins_all_rows(columns: NDArray[np.bool_]) -> bool:
    """Whether columns that hang together, taken one after the other, hold all rows."""
    if not len(columns):
        return False
    reached = columns[0].copy()
    for column in columns:
        if (reached & column).any():
            reached |= column
        if reached.all():
            return True
    return False
