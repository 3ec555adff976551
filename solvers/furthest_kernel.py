"""The least scores of every query, tile by tile: `furthest_plain` at the speed of the machine.

Needs the vectors of `furthest_tile`. One tile of inner products serves its rows and its columns.
"""

from __future__ import annotations

import numpy as np

from samapprox.solvers.furthest_plain import BLOCK, Indices, Numbers, Places, keep, only_within
from samapprox.solvers.furthest_tile import (
    TILE,
    lane_minima,
    panel_width,
    tile_minima,
    tile_scores,
)
from samapprox.solvers.jit import compiled

__all__ = ["BLOCK", "panel_width", "settle", "sweep"]

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
    """What `samapprox.solvers.furthest_plain.sweep` does, with the same arguments.

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
    for block in range(first, last):
        left, left_half = keys[block * BLOCK * depth :], key_half[block * BLOCK :]
        for other in range(block if own else 0, len(query_half) // BLOCK):
            right, right_half = queries[other * BLOCK * depth :], query_half[other * BLOCK :]
            spread[:] = np.inf
            query_least[:] = np.inf
            for j in range(0, BLOCK, width):
                for i in range(0, BLOCK, _ROWS):
                    tile_minima(
                        left[i // width * width * depth + i % width :],
                        left_half[i:],
                        right[j * depth :],
                        right_half[j:],
                        depth,
                        spread[i * lanes :],
                        query_least[j:],
                    )
            _keep_all(query_least, block, other, best, second, where)
            if own and other != block:
                for i in range(0, BLOCK, lanes):
                    lane_minima(spread[i * lanes :], key_least[i:])
                _keep_all(key_least, other, block, best, second, where)


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
    """What `samapprox.solvers.furthest_plain.settle` does, with the same arguments.

    Queries with the same best block are taken R at a time.
    """
    depth = queries.shape[1]
    width = _WIDTHS[0] if keys.itemsize == 4 else _WIDTHS[1]
    numbers = np.zeros(_ROWS * depth, dtype=keys.dtype)
    half = np.zeros(_ROWS, dtype=keys.dtype)
    scores = np.empty((_ROWS, BLOCK), dtype=keys.dtype)
    start = 0
    while start < len(order):
        block = where[order[start]]
        stop = start
        while stop < min(start + _ROWS, len(order)) and where[order[stop]] == block:
            half[stop - start] = query_half[order[stop]]
            for k in range(depth):
                numbers[k * _ROWS + stop - start] = queries[order[stop], k]
            stop += 1
        first = block * BLOCK
        for j in range(0, BLOCK, width):
            panel, panel_half = keys[(first + j) * depth :], key_half[first + j :]
            tile_scores(numbers, half, panel, panel_half, depth, scores.ravel()[j:], BLOCK)
        for place in range(start, stop):
            query = order[place]
            answers[query] = only_within(
                scores[place - start], first, limits[query], query if own else -1
            )
        start = stop
