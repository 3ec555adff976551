"""The linear-time test for d = 1 over a stack of equal shapes, compiled.

It finds what `samapprox.solvers.line` finds, one small pattern after another without an
interpreter between them: a key order or a clash for each. `samapprox.stack_checker` checks them.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from samapprox.jit import compiled
from samapprox.solvers.line import cuts_off_each

__all__ = ["find_proofs"]

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]
Small = NDArray[np.int32]
Words = NDArray[np.uint64]

_TRIPLES = np.array(
    [
        codes
        for codes in combinations(range(8), 3)
        if cuts_off_each([tuple(code >> shift & 1 for code in codes) for shift in range(3)])
    ],
    dtype=np.int64,
)
"""Three column types on three rows (4 a + 2 b + c), each cut off from the others by some row."""


@compiled
def find_proofs(
    stack: NDArray[np.uint8],
    keys: NDArray[np.int32],
    queries: NDArray[np.int32],
    thresholds: NDArray[np.int32],
    core_rows: NDArray[np.int32],
    core_columns: NDArray[np.int32],
) -> None:
    """Fill in an embedding on a line, or a core that forbids one, for each pattern of a stack.

    Parameters
    ----------
    stack : ndarray of uint8, shape (N, m, n)
        Zeros and ones, a 1 in every row.
    keys : out, shape (N, n)
    queries, thresholds : out, shape (N, m)
    core_rows : out, shape (N, 3)
        Filled with -1 for YES; for NO the rows of a Radon core, or two rows of a shattering and -1.
    core_columns : out, shape (N, 4)
        The core's columns, with a -1 after the three of a Radon core.

    Notes
    -----
    O(m n) a pattern: rows become words of 64 columns, are flipped to agree with the first row that
    has a 0, are sorted by size and must then contain one another.
    """
    count, rows, columns = stack.shape
    width = (columns + 63) // 64
    words = np.empty((rows, width), dtype=np.uint64)
    sizes = np.empty(rows, dtype=np.int64)
    flipped = np.empty(rows, dtype=np.bool_)
    order = np.empty(rows, dtype=np.int64)
    place = np.empty(columns + 1, dtype=np.int64)
    inside = np.full(width, ~np.uint64(0))
    if columns % 64:
        inside[width - 1] = (np.uint64(1) << np.uint64(columns % 64)) - np.uint64(1)
    core_rows[:] = -1
    core_columns[:] = -1
    for index in range(count):
        pattern = stack[index]
        _pack(pattern, words, sizes)
        reference = _first_mixed(sizes, columns)
        clash = _flip_to_agree(words, sizes, inside, reference, columns, flipped)
        if clash >= 0:
            _shattering(pattern, reference, clash, core_rows[index], core_columns[index])
            continue
        mixed = _sort_by_size(sizes, columns, place, order)
        clash = _first_break(words, order[:mixed])
        if clash >= 0:
            _three_rows(
                pattern,
                reference,
                order[clash],
                order[clash + 1],
                core_rows[index],
                core_columns[index],
            )
            continue
        _key_order(words, order[:mixed], keys[index])
        for row in range(rows):
            queries[index, row] = 0
            thresholds[index, row] = -1
        for position in range(mixed):
            row = order[position]
            below = mixed - position  # the row holds the keys >= below, or, flipped, the others
            queries[index, row] = -1 if flipped[row] else 1
            thresholds[index, row] = -below if flipped[row] else below - 1


@compiled
def _pack(pattern: Bytes, words: Words, sizes: Integers) -> None:
    """Rows as words of 64 columns, and their numbers of ones."""
    words[:] = 0
    for row in range(pattern.shape[0]):
        size = 0
        for column in range(pattern.shape[1]):
            bit = np.uint64(pattern[row, column])
            size += pattern[row, column]
            words[row, column >> 6] |= bit << np.uint64(column & 63)
        sizes[row] = size


@compiled
def _first_mixed(sizes: Integers, columns: int) -> int:
    """The first row with a 0; row 0 where there is none."""
    for row in range(len(sizes)):
        if sizes[row] < columns:
            return row
    return 0


@compiled
def _flip_to_agree(
    words: Words,
    sizes: Integers,
    inside: Words,
    reference: int,
    columns: int,
    flipped: NDArray[np.bool_],
) -> int:
    """Complement the rows that point against the reference; -1, or a row that does both."""
    for row in range(len(sizes)):
        flipped[row] = False
        if row == reference or sizes[row] == columns:
            continue
        both = neither = only_row = only_reference = np.uint64(0)
        for word in range(len(inside)):
            own, other = words[row, word], words[reference, word]
            both |= own & other
            neither |= inside[word] & ~(own | other)
            only_row |= own & ~other
            only_reference |= other & ~own
        if only_row == 0 or only_reference == 0:
            continue
        if both != 0 and neither != 0:
            return row
        flipped[row] = True
        sizes[row] = columns - sizes[row]
        for word in range(len(inside)):
            words[row, word] = inside[word] & ~words[row, word]
    return -1


@compiled
def _sort_by_size(sizes: Integers, columns: int, place: Integers, order: Integers) -> int:
    """Counting sort of the rows of fewer than `columns` ones into `order`; how many they are."""
    place[:] = 0
    for row in range(len(sizes)):
        place[sizes[row]] += 1
    mixed = len(sizes) - int(place[columns])
    before = 0
    for size in range(columns + 1):
        here = place[size]
        place[size] = before
        before += here
    for row in range(len(sizes)):
        order[place[sizes[row]]] = row
        place[sizes[row]] += 1
    return mixed


@compiled
def _first_break(words: Words, order: Integers) -> int:
    """First position whose row is not contained in the next one; -1 for a chain."""
    for position in range(len(order) - 1):
        for word in range(words.shape[1]):
            if words[order[position], word] & ~words[order[position + 1], word] != 0:
                return position
    return -1


@compiled
def _key_order(words: Words, order: Integers, keys: Small) -> None:
    """A key for every column: the number of rows of the chain that hold it."""
    for column in range(len(keys)):
        word, bit = column >> 6, np.uint64(column & 63)
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) >> 1
            if words[order[middle], word] >> bit & np.uint64(1):
                high = middle
            else:
                low = middle + 1
        keys[column] = len(order) - low


@compiled
def _shattering(
    pattern: Bytes, first: int, second: int, core_rows: Small, core_columns: Small
) -> None:
    """Two rows, and a column for each of 11, 10, 01 and 00."""
    core_rows[0], core_rows[1], core_rows[2] = min(first, second), max(first, second), -1
    core_columns[:] = -1
    for column in range(pattern.shape[1]):
        kind = 2 * pattern[first, column] + pattern[second, column]
        if core_columns[kind] < 0:
            core_columns[kind] = column


@compiled
def _three_rows(
    pattern: Bytes, first: int, second: int, third: int, core_rows: Small, core_columns: Small
) -> None:
    """Three columns each cut off by one of three rows, or else two rows with all four types."""
    column_of = np.full(8, -1)
    for column in range(pattern.shape[1]):
        kind = 4 * pattern[first, column] + 2 * pattern[second, column] + pattern[third, column]
        if column_of[kind] < 0:
            column_of[kind] = column
    for triple in range(len(_TRIPLES)):
        one, two, three = column_of[_TRIPLES[triple]]
        if one >= 0 and two >= 0 and three >= 0:
            core_rows[0], core_rows[1], core_rows[2] = first, second, third
            core_columns[0], core_columns[1], core_columns[2] = one, two, three
            return
    for a, b in ((first, second), (first, third), (second, third)):
        _shattering(pattern, a, b, core_rows, core_columns)
        if core_columns.min() >= 0:
            return
