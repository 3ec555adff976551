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
    With s = min(k, n - k), the least d is min(2s, n - 2) for s >= 1 and n >= 4 (the theorem in
    docs/theory/topological.md), and min(2s, n - 1) for fewer keys. For n >= 3s, the refutation is
    Radon's: of 2s + 1 keys two parts of a and b keys have meeting hulls, a <= b, a + b <= 2s + 1,
    so a <= s, and since b <= 2s there are s keys that contain the one part and avoid the other.
    For n < 3s it is that of `samapprox.reductions.families.subset_proofs.subsets_refutation`.

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
    return Instance(
        Pattern.from_csr(np.arange(rows + 1) * k, indices, None, (rows, n)),
        _facts(n, min(k, n - k)),
        {"family": "all-subsets", "n": n, "k": k},
    )


def _facts(n: int, s: int) -> tuple[Fact, ...]:
    """Return the least dimension for all s-subsets of n keys, or for their complements."""
    if s == 0:  # one row, without a 0
        return (Fact(1, None, "YES", "keys on the moment curve, or affinely independent"),)
    least = min(2 * s, n - 2 if n >= 4 else n - 1)
    if least == n - 2 < 2 * s:
        possible = "keys with one affine dependence, whose signs no row has"
    else:
        possible = "keys on the moment curve, or affinely independent"
    facts = [Fact(least, None, "YES", possible)]
    if least > 1:
        by_radon = f"Radon's theorem on {2 * s + 1} keys"
        reason = by_radon if n >= 3 * s else "a topological refutation, written down for all n"
        facts.append(Fact(least - 1, None, "NO", reason))
    return tuple(facts)


def _count(n: int, k: int) -> int:
    """Return C(n, k), or some number beyond the limit."""
    count = 1
    for i in range(min(k, n - k)):
        count = count * (n - i) // (i + 1)
        if count > MOST_ENTRIES:
            break
    return count
