"""Widening pairs of places: intervals move one end outwards while they miss the other."""

from __future__ import annotations

import numpy as np

from samapprox.support.arrays import Numbers
from samapprox.support.jit import compiled


@compiled
def reach_furthest(
    starts: Numbers, ends: Numbers, names: Numbers, size: int
) -> tuple[Numbers, Numbers]:
    """Find the furthest interval that ends, or starts, at each place."""
    left, right = np.empty((size, 2), dtype=np.int64), np.empty((size, 2), dtype=np.int64)
    left[:, 0], right[:, 0] = size, -1
    for i in range(len(starts)):
        start, end = starts[i], ends[i]
        if start < left[end, 0]:
            left[end, 0], left[end, 1] = start, names[i]
        if end > right[start, 0]:
            right[start, 0], right[start, 1] = end, names[i]
    return left, right


@compiled
def widen(left: Numbers, right: Numbers, a: int, b: int) -> Numbers:
    """Widen a pair of places as far as possible, by intervals that hold one of them.

    O(size). An interval that ends between a and b - 1, and starts before a, holds a but not b. The
    places between a and b only become more, so that a running minimum finds the furthest.
    """
    steps = np.empty((a + len(left) - b, 3), dtype=np.int64)
    count = 0
    least, greatest = len(left), -1
    by_least, by_greatest = -1, -1
    low, high = a, b  # starts low + 1 .. high and ends low .. high - 1 are known
    for end in range(a, b):
        if left[end, 0] < least:
            least, by_least = left[end, 0], left[end, 1]
    for start in range(a + 1, b + 1):
        if right[start, 0] > greatest:
            greatest, by_greatest = right[start, 0], right[start, 1]
    while least < low or greatest > high:
        if least < low:
            steps[count] = low, high, by_least
            first, last, low = least, low, least
        else:
            steps[count] = low, high, by_greatest
            first, last, high = high, greatest, greatest
        count += 1
        for end in range(first, last):
            if left[end, 0] < least:
                least, by_least = left[end, 0], left[end, 1]
            if right[end + 1, 0] > greatest:
                greatest, by_greatest = right[end + 1, 0], right[end + 1, 1]
    steps[count] = low, high, -1
    return steps[: count + 1]
