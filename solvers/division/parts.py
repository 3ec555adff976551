"""The parts into which the ones of a pattern fall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.storage import block_height
from samapprox.storage.matrices import coordinates
from samapprox.support.arrays import Indices, flags_at, places_of

_FEW_ONES = 20_000
"""The ones of the largest graphs that numpy alone searches."""

_MOST_STEPS = 1 << 28
"""Entries looked at to find borders among don't-cares; of larger patterns all parts are joined."""

_LONGEST_CHAIN = 16
"""Steps in which all rows of a dense pattern must be reached; more would take longer than a list of
its ones."""

_SAMPLE = 512
"""Columns, evenly spaced, among which two sets that join all rows are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A partition of the rows and their ones into parts.

    Attributes
    ----------
    count : int
        The number of parts.
    part_of_row : ndarray of int64, shape (m,)
        The part of each row.
    parts, columns : ndarray of int64, shape (pairs,)
        The pairs of parts and columns: ascending by part, then by column.
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
        """Return the parts of given rows, which have the columns of their ones.

        Parameters
        ----------
        count : int
            The number of parts.
        part_of_row : ndarray of int64, shape (m,)
            The part of each row.
        rows, columns : ndarray of int64, shape (ones,)
            The coordinates of the ones.

        Examples
        --------
        >>> parts = Parts.of(2, np.array([0, 1]), np.array([0, 0, 1]), np.array([0, 1, 1]))
        >>> parts.parts.tolist(), parts.columns.tolist(), parts.pairs.tolist()
        ([0, 0, 1], [0, 1, 1], [0, 1, 2])
        """
        width = int(columns.max(initial=0)) + 1
        keys, pairs = np.unique(part_of_row[rows] * width + columns, return_inverse=True)
        return cls(count, part_of_row, keys // width, keys % width, rows, pairs.reshape(-1))

    @classmethod
    def of_copies(
        cls, part_of_row: Indices, rows: Indices, copies: Indices, column_of_copy: Indices
    ) -> Parts:
        """Return the parts of given rows, where each copy of a column has its ones in one part.

        Parameters
        ----------
        part_of_row : ndarray of int64, shape (m,)
            The part of each row.
        rows, copies : ndarray of int64, shape (ones,)
            The coordinates of the ones.
        column_of_copy : ndarray of int64, shape (copies,)
            The column of each copy.

        Notes
        -----
        O(ones + copies log copies).

        Examples
        --------
        >>> split = np.array([0, 1]), np.array([0, 0, 1]), np.array([0, 1, 2]), np.array([0, 1, 1])
        >>> parts = Parts.of_copies(*split)
        >>> parts.parts.tolist(), parts.columns.tolist(), parts.pairs.tolist()
        ([0, 0, 1], [0, 1, 1], [0, 1, 2])
        """
        part_of_copy = np.full(len(column_of_copy), -1, dtype=np.int64)
        part_of_copy[copies] = part_of_row[rows]
        held = np.flatnonzero(part_of_copy >= 0)
        order = held[np.lexsort((column_of_copy[held], part_of_copy[held]))]
        place = places_of(order, len(column_of_copy))
        count = int(part_of_row.max()) + 1
        return cls(
            count, part_of_row, part_of_copy[order], column_of_copy[order], rows, place[copies]
        )


def find_components(pattern: Pattern) -> Parts:
    r"""Find the connected components of a pattern's graph of ones: rows and columns joined by a 1.

    Parameters
    ----------
    pattern : Pattern
        Dense or sparse.

    Notes
    -----
    O(ones + m + n), whatever the storage.

    Examples
    --------
    >>> parts = find_components(Pattern.from_text("1100\n0001\n0100"))
    >>> parts.count, parts.part_of_row.tolist(), parts.columns.tolist()
    (2, [0, 1, 0], [0, 1, 3])
    """
    rows, columns = coordinates(pattern.ones)
    height, width = pattern.shape
    part_of_row = _number_parts(rows, columns, (height, width))
    return Parts.of_copies(part_of_row, rows, columns, np.arange(width))


def split_columns(parts: Parts, copies: Indices, column_of_copy: Indices) -> Parts:
    r"""Find the connected components once columns are replaced by several copies.

    Parameters
    ----------
    parts : Parts
        The parts before the columns are replaced.
    copies : ndarray of int64, shape (ones,)
        The copy of its column in which each 1 stands; no two of a column end in one part.
    column_of_copy : ndarray of int64, shape (copies,)
        The column of each copy.

    Examples
    --------
    >>> parts = find_components(Pattern.from_text("10\n11\n01"))
    >>> split_columns(parts, np.array([0, 0, 1, 2]), np.array([0, 1, 1])).columns.tolist()
    [0, 1, 1]
    """
    shape = len(parts.part_of_row), len(column_of_copy)
    part_of_row = _number_parts(parts.rows, copies, shape)
    return Parts.of_copies(part_of_row, parts.rows, copies, column_of_copy)


def _number_parts(rows: Indices, columns: Indices, shape: tuple[int, int]) -> Indices:
    """Return the connected component of each row, numbered from 0; the ones are given row-major."""
    few = len(rows) <= _FEW_ONES
    labels = _label_rows(rows, columns, shape) if few else _label_many_rows(rows, columns, shape)
    return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _label_rows(rows: Indices, columns: Indices, shape: tuple[int, int]) -> Indices:
    """Label each row by the first row of its component; small graphs need no scipy."""
    height, width = shape
    labels = np.arange(height)
    while True:
        of_column = np.full(width, height)
        np.minimum.at(of_column, columns, labels[rows])
        lower = labels.copy()
        np.minimum.at(lower, rows, of_column[columns])
        lower = lower[lower]  # twice as far in each round
        if (lower == labels).all():
            return labels
        labels = lower


def _label_many_rows(rows: Indices, columns: Indices, shape: tuple[int, int]) -> Indices:
    """Return the same for a large graph, with other labels."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    height, size = shape[0], sum(shape)
    starts = np.full(size + 1, len(rows), dtype=np.int64)
    starts[:height] = np.searchsorted(rows, np.arange(height))
    joined = np.ones(len(rows), dtype=np.int8)
    graph = csr_array((joined, height + columns, starts), shape=(size, size))
    _, labels = connected_components(graph, directed=False)
    return np.asarray(labels[:height], dtype=np.int64)


