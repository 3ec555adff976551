"""The least scores of every query, in plain loops: portable, and the reference for tests.

Vectors stand in blocks of `BLOCK`, in panels: coordinate by coordinate, side by side. The last
block is filled up with vectors whose half is infinite, and so is every score of theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

__all__ = [
    "BLOCK",
    "candidates",
    "collect",
    "keep",
    "only_within",
    "pack",
    "panel_width",
    "settle",
    "sweep",
]

Numbers = NDArray[Any]
"""float32 or float64."""

Places = NDArray[np.int32]
Indices = NDArray[np.int64]

BLOCK = 48
"""Vectors of which only the least score is kept."""

_LINE = 16


def panel_width(itemsize: int) -> int:
    """Return the number of vectors in a panel: here a whole block, for any number type."""
    return BLOCK


@compiled
def pack(vectors: Numbers, width: int, panels: Numbers, squares: NDArray[np.float64]) -> None:
    """Lay vectors out in panels, and sum the squares of their coordinates in float64."""
    count, depth = vectors.shape
    for first in range(0, len(panels) // depth, width):
        panel = panels[first * depth : (first + width) * depth]
        there = max(0, min(width, count - first))
        if there < width:
            panel[:] = 0
        for start in range(0, depth, _LINE):  # a cache line of each vector at a time
            stop = min(start + _LINE, depth)
            for place in range(there):
                for k in range(start, stop):
                    panel[k * width + place] = vectors[first + place, k]
        sums = squares[first : first + there]
        sums[:] = 0
        for k in range(depth):
            for place in range(there):
                number = np.float64(panel[k * width + place])
                sums[place] += number * number


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

    score(i, j) = query_half[i] + key_half[j] + the inner product of query i and key j. `best` and
    `where` are the least of all block minima so far and its block, `second` is the least of the
    other block minima. With `own`, pairs of blocks are met once, and serve both.

    O((last - first) b n d) time for blocks of b keys and n queries, half of it for `own`; O(b^2)
    memory.
    """
    depth = len(keys) // len(key_half)
    scores = np.empty((BLOCK, BLOCK), dtype=keys.dtype)
    for other in range(first if own else 0, len(query_half) // BLOCK):
        right, right_half = queries[other * BLOCK * depth :], query_half[other * BLOCK :]
        for block in range(first, min(last, other + 1) if own else last):
            left, left_half = keys[block * BLOCK * depth :], key_half[block * BLOCK :]
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
    """Find the one key of each query's best block with a score within the limit; -1 if not
    unique.
    """
    scores = np.empty(BLOCK, dtype=keys.dtype)
    for query in order:
        _block_scores(queries, query_half, keys, key_half, query, where[query], scores)
        first = where[query] * BLOCK
        answers[query] = only_within(scores, first, limits[query], query if own else -1)


@compiled
def candidates(
    queries: Numbers,
    query_half: Numbers,
    keys: Numbers,
    key_half: Numbers,
    own: bool,
    rows: Indices,
    limits: Numbers,
    counts: Indices,
    found: Indices,
) -> None:
    """Find all keys with a score within the limit, for some queries."""
    scores = np.empty(BLOCK, dtype=keys.dtype)
    for place in range(len(rows)):
        query = rows[place]
        but = query if own else -1
        for block in range(len(key_half) // BLOCK):
            _block_scores(queries, query_half, keys, key_half, query, block, scores)
            counts[place] = collect(
                scores, block * BLOCK, limits[query], but, counts[place], found[place]
            )


@compiled
def _block_scores(
    queries: Numbers,
    query_half: Numbers,
    keys: Numbers,
    key_half: Numbers,
    query: int,
    block: int,
    scores: Numbers,
) -> None:
    """Compute the scores of queries with the keys of a block."""
    depth, first = queries.shape[1], block * BLOCK
    panel = keys[first * depth :]
    for j in range(BLOCK):
        scores[j] = query_half[query] + key_half[first + j]
    for k in range(depth):
        for j in range(BLOCK):
            scores[j] += queries[query, k] * panel[k * BLOCK + j]


@compiled
def collect(scores: Numbers, first: int, limit: float, but: int, count: int, found: Indices) -> int:
    """Enter the keys with a score within the limit, other than `but`; how many there are now."""
    within = 0
    for place in range(len(scores)):
        within += scores[place] <= limit
    if within:
        for place in range(len(scores)):
            if scores[place] <= limit and first + place != but:
                if count < len(found):
                    found[count] = first + place
                count += 1
    return count


@compiled
def only_within(scores: Numbers, first: int, limit: float, but: int) -> int:
    """Return the one key with a score within the limit, other than `but`; -1 if not unique."""
    count = places = 0
    for place in range(len(scores)):
        within = int(scores[place] <= limit)
        count += within
        places += within * place
    own = but - first
    if 0 <= own < len(scores) and scores[own] <= limit:
        count -= 1
        places -= own
    return first + places if count == 1 else -1
