"""Pairs of strings of bits by their Hamming distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import require

__all__ = ["gap_hamming", "hamming", "measure_distances"]

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


def gap_hamming(n: int = 4, k: int = 1) -> Instance:
    """Make the matrix of gap Hamming distance: 1 if x and y differ in at most k of n bits.

    Entry (x, y) is 0 if they differ in at least n - k bits, and don't care otherwise.

    Parameters
    ----------
    n : int
        Number of bits; rows and columns are the 2^n strings, in the order of binary numbers.
    k : int
        The largest distance of strings that are close, less than n / 2.

    Raises
    ------
    InputError
        n outside 1..13, or k outside 0..(n - 1) / 2.

    Notes
    -----
    The sign-rank is at most 2k + 1, and so is the least dimension. Of any 2k + 1 bits, close
    strings agree in at least k + 1 and far ones in at most k. So with bits as 1 and -1, the product
    of the first 2k + 1 of them has the right sign. docs/studies/records.md lists for which n and k
    2k + 1 is proven to be the sign-rank.

    References
    ----------
    Frick, Hosseini, Vasileuski (2026), arXiv 2604.01510: the sign-rank is at least
    (1 - o(1)) 2k.

    Examples
    --------
    >>> print(gap_hamming(3, 1).pattern.to_text()[:8])
    11101000
    """
    distances = measure_distances(n)
    require(0 <= 2 * k < n, f"k must be in 0..{(n - 1) // 2}, not {k}")
    close = distances <= k
    pattern = Pattern.from_array(close, close | (distances >= n - k))
    reason = f"products of the first {2 * k + 1} bits, as 1 and -1, are positive or negative"
    fact = Fact(2 * k + 1, None, "YES", reason)
    return Instance(pattern, (fact,), {"family": "gap-hamming", "n": n, "k": k})