def is_joined(pattern: Pattern) -> bool:
    r"""Return whether all rows of a dense pattern are in one component, without listing its ones.

    Parameters
    ----------
    pattern : Pattern
        False says nothing about sparse ones, which are quickly searched, and about long chains.

    Notes
    -----
    O(m n / 64) for each step from the first row to the farthest one; dense patterns take two or
    three.

    Examples
    --------
    >>> is_joined(Pattern.from_text("1100\n0110\n0011"))
    True
    >>> is_joined(Pattern.from_text("1100\n0011"))
    False
    """
    if pattern.ones.is_sparse:
        return False
    words = pattern.ones.words
    height, width = words.shape
    reached, columns = np.zeros(height, dtype=np.bool_), words[0]
    step = block_height(8 * width)
    for _ in range(_LONGEST_CHAIN):
        before = int(reached.sum())
        for start in range(0, height, step):
            block = words[start : start + step]
            joined = (block & columns).any(axis=1)
            columns = columns | np.bitwise_or.reduce(block[joined], axis=0)
            reached[start : start + step] = joined
        if int(reached.sum()) in (before, height):
            break
    return bool(reached.all())


def is_joined_twice(pattern: Pattern) -> bool:
    r"""Return whether two disjoint connected sets of columns were found that hold all rows.

    Such a pattern is one component without cut columns: a column that is removed leaves one of the
    sets whole, and every other column has a 1 in some row. False says nothing.

    Parameters
    ----------
    pattern : Pattern
        At most one column has no 1.

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
    if pattern.ones.is_sparse:
        return False
    height, width = pattern.shape
    sample = np.unique(np.linspace(0, width - 1, min(width, _SAMPLE)).astype(np.int64))
    columns = pattern.ones.take(np.arange(height), sample).transposed().dense()
    return all(_joins_all_rows(columns[start::2]) for start in (0, 1))


def _joins_all_rows(columns: NDArray[np.bool_]) -> bool:
    """Return whether columns that hang together, taken one after the other, hold all rows."""
    if not len(columns):
        return False
    reached = columns[0].copy()
    for column in columns:
        if (reached & column).any():
            reached |= column
        if reached.all():
            return True
    return False


def find_outside(pattern: Pattern, rows: Indices, columns: Indices) -> tuple[int, int] | None:
    r"""Find a row and a column outside a part that make its border, [S, 0; 0, 1].

    Parameters
    ----------
    pattern : Pattern
        Dense or sparse.
    rows, columns : ndarray of int64
        Rows and columns of a part: these rows have ones in these columns alone, others have none.

    Returns
    -------
    (row, column) or None
        The row is 0 on the part's columns, the column is 0 on its rows, and they have a 1 in
        common; all of these entries are specified. None where there are none.

    Notes
    -----
    O(m n) with don't-cares, else O(m + n).

    Examples
    --------
    >>> pattern = Pattern.from_text("100\n01*\n0*1")
    >>> find_outside(pattern, np.array([0]), np.array([0]))
    (1, 1)
    >>> find_outside(Pattern.from_text("10\n*1"), np.array([0]), np.array([0])) is None
    True
    """
    outside = ~flags_at(rows, pattern.shape[0])
    if pattern.unspecified is None:
        if not outside.any():
            return None
        row = int(outside.argmax())
        return row, int(np.flatnonzero(pattern.block(row, row + 1)[0] == 1)[0])
    entries = pattern.to_array()
    outside &= (entries[:, columns] == 0).all(axis=1)
    zero = (entries[rows] == 0).all(axis=0)
    found = np.argwhere((entries[outside] == 1) & zero)
    if not len(found):
        return None
    return int(np.flatnonzero(outside)[found[0, 0]]), int(found[0, 1])


def join_unforced(pattern: Pattern, parts: Parts) -> Parts:
    r"""Join the components without a border into one, with don't-cares.

    Parameters
    ----------
    pattern : Pattern
        With don't-care entries.
    parts : Parts
        Its components.

    Returns
    -------
    Parts
        Each with a border (see `find_outside`), or all in one.

    Examples
    --------
    >>> pattern = Pattern.from_text("1000\n0100\n0010\n0*01")
    >>> join_unforced(pattern, find_components(pattern)).part_of_row.tolist()
    [0, 1, 2, 3]
    >>> pattern = Pattern.from_text("10\n*1")
    >>> join_unforced(pattern, find_components(pattern)).part_of_row.tolist()
    [0, 0]
    """
    is_free = np.zeros(parts.count, dtype=np.bool_)
    if parts.count * pattern.size > _MOST_STEPS:
        return _join(parts, ~is_free)
    for part in range(parts.count):
        own = np.arange(parts.count) == part
        is_free[part] = find_outside(pattern, *_lines_of(parts, own)) is None
    if is_free.any() and find_outside(pattern, *_lines_of(parts, is_free)) is None:
        is_free[:] = True
    return _join(parts, is_free)


def _lines_of(parts: Parts, chosen: NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """Return rows and columns of chosen parts together."""
    rows = np.flatnonzero(chosen[parts.part_of_row])
    return rows, parts.columns[chosen[parts.parts]]


def _join(parts: Parts, chosen: NDArray[np.bool_]) -> Parts:
    """Join chosen parts into one, after all others."""
    if chosen.sum() < 2:
        return parts
    number = np.where(chosen, parts.count, np.arange(parts.count))
    _, part_of_row = np.unique(number[parts.part_of_row], return_inverse=True)
    part_of_row = part_of_row.reshape(-1).astype(np.int64)
    columns = parts.columns[parts.pairs]
    return Parts.of(int(part_of_row.max()) + 1, part_of_row, parts.rows, columns)
