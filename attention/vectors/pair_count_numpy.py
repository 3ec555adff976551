"""`samapprox.attention.vectors.pair_count_kernel` in numpy: nothing is compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["enter"]

Tokens = NDArray[np.int32]


def enter(left: Tokens, right: Tokens, own: bool, mask: int, bits: NDArray[np.uint64]) -> int:
    """Set the bits of unordered pairs; how many were not set before.

    Parameters
    ----------
    left, right, own, mask, bits
        As in `samapprox.attention.vectors.pair_count_kernel.enter`.

    Examples
    --------
    >>> bits = np.zeros(1, dtype=np.uint64)
    >>> pairs = np.array([[0, 1, 4], [1, 0, 2]], dtype=np.int32)
    >>> enter(*pairs, True, 63, bits), enter(*pairs, True, 63, bits)
    (2, 0)
    """
    more, less = (pick(left, right).astype(np.int64) for pick in (np.maximum, np.minimum))
    place = (more * (more - 1) // 2 + less).astype(np.uint64)
    if not own:
        # the finaliser of splitmix64 (Steele, Lea, Flood 2014)
        place += np.uint64(0x9E3779B97F4A7C15)
        place = (place ^ (place >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        place = (place ^ (place >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        place = (place ^ (place >> np.uint64(31))) & np.uint64(mask)
    place = np.unique(place)
    word, bit = (place >> np.uint64(6)).astype(np.int64), np.uint64(1) << (place & np.uint64(63))
    new = (bits[word] & bit) == 0
    np.bitwise_or.at(bits, word[new], bit[new])
    return int(new.sum())
