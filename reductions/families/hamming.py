"""Pairs of strings of bits at one Hamming distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.instance import Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import require

__all__ = ["hamming", "measure_distances"]

_MOST_BITS = 13


def hamming(n: int = 4, k: int = 1) -> Instance:
    """Make the matrix of exact Hamming distance: entry (x, y) is 1 if x and y differ in k bits.

    Parameters
    ----------
    n : int
        Number of bits; rows and columns are the 2^n strings, in the order of binary numbers.
    k : int
        The distance.

    Raises
    ------
    InputError
        n outside 1..13, or k outside 0..n.

    Notes
    -----
    The sign-ranks of k = 1 are in docs/studies/records.md.

    Examples
    --------
    >>> print(hamming(2, 1).pattern.to_text())
    0110
    1001
    1001
    0110
    """
    distances = measure_distances(n)
    require(0 <= k <= n, f"k must be in 0..{n}, not {k}")
    return Instance(Pattern.from_array(distances == k), (), {"family": "hamming", "n": n, "k": k})


def measure_distances(n: int) -> NDArray[np.uint8]:
    """Return the Hamming distances of all pairs of strings of n bits.

    Examples
    --------
    >>> measure_distances(1).tolist()
    [[0, 1], [1, 0]]
    """
    require(1 <= n <= _MOST_BITS, f"n must be in 1..{_MOST_BITS}, not {n}")
    strings = np.arange(1 << n, dtype=np.uint16)
    distances: NDArray[np.uint8] = np.bitwise_count(strings[:, None] ^ strings)
    return distances
