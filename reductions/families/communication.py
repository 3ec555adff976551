"""Matrices of communication complexity: equality, comparison, disjointness, Hamming distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import require_shape, require_side
from samapprox.support.parameters import require

_MOST_STRING_BITS = 13

_MOST_BITS = 15


def identity(n: int = 8) -> Instance:
    """Make the identity matrix: every query attends to its own key alone.

    Parameters
    ----------
    n : int
        Number of queries and of keys.

    Notes
    -----
    The weak dimension is 2 for n >= 3 (keys on a circle), else 1. The sign-rank is 3 for n >= 4,
    and 1, 1 and 2 for n = 1, 2 and 3: docs/theory/ranks.md.

    Examples
    --------
    >>> print(identity(3).pattern.to_text())
    100
    010
    001
    """
    require_side(n)
    indices = np.arange(n)
    pattern = Pattern.from_csr(np.arange(n + 1), indices, None, (n, n))
    return Instance(pattern, _facts_of_identity(n), {"family": "identity", "n": n})


def equality(bits: int = 3) -> Instance:
    """Make the matrix of equality of two numbers: the identity matrix of size 2^bits.

    Parameters
    ----------
    bits : int
        Number of bits of each number.

    Examples
    --------
    >>> equality(2).pattern == identity(4).pattern
    True
    """
    n = 1 << _require_bits("bits", bits)
    pattern = identity(n).pattern
    return Instance(pattern, _facts_of_identity(n), {"family": "equality", "bits": bits})


def greater_than(n: int = 8) -> Instance:
    """Make the matrix of comparisons: entry (i, j) is 1 if i >= j.

    Parameters
    ----------
    n : int
        Number of queries and of keys.

    Notes
    -----
    The weak dimension is 1. The sign-rank is 2 for n >= 2.

    Examples
    --------
    >>> print(greater_than(3).pattern.to_text())
    100
    110
    111
    """
    require_side(n)
    fact = Fact(1, None, "YES", "every row holds an initial part of one order")
    pattern = Pattern.from_array(np.tri(n, dtype=np.bool_))
    return Instance(pattern, (fact,), {"family": "greater-than", "n": n})


def disjointness(n: int = 3) -> Instance:
    """Make the matrix of disjointness: entry (x, y) is 1 if no element lies in both sets x and y.

    Parameters
    ----------
    n : int
        Number of elements; rows and columns are the 2^n sets, written in binary.

    Notes
    -----
    The weak dimension is n: |x & y| is a product of vectors with n coordinates, and the sets with
    one element are split by the rows in every way, with the empty set on the side of the ones. The
    sign-rank is n + 1: docs/theory/ranks.md.

    References
    ----------
    Kushilevitz, Nisan (1997), "Communication complexity", for the matrix.

    Examples
    --------
    >>> print(disjointness(2).pattern.to_text())
    1111
    1010
    1100
    1000
    """
    sets = np.arange(1 << _require_bits("n", n))
    require_shape(len(sets), len(sets))
    facts = [Fact(n, None, "YES", "the size of an intersection is a product")]
    if n > 1:
        reason = f"the empty set and those with one element are {n + 1} columns split in every way"
        facts.append(Fact(n - 1, None, "NO", reason))
    pattern = Pattern.from_array(sets[:, None] & sets == 0)
    return Instance(pattern, tuple(facts), {"family": "disjointness", "n": n})


def sign_vectors(n: int = 4) -> Instance:
    """Make the matrix of all sign vectors with a +: its rows are all 0/1 vectors except zero.

    Parameters
    ----------
    n : int
        Number of keys; there are 2^n - 1 rows.

    Notes
    -----
    The weak dimension is n - 1 by Radon's theorem (1 for n = 1). The sign-rank is n: each sign
    vector or its opposite would otherwise miss the dependence of the columns.

    Examples
    --------
    >>> print(sign_vectors(2).pattern.to_text())
    10
    01
    11
    """
    rows = np.arange(1, 1 << _require_bits("n", n))
    require_shape(len(rows), n)
    entries: NDArray[np.bool_] = (rows[:, None] >> np.arange(n)) & 1 == 1
    facts = [Fact(max(1, n - 1), None, "YES", "affinely independent keys")]
    if n > 2:
        facts.append(Fact(n - 2, None, "NO", f"Radon's theorem on {n} keys"))
    return Instance(Pattern.from_array(entries), tuple(facts), {"family": "sign-vectors", "n": n})


def _facts_of_identity(n: int) -> tuple[Fact, ...]:
    if n < 3:
        return (Fact(1, None, "YES", "two keys"),)
    return (
        Fact(2, None, "YES", "keys on a circle"),
        Fact(1, None, "NO", "of three keys on a line, one is between the others"),
    )


def _require_bits(name: str, bits: int) -> int:
    require(1 <= bits <= _MOST_BITS, f"{name} must be in 1..{_MOST_BITS}, not {bits}")
    return bits


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
    Sign-ranks for k = 1 and 2 are in docs/studies/records.md.

    Examples
    --------
    >>> print(hamming(2, 1).pattern.to_text())
    0110
    1001
    1001
    0110
    """
    distances = _measure_distances(n)
    require(0 <= k <= n, f"k must be in 0..{n}, not {k}")
    return Instance(Pattern.from_array(distances == k), (), {"family": "hamming", "n": n, "k": k})


def _measure_distances(n: int) -> NDArray[np.uint8]:
    """Return the Hamming distances of all pairs of strings of n bits.

    Examples
    --------
    >>> _measure_distances(1).tolist()
    [[0, 1], [1, 0]]
    """
    require(1 <= n <= _MOST_STRING_BITS, f"n must be in 1..{_MOST_STRING_BITS}, not {n}")
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
    distances = _measure_distances(n)
    require(0 <= 2 * k < n, f"k must be in 0..{(n - 1) // 2}, not {k}")
    close = distances <= k
    pattern = Pattern.from_array(close, close | (distances >= n - k))
    reason = f"products of the first {2 * k + 1} bits, as 1 and -1, are positive or negative"
    fact = Fact(2 * k + 1, None, "YES", reason)
    return Instance(pattern, (fact,), {"family": "gap-hamming", "n": n, "k": k})
