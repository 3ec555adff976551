"""Hadamard matrices: the patterns of largest weak dimension that are known by construction."""

from __future__ import annotations

from math import isqrt

import numpy as np

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import require

__all__ = ["hadamard"]


def hadamard(n: int = 16) -> Instance:
    """Make Sylvester's Hadamard matrix: entry (i, j) is 1 if i and j share an even number of bits.

    Parameters
    ----------
    n : int
        Number of queries and of keys, a power of 2 from 2 to 4096.

    Notes
    -----
    Row 0 is all ones, so it is the extra query that is positive on all keys: weak dimension d
    means sign-rank d + 1, and that is at least n / ||H|| = sqrt(n) (Forster): NO for every
    d < sqrt(n) - 1. YES for d = n - 1, as for every pattern.

    References
    ----------
    Forster (2002), "A linear lower bound on the unbounded error probabilistic communication
    complexity".

    Examples
    --------
    >>> print(hadamard(4).pattern.to_text())
    1111
    1010
    1100
    1001
    """
    require(n in {1 << k for k in range(1, 13)}, f"n must be a power of 2 in 2..4096, not {n}")
    codes = np.arange(n)
    shared = np.bitwise_count(codes[:, None] & codes)
    facts = [Fact(n - 1, None, "YES", "n affinely independent keys")]
    excluded = isqrt(n - 1) - 1  # the largest d with d + 1 < sqrt(n)
    if excluded >= 1:
        facts.append(Fact(excluded, None, "NO", "Forster's theorem: norm sqrt(n)"))
    return Instance(
        Pattern.from_array(shared % 2 == 0), tuple(facts), {"family": "hadamard", "n": n}
    )
