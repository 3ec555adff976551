"""Rows of k ones each."""

from __future__ import annotations

import numpy as np

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import random_stream, require, require_shape

__all__ = ["few_ones", "sparse_rows"]


def sparse_rows(rows: int = 20, columns: int = 20, k: int = 2, seed: int = 0) -> Instance:
    """Make rows of k ones at random keys: YES for d = 2k.

    Parameters
    ----------
    rows : int
        Number of queries.
    columns : int
        Number of keys.
    k : int
        Ones in every row.
    seed : int
        Chooses the instance.

    Examples
    --------
    >>> sparse_rows(5, 9, k=2).pattern.row_ones.tolist()
    [2, 2, 2, 2, 2]
    """
    require_shape(rows, columns)
    require(1 <= k <= columns, f"k must be in 1..{columns} (the columns), not {k}")
    rng = random_stream(seed)
    indices = np.concatenate([np.sort(rng.permutation(columns)[:k]) for _ in range(rows)])
    indptr = np.arange(rows + 1) * k
    return Instance(
        Pattern.from_csr(indptr, indices, None, (rows, columns)),
        (few_ones(k),),
        {"family": "sparse-rows", "rows": rows, "columns": columns, "k": k, "seed": seed},
    )


def few_ones(k: int) -> Fact:
    """State the fact about rows of at most k ones: YES for d = 2k (cyclic polytopes)."""
    return Fact(2 * k, None, "YES", f"at most {k} ones a row: keys on the moment curve")
