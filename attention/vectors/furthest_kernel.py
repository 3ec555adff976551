"""The least scores of every query, tile by tile: a fast version of `furthest_plain`.

Needs the vectors of `furthest_tile`. One tile of inner products serves its rows and its columns.
"""

from __future__ import annotations

import numpy as np

from samapprox.attention.vectors.furthest_plain import (
    BLOCK,
    Indices,
    Numbers,
    Places,
    collect,
    keep,
    only_within,
    pack,
)
from samapprox.attention.vectors.furthest_tile import (
    TILE,
    lane_minima,
    panel_width,
    tile_minima,
    tile_scores,
)
from samapprox.support.jit import compiled

__all__ = ["BLOCK", "candidates", "pack", "panel_width", "settle", "sweep"]

_ROWS = TILE.rows if TILE else 1
_VECTORS = TILE.vectors if TILE else 1
_WIDTHS = (panel_width(4), panel_width(8)) if TILE else (1, 1)


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
    """Compiled counterpart of `samapprox.attention.vectors.furthest_plain.sweep`.

    Notes
    -----
    A pair of blocks takes b^2 d multiplications and 2 b^2 comparisons, b^2 / (2 R V) of them loads.
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
    least: Numbers, block: int, queries: int, best: Numbers, second: Numbers, where: Places
) -> None:
    """Enter the least scores of a block of queries."""
    start, stop = queries * BLOCK, (queries + 1) * BLOCK
    for place in range(BLOCK):
        keep(least[place], block, best[start:stop], second[start:stop], where[start:stop], place)


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
    """Compiled counterpart of `samapprox.attention.vectors.furthest_plain.settle`.

    Queries with the same best block are taken R at a time.
    """
    numbers, half = _room(queries, keys)
    scores = np.empty((_ROWS, BLOCK), dtype=keys.dtype)
    start = 0
    while start < len(order):
        block = where[order[start]]
        stop = start
        while stop < min(start + _ROWS, len(order)) and where[order[stop]] == block:
            numbers[stop - start] = queries[order[stop]]
            half[stop - start] = query_half[order[stop]]
            stop += 1
        _block_scores(numbers, half, keys, key_half, block, scores)
        for place in range(start, stop):
            query = order[place]
            answers[query] = only_within(
                scores[place - start], block * BLOCK, limits[query], query if own else -1
            )
        start = stop


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
    """Compiled counterpart of `samapprox.attention.vectors.furthest_plain.candidates`."""
    numbers, half = _room(queries, keys)
    scores = np.empty((_ROWS, BLOCK), dtype=keys.dtype)
    for start in range(0, len(rows), _ROWS):
        stop = min(start + _ROWS, len(rows))
        for place in range(start, stop):
            numbers[place - start] = queries[rows[place]]
            half[place - start] = query_half[rows[place]]
        for block in range(len(key_half) // BLOCK):
            _block_scores(numbers, half, keys, key_half, block, scores)
            for place in range(start, stop):
                query = rows[place]
                but = query if own else -1
                counts[place] = collect(
                    scores[place - start],
                    block * BLOCK,
                    limits[query],
                    but,
                    counts[place],
                    found[place],
                )


@compiled
def _room(queries: Numbers, keys: Numbers) -> tuple[Numbers, Numbers]:
    """Allocate room for R queries and their halves."""
    numbers = np.zeros((_ROWS, queries.shape[1]), dtype=keys.dtype)
    return numbers, np.zeros(_ROWS, dtype=keys.dtype)


@compiled
def _block_scores(
    numbers: Numbers, half: Numbers, keys: Numbers, key_half: Numbers, block: int, scores: Numbers
) -> None:
    """Compute the scores of queries with the keys of a block."""
    depth = numbers.shape[1]
    width = _WIDTHS[0] if keys.itemsize == 4 else _WIDTHS[1]
    for j in range(0, BLOCK, width):
        first = block * BLOCK + j
        panel, panel_half = keys[first * depth :], key_half[first:]
        tile_scores(numbers.ravel(), half, panel, panel_half, depth, scores.ravel()[j:], BLOCK)
