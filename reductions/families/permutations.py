"""Unions of permutation matrices."""

from __future__ import annotations

import numpy as np

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import random_stream, require, require_side
from samapprox.reductions.families.sparse_rows import few_ones

__all__ = ["permutations"]


def permutations(n: int = 20, k: int = 1, seed: int = 0) -> Instance:
    """Make a union of k random permutation matrices: at most k ones in every row and column.

    Parameters
    ----------
    n : int
        Number of queries and of keys.
    k : int
        Number of permutations.
    seed : int
        Chooses the instance.

    Notes
    -----
    YES for d = 2k. A single permutation of three or more tokens is NO for d = 1: each of three keys
    is cut off from the other two.

    Examples
    --------
    >>> [(fact.d, fact.answer) for fact in permutations(5).facts]
    [(2, 'YES'), (1, 'NO')]
    """
    require_side(n)
    require(1 <= k <= n, f"k must be in 1..{n}, not {k}")
    rng = random_stream(seed)
    columns = np.stack([rng.permutation(n) for _ in range(k)], axis=1)
    distinct = [np.unique(row) for row in columns]
    indptr = np.cumsum([0, *map(len, distinct)])
    pattern = Pattern.from_csr(indptr, np.concatenate(distinct), None, (n, n))
    facts = [few_ones(k)]
    if k == 1 and n >= 3:
        facts.append(Fact(1, None, "NO", "rows cut off each of three keys from the other two"))
    return Instance(pattern, tuple(facts), {"family": "permutations", "n": n, "k": k, "seed": seed})
