"""Setting bits for pairs of tokens."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

__all__ = ["enter"]

Tokens = NDArray[np.int32]


@compiled
def enter(left: Tokens, right: Tokens, own: bool, mask: int, bits: NDArray[np.uint64]) -> int:
    """Set the bits of unordered pairs; return how many were not set before.

    Parameters
    ----------
    left, right : ndarray of int32
        Of different tokens.
    own : bool
        Whether every pair has its own bit; else it is hashed.
    mask : int
        The number of bits less one, where pairs are hashed: of the form 2^k - 1.
    bits : in and out
    """
    new = 0
    for pair in range(len(left)):
        more, less = max(left[pair], right[pair]), min(left[pair], right[pair])
        place = np.uint64(np.int64(more) * (np.int64(more) - 1) // 2 + np.int64(less))
        if not own:
            # the finaliser of splitmix64 (Steele, Lea, Flood 2014)
            place += np.uint64(0x9E3779B97F4A7C15)
            place = (place ^ (place >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            place = (place ^ (place >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            place = (place ^ (place >> np.uint64(31))) & np.uint64(mask)
        word, bit = place >> np.uint64(6), np.uint64(1) << (place & np.uint64(63))
        if not bits[word] & bit:
            bits[word] |= bit
            new += 1
    return new
