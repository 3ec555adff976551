"""The least scores of every query, in plain loops: what runs everywhere, and what to compare with.

Vectors stand in blocks of `BLOCK`, in panels: coordinate by coordinate, side by side. The last
block is filled up with vectors whose half is infinite, and so is every score of theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.jit import compiled

__all__ = ["BLOCK", "keep", "only_within", "panel_width", "settle", "sweep"]

Numbers = NDArray[Any]
"""float32 or float64."""

Places = NDArray[np.int32]
Indices = NDArray[np.int64]

BLOCK = 96
"""Vectors of which only the least score is kept."""


def panel_width(itemsize: int) -> int:  # noqa: ARG001
    """Vectors side by side in a panel: here a whole block, whatever the size of a number."""
    return BLOCK


@compiled
def sweep(
    queries: Numbers,
    query_half: Numbers,
    keys: Numbers,
    key_half: Numbers,
    own: bool,
    first: int,
    last: int,
    best: Numbers,
    second: Numbers,
    where: Places,
) -> None:
    """Take the blocks first .. last - 1 of the keys into account.

    Parameters
    ----------
    queries, keys : ndarray of float, flat
        Panels.
    query_half, key_half : ndarray of float
        score(i, j) = query_half[i] + key_half[j] + the inner product of query i and key j.
    own : bool
        Queries and keys are the same: pairs of blocks are met once, and serve both.
    first, last : int
    best, second, where : in and out, one a query
        The least of all block minima so far, its block, and the least of the other block minima.

    Notes
    -----
    O((last - first) b n d) time for blocks of b keys and n queries, half of it for `own`; O(b^2)
    memory.
    """
    depth = len(keys) // len(key_half)
    scores = np.empty((BLOCK, BLOCK), dtype=keys.dtype)
    for block in range(first, last):
        left, left_half = keys[block * BLOCK * depth :], key_half[block * BLOCK :]
        for other in range(block if own else 0, len(query_half) // BLOCK):
            right, right_half = queries[other * BLOCK * depth :], query_half[other * BLOCK :]
            for i in range(BLOCK):
                for j in range(BLOCK):
                    scores[i, j] = left_half[i] + right_half[j]
                for k in range(depth):
                    for j in range(BLOCK):
                        scores[i, j] += left[k * BLOCK + i] * right[k * BLOCK + j]
            for j in range(BLOCK):
                query = other * BLOCK + j
                keep(scores[:, j].min(), block, best, second, where, query)
            if own and other != block:
                for i in range(BLOCK):
                    keep(scores[i].min(), other, best, second, where, block * BLOCK + i)


@compiled
def keep(
    least: float, block: int, best: Numbers, second: Numbers, where: Places, query: int
) -> None:
    """Enter the least score of one more block."""
    smaller = least < best[query]
    beaten = best[query] if smaller else least
    second[query] = min(second[query], beaten)
    where[query] = block if smaller else where[query]
    best[query] = least if smaller else best[query]


@compiled
def settle(
    queries: Numbers,
    query_half: Numbers,
    keys: Numbers,
    key_half: Numbers,
    own: bool,
    order: Indices,
    where: Places,
    limits: Numbers,
    answers: Indices,
) -> None:
    """The one key of each query's best block with a score within the limit, -1 if not just one.

    Parameters
    ----------
    queries : ndarray of float, shape (m, d)
        Row by row.
    query_half : ndarray of float
    keys, key_half : ndarray of float
        Panels, as in `sweep`.
    own : bool
        A query is no answer to itself.
    order : ndarray of int64
        The queries to settle, best those of one block together.
    where : ndarray of int32
        Their best blocks.
    limits : ndarray of float
        How large a score may be.
    answers : out
    """
    depth = queries.shape[1]
    scores = np.empty(BLOCK, dtype=keys.dtype)
    for query in order:
        first = where[query] * BLOCK
        panel = keys[first * depth :]
        for j in range(BLOCK):
            scores[j] = query_half[query] + key_half[first + j]
        for k in range(depth):
            for j in range(BLOCK):
                scores[j] += queries[query, k] * panel[k * BLOCK + j]
        answers[query] = only_within(scores, first, limits[query], query if own else -1)


@compiled
def only_within(scores: Numbers, first: int, limit: float, but: int) -> int:
    """The one key with a score within the limit, other than `but`; -1 for none or several."""
    count = 0
    for place in range(len(scores)):
        count += scores[place] <= limit
    found = -1
    if count <= 2:
        for place in range(len(scores)):
            if scores[place] <= limit and first + place != but:
                if found >= 0:
                    return -1
                found = first + place
    return found
