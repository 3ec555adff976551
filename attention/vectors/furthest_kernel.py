"""The least scores of every query, tile by tile.

Vectors stand in blocks of `BLOCK`, in panels: coordinate by coordinate, side by side. The last
block is filled up with vectors whose half is infinite, and so is every score of theirs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.vectors.tile_kernel import (
    TILE,
    lane_minima,
    panel_width,
    tile_minima,
    tile_scores,
)
from samapprox.support.arrays import Indices, Places, Reals
from samapprox.support.jit import compiled

BLOCK = 48
"""Vectors of which only the least score is kept."""

_LINE = 16  # numbers of a vector that are laid out at a time: a cache line of float32

_ROWS, _VECTORS = TILE.rows, TILE.vectors
_WIDTHS = panel_width(4), panel_width(8)


@compiled
def sweep(
    queries: Reals,
    query_half: Reals,
    keys: Reals,
    key_half: Reals,
    own: bool,
    first: int,
    last: int,
    best: Reals,
    second: Reals,
    where: Places,
) -> None:
    """Take the blocks first .. last - 1 of the keys into account.

    score(i, j) = query_half[i] + key_half[j] + the inner product of query i and key j. `best` and
    `where` are the least of all block minima so far and its block, `second` is the least of the
    other block minima. With `own`, pairs of blocks are met once, and serve both.

    O((last - first) b n d) time for blocks of b keys and n queries, half of it for `own`. A pair of
    blocks takes b^2 d multiplications and 2 b^2 comparisons, b^2 / (2 R V) of them loads.
    """
    depth = len(keys) // len(key_half)
    width = _WIDTHS[0] if keys.itemsize == 4 else _WIDTHS[1]
    lanes = width // _VECTORS
    spread = np.empty(BLOCK * lanes, dtype=keys.dtype)
    key_least = np.empty(BLOCK, dtype=keys.dtype)
    query_least = np.empty(BLOCK, dtype=keys.dtype)
    for other in range(first if own else 0, len(query_half) // BLOCK):
        right, right_half = queries[other * BLOCK * depth :], query_half[other * BLOCK :]
        for block in range(first, min(last, other + 1) if own else last):
            left, left_half = keys[block * BLOCK * depth :], key_half[block * BLOCK :]
            spread[:] = np.inf
            query_least[:] = np.inf
            for j in range(0, BLOCK, width):
                # Within a block each pair is met once, or twice in the tiles on the diagonal.
                for i in range(0, j + width if own and other == block else BLOCK, _ROWS):
                    tile_minima(
                        left[i // width * width * depth + i % width :],
                        left_half[i:],
                        right[j * depth :],
                        right_half[j:],
                        depth,
                        spread[i * lanes :],
                        query_least[j:],
                    )
            if own:
                for i in range(0, BLOCK, lanes):
                    lane_minima(spread[i * lanes :], key_least[i:])
                if other != block:
                    _keep_all(key_least, other, block, best, second, where)
                else:
                    for i in range(BLOCK):
                        query_least[i] = min(query_least[i], key_least[i])
            _keep_all(query_least, block, other, best, second, where)


@compiled
def _keep_all(
    least: Reals, block: int, queries: int, best: Reals, second: Reals, where: Places
) -> None:
    """Enter the least scores of a block of queries."""
    start, stop = queries * BLOCK, (queries + 1) * BLOCK
    for place in range(BLOCK):
        _keep(least[place], block, best[start:stop], second[start:stop], where[start:stop], place)


@compiled
def candidates(
    queries: Reals,
    query_half: Reals,
    keys: Reals,
    key_half: Reals,
    own: bool,
    rows: Indices,
    first: Places,
    last: Places,
    limits: Reals,
    counts: Indices,
    found: Indices,
) -> None:
    """Find the keys with a score within the limit, in the blocks first .. last - 1 of each query.

    `counts` is how many there are, zeros at first; `found` takes the first of them. Neighbouring
    queries with the same first block, and so the same last one, are taken R at a time.
    """
    numbers = np.zeros((_ROWS, queries.shape[1]), dtype=keys.dtype)
    half = np.zeros(_ROWS, dtype=keys.dtype)
    scores = np.empty((_ROWS, BLOCK), dtype=keys.dtype)
    start = 0
    while start < len(rows):
        stop = start
        while stop < min(start + _ROWS, len(rows)) and first[stop] == first[start]:
            for k in range(queries.shape[1]):
                numbers[stop - start, k] = queries[rows[stop], k]
            half[stop - start] = query_half[rows[stop]]
            stop += 1
        for block in range(first[start], last[start]):
            _block_scores(numbers, half, keys, key_half, block, scores)
            for place in range(start, stop):
                query = rows[place]
                counts[place] = _collect(
                    scores[place - start],
                    block * BLOCK,
                    limits[query],
                    query if own else -1,
                    counts[place],
                    found[place],
                )
        start = stop


@compiled
def _block_scores(
    numbers: Reals, half: Reals, keys: Reals, key_half: Reals, block: int, scores: Reals
) -> None:
    """Compute the scores of queries with the keys of a block."""
    depth = numbers.shape[1]
    width = _WIDTHS[0] if keys.itemsize == 4 else _WIDTHS[1]
    for j in range(0, BLOCK, width):
        first = block * BLOCK + j
        panel, panel_half = keys[first * depth :], key_half[first:]
        tile_scores(numbers.ravel(), half, panel, panel_half, depth, scores.ravel()[j:], BLOCK)


@compiled
def pack(vectors: Reals, width: int, panels: Reals, squares: NDArray[np.float64]) -> None:
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
def _keep(least: float, block: int, best: Reals, second: Reals, where: Places, query: int) -> None:
    """Enter the least score of one more block."""
    smaller = least < best[query]
    beaten = best[query] if smaller else least
    second[query] = min(second[query], beaten)
    where[query] = block if smaller else where[query]
    best[query] = least if smaller else best[query]


@compiled
def _collect(scores: Reals, first: int, limit: float, but: int, count: int, found: Indices) -> int:
    """Enter the keys with a score within the limit, other than `but`; how many there are now."""
    within = 0
    for place in range(len(scores)):
        within += scores[place] <= limit
    place = 0
    while within:
        if scores[place] <= limit:
            within -= 1
            if first + place != but:
                if count < len(found):
                    found[count] = first + place
                count += 1
        place += 1
    return count
