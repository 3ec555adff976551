"""Subsets by their ranks in colexicographic order."""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

__all__ = ["binomials", "unrank_subsets"]


@lru_cache(maxsize=16)
def binomials(most: int, size: int) -> NDArray[np.int64]:
    """Return C(s, t + 1) for s < most and t < size, one t a row.

    Examples
    --------
    >>> binomials(4, 2).tolist()
    [[0, 1, 2, 3], [0, 0, 1, 3]]
    """
    return np.array([[comb(s, t + 1) for s in range(most)] for t in range(size)], dtype=np.int64)


def unrank_subsets(ranks: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return the ascending subsets of these ranks, one a row: the inverse of `subset_ranks`.

    Examples
    --------
    >>> unrank_subsets(np.array([0, 1, 2]), 3).tolist()
    [[0, 1, 2], [0, 1, 3], [0, 2, 3]]
    """
    most = size
    while comb(most, size) <= ranks.max(initial=0):
        most += 1
    table = binomials(most, size)
    subsets = np.empty((len(ranks), size), dtype=np.int64)
    for t in reversed(range(size)):
        subsets[:, t] = np.searchsorted(table[t], ranks, side="right") - 1
        ranks = ranks - table[t, subsets[:, t]]
    return subsets
