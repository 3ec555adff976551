"""Comparing squared distances of whole vectors exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

__all__ = ["furthest_of_pairs"]

Whole = NDArray[np.int64]

_DIGIT = 30
_MASK = (1 << _DIGIT) - 1


@compiled
def furthest_of_pairs(
    queries: Whole, keys: Whole, row: Whole, column: Whole, chosen: Whole
) -> None:
    """Find the furthest of each query's candidates; the first of several.

    O(d) a candidate.
    """
    best = np.zeros(4, dtype=np.int64)
    digits = np.zeros(4, dtype=np.int64)
    for pair in range(len(row)):
        query, key = row[pair], column[pair]
        _squared_distance(queries[query], keys[key], digits)
        if pair == 0 or query != row[pair - 1] or _exceeds(digits, best):
            best[:] = digits
            chosen[query] = key


@compiled
def _squared_distance(query: Whole, key: Whole, digits: Whole) -> None:
    """Write the squared distance in digits of 30 bits, least first; the last one takes the rest."""
    ones = tens = hundreds = thousands = 0
    for k in range(len(query)):
        size = abs(query[k] - key[k])
        high, low = size >> _DIGIT, size & _MASK
        ones += low * low
        tens += 2 * high * low + (ones >> _DIGIT)
        hundreds += high * high + (tens >> _DIGIT)
        thousands += hundreds >> _DIGIT
        ones &= _MASK
        tens &= _MASK
        hundreds &= _MASK
    digits[0], digits[1], digits[2], digits[3] = ones, tens, hundreds, thousands


@compiled
def _exceeds(left: Whole, right: Whole) -> bool:
    """Return whether the one number is greater than the other."""
    for place in range(3, -1, -1):
        if left[place] != right[place]:
            return bool(left[place] > right[place])
    return False
