"""Search for the least suitable number."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["least_that"]


def least_that(serves: Callable[[int], bool], most: int) -> int:
    """Find the least suitable number by doubling and halving; `most` if none is suitable.

    Parameters
    ----------
    serves : callable
        Asked about O(log most) numbers, never about `most` itself.
    most : int

    Examples
    --------
    >>> least_that(lambda r: r * r > 50, 100), least_that(lambda r: False, 100)
    (8, 100)
    """
    low, high = 0, 1
    while high < most and not serves(high):
        low, high = high, 2 * high
    high = min(high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if serves(middle) else (middle, high)
    return high
