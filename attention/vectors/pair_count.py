"""Counting of distinct pairs: one bit each, or one for many if there are too many.

With a bit for every pair the count is exact. Beyond 2^30 pairs each is hashed to one of 2^30 bits,
and the count is estimated from the bits that are still 0 (linear counting).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.vectors.kernels import load_kernel

__all__ = ["PairCount"]

Tokens = NDArray[np.int32]

_MOST_BITS = 1 << 30


class PairCount:
    """A set of unordered pairs of the tokens 0..n-1 that knows its size.

    Attributes
    ----------
    possible : int
        n (n - 1) / 2.
    exact : bool
        Whether the count is exact; else it is an estimate.

    Parameters
    ----------
    n : int
    most_bits : int
        Of memory, a power of two.

    Notes
    -----
    At most 128 MiB. With m bits, a share t = count / m of pairs is estimated with a standard
    deviation of sqrt(m (e^t - t - 1)): for up to 2^31 pairs, less than one in 10,000.

    References
    ----------
    Whang, Vander-Zanden, Taylor (1990), "A linear-time probabilistic counting algorithm for
    database applications".

    Examples
    --------
    >>> pairs = PairCount(5)
    >>> pairs.add(np.array([0, 1, 4], dtype=np.int32), np.array([1, 0, 2], dtype=np.int32))
    >>> pairs.count, pairs.possible
    (2, 10)
    """

    def __init__(self, n: int, *, most_bits: int = _MOST_BITS) -> None:
        self.possible = n * (n - 1) // 2
        self.exact = self.possible <= most_bits
        self._places = max(1, self.possible) if self.exact else most_bits
        self._bits = np.zeros(-(-self._places // 64), dtype=np.uint64)
        self._set = 0

    def add(self, left: Tokens, right: Tokens) -> None:
        """Enter the pairs (left[i], right[i]), of different tokens each."""
        kernel = load_kernel("pair_count", len(left))
        self._set += kernel.enter(left, right, self.exact, self._places - 1, self._bits)

    @property
    def count(self) -> int:
        """Return the number of distinct pairs entered, or an estimate."""
        if self.exact:
            return self._set
        free = max(self._places - self._set, 1)
        return min(self.possible, round(self._places * math.log(self._places / free)))
