"""d = 1 for a stack of small patterns at once, in array operations.

It finds what `samapprox.solvers.line` finds, without interpreting steps for every pattern.
`samapprox.proofs.checker` checks it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.support.arrays import Flags

MOST_SIDE = 64
"""Columns of a row's word; and rows, since each is held against each."""

Words = NDArray[np.unsignedinteger[Any]]
Small = NDArray[np.int8]


def row_words(stack: NDArray[np.uint8]) -> Words:
    """Pack rows into words: bit j stands for column j."""
    count, rows, columns = stack.shape
    size = next(size for size in (1, 2, 4, 8) if columns <= 8 * size)
    if columns < 8 * size:  # bits are packed much faster in one piece than row by row
        padded = np.zeros((count, rows, 8 * size), dtype=np.uint8)
        padded[:, :, :columns] = stack
        stack = padded
    words = np.packbits(stack.reshape(-1), bitorder="little").view(f"<u{size}")
    own_order = words.dtype.newbyteorder("=")
    return np.ascontiguousarray(words.reshape(count, rows).T, dtype=own_order)


def find_embeddings(stack: NDArray[np.uint8]) -> tuple[Small, Small, Small]:
    """Find, for each pattern, the embedding on a line that represents it, if one exists.

    O(m (m + n)) elementary operations a pattern. Rows are flipped to agree with the first row that
    has a 0, as in `samapprox.solvers.line`. If they form a chain under inclusion, a column's
    key is the number of rows that hold it, and the least key in row i the number of rows as large
    as it.
    """
    words = row_words(stack)
    full = _full(words, stack.shape[2])
    mixed, flipped, chain = _flip_to_agree(words, full)
    sizes = np.bitwise_count(chain)
    least = (sizes[:, None] <= sizes).sum(axis=1, dtype=np.int8)
    keys = _bits(chain, stack.shape[2]).sum(axis=0, dtype=np.int8)
    queries = np.where(mixed, 1 - 2 * flipped.view(np.int8), np.int8(0))
    thresholds = np.where(mixed, np.where(flipped, -least, least - np.int8(1)), np.int8(-1))
    return keys.T, queries.T, thresholds.T


def find_cores(stack: NDArray[np.uint8]) -> tuple[Small, Small]:
    """Find rows and columns that refute d = 1, for each pattern without an embedding on a line.

    O(m^2) operations with words a pattern. If no two rows show all four types of columns, then two
    rows that do not contain one another, both flipped to agree with the reference, each cut off a
    column from the reference's other side.
    """
    words = row_words(stack)
    full = _full(words, stack.shape[2])
    first, second, shattered = _first_pair(_shatter(words, full))
    one, other = np.take_along_axis(words, np.stack([first, second]), axis=0)
    rows = np.stack([first, second, np.full_like(first, -1)])
    types = np.stack([one & other, one & ~other, other & ~one, full ^ (one | other)])
    left = np.flatnonzero(~shattered)
    rows[:, left], types[:3, left] = _find_three_rows(words[:, left], full)
    columns = _bits(types, stack.shape[2]).argmax(axis=1)
    columns[3, left] = -1
    return rows.T.astype(np.int8), columns.T.astype(np.int8)


def _full(words: Words, columns: int) -> Any:
    """Return the word of a row of ones."""
    return words.dtype.type((1 << columns) - 1)


def _bits(words: Words, columns: int) -> NDArray[Any]:
    """Unpack words into zeros and ones, shape (words, columns, N)."""
    shifts = np.arange(columns, dtype=words.dtype)[:, None]
    return words[:, None] >> shifts & words.dtype.type(1)


def _flip_to_agree(words: Words, full: Any) -> tuple[Flags, Flags, Words]:
    """Mark rows with a 0, those of them that are flipped, and those with one after flipping.

    A row is flipped if it and the first row with a 0 each hold a column that the other does not;
    rows of ones become empty, since every chain may begin with them.
    """
    mixed = words != full
    reference = np.take_along_axis(words, mixed.argmax(axis=0)[None], axis=0)
    flipped = mixed & (words & ~reference != 0) & (reference & ~words != 0)
    return mixed, flipped, np.where(mixed, words ^ flipped * full, words.dtype.type(0))


def _shatter(words: Words, full: Any) -> Flags:
    """Mark the pairs of rows that show all four types of columns, shape (m, m, N)."""
    more = words[:, None] & ~words != 0
    both = words[:, None] & words != 0
    neither = words[:, None] | words != full
    return np.asarray(more & more.swapaxes(0, 1) & both & neither)


def _first_pair(pairs: Flags) -> tuple[NDArray[np.intp], NDArray[np.intp], Flags]:
    """Find, for each pattern, the first of the pairs, and whether there is any."""
    rows, _, count = pairs.shape
    flat = pairs.reshape(rows * rows, count)
    place = flat.argmax(axis=0)
    first, second = np.divmod(place, rows)
    return first, second, np.take_along_axis(flat, place[None], axis=0)[0]


def _find_three_rows(words: Words, full: Any) -> tuple[NDArray[np.intp], Words]:
    """Find, where no two rows shatter, a reference and two rows that clash, and their columns.

    After flipping, both lie within the reference or both contain it. So each has a column that
    neither of the others separates from a third column, which the reference cuts off.
    """
    mixed, _, chain = _flip_to_agree(words, full)
    more = chain[:, None] & ~chain != 0
    first, second, _ = _first_pair(more & more.swapaxes(0, 1))
    rows = np.stack([mixed.argmax(axis=0), first, second])
    reference, one, other = np.take_along_axis(chain, rows, axis=0)
    within = one & ~other & reference != 0
    beyond = np.where(within, full ^ reference, reference)
    return rows, np.stack([one & ~other, other & ~one, beyond])
