"""`samapprox.attention.vectors.near_ties_kernel` in numpy: nothing is compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["furthest_of_pairs"]

Whole = NDArray[np.int64]

_DIGIT = 20
_MASK = (1 << _DIGIT) - 1
_ENTRIES = 1 << 19  # differences in memory at once: 4 MiB


def furthest_of_pairs(
    queries: Whole, keys: Whole, row: Whole, column: Whole, chosen: Whole
) -> None:
    """The furthest of each query's candidates; the first of several.

    O(d) a candidate, and sorting them.
    """
    step = max(1, _ENTRIES // queries.shape[1])
    parts = [slice(start, start + step) for start in range(0, len(row), step)]
    digits = [_squared_distances(queries[row[part]], keys[column[part]]) for part in parts]
    squares = np.concatenate(digits, axis=1)
    order = np.lexsort((*-squares, row))  # the last digit counts most; sorting keeps ties in order
    queried, first = np.unique(row[order], return_index=True)
    chosen[queried] = column[order[first]]


def _squared_distances(left: Whole, right: Whole) -> Whole:
    """In five digits of 20 bits, the least first; the last one takes what remains.

    Differences are below 2^60 and have three digits; sums of 2^20 products of two digits, three
    times over and with what is carried, stay below 2^63.
    """
    apart = np.abs(left - right)
    low, middle, high = apart & _MASK, (apart >> _DIGIT) & _MASK, apart >> 2 * _DIGIT

    def total(a: Whole, b: Whole) -> Whole:
        return np.asarray(np.einsum("nd,nd->n", a, b))

    digits = np.stack(
        [
            total(low, low),
            2 * total(low, middle),
            2 * total(low, high) + total(middle, middle),
            2 * total(middle, high),
            total(high, high),
        ]
    )
    for place in range(4):
        digits[place + 1] += digits[place] >> _DIGIT
        digits[place] &= _MASK
    return digits
