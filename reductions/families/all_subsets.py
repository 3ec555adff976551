"""Patterns with one query for every set of k keys."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import MOST_ENTRIES, require, require_shape

__all__ = ["all_subsets"]


def all_subsets(n: int = 6, k: int = 2) -> Instance:
    """Make a query for every k-subset of n keys.

    Parameters
    ----------
    n : int
        Number of keys.
    k : int
        Number of ones in each row.

    Raises
    ------
    InputError
        k outside 1..n, or too many subsets.

    Notes
    -----
    With s = min(k, n - k): YES for d = min(2s, n - 1). NO for d = 2s - 1 when n >= 3s: of 2s + 1
    keys two parts of a and b keys have meeting hulls (Radon), a <= b, a + b <= 2s + 1, so a <= s,
    and since b <= 2s there are s keys that contain the one part and avoid the other.

    References
    ----------
    Weller, Boratko, Naim, Lee (2025), "On the Theoretical Limitations of Embedding-Based
    Retrieval": the LIMIT data set is k = 2, n = 46.

    Examples
    --------
    >>> print(all_subsets(4, 2).pattern.to_text())
    1100
    1010
    1001
    0110
    0101
    0011
    """
    require(1 <= k <= n, f"k must be in 1..n, not {k} of {n}")
    rows = _count(n, k)
    require_shape(rows, n)
    indices = np.fromiter(
        chain.from_iterable(combinations(range(n), k)), dtype=np.int64, count=rows * k
    )
    small = min(k, n - k)
    dimension = max(1, min(2 * small, n - 1))
    facts = [Fact(dimension, None, "YES", "keys on the moment curve, or affinely independent")]
    if small >= 1 and n >= 3 * small:
        facts.append(Fact(2 * small - 1, None, "NO", f"Radon's theorem on {2 * small + 1} keys"))
    return Instance(
        Pattern.from_csr(np.arange(rows + 1) * k, indices, None, (rows, n)),
        tuple(facts),
        {"family": "all-subsets", "n": n, "k": k},
    )


def _count(n: int, k: int) -> int:
    """Return C(n, k), or some number beyond the limit."""
    count = 1
    for i in range(min(k, n - k)):
        count = count * (n - i) // (i + 1)
        if count > MOST_ENTRIES:
            break
    return count
