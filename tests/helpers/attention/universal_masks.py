"""Masks of the universality theorems, and ids of all inputs by their definition."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs import AttentionGraph, SparseAttention
from samapprox.attention.graphs.walks import Walk
from samapprox.attention.transformers.universality.contextual import ContextualMapping
from samapprox.attention.transformers.universality.grid import Grid

__all__ = ["all_ids", "are_distinct", "connected_masks", "mask", "shifted_ids", "star_masks"]


def mask(rows: NDArray[np.bool_]) -> AttentionGraph:
    """The graph of a boolean matrix: entry (i, j) means that i attends to j."""
    counts = np.concatenate(([0], np.cumsum(rows.sum(axis=1))))
    return AttentionGraph.from_csr(counts, np.flatnonzero(rows) % len(rows))


def connected_masks(n: int) -> Iterator[SparseAttention]:
    """Every mask with all self-loops in which every token hears of every other."""
    places = [(i, j) for i in range(n) for j in range(n) if i != j]
    for bits in range(1 << len(places)):
        rows = np.eye(n, dtype=np.bool_)
        for number, place in enumerate(places):
            rows[place] = bits >> number & 1
        if (np.linalg.matrix_power(rows.astype(np.int64), n) > 0).all():
            yield SparseAttention((mask(rows),))


def star_masks(leaves: int) -> Iterator[SparseAttention]:
    """Every mask that contains the star of Zaheer et al. around 0, which may lack its loop."""
    free = [(0, 0), *product(range(1, leaves + 1), repeat=2)]
    free = [(i, j) for i, j in free if i != j or i == 0]
    for bits in range(1 << len(free)):
        rows = np.eye(leaves + 1, dtype=np.bool_)
        rows[0], rows[:, 0] = True, True
        for number, place in enumerate(free):
            rows[place] = bits >> number & 1
        yield SparseAttention((mask(rows),))


def all_ids(mapping: ContextualMapping, attention: SparseAttention) -> list[list[int]]:
    """The ids of all tokens, for each grid point, by running the layers."""
    encoding = mapping.encoding
    grid = Grid(encoding.n, encoding.d, encoding.steps)
    inputs = grid.points(0, grid.size) + encoding.positions
    columns = mapping.apply(inputs.transpose(1, 0, 2), attention)
    found: list[list[int]] = mapping.ids(columns).tolist()
    return found


def are_distinct(ids: list[list[int]]) -> bool:
    """Properties 7.1 and 7.2 at once: no id occurs twice."""
    return len({number for row in ids for number in row}) == sum(map(len, ids))


def shifted_ids(
    attention: SparseAttention, walk: Walk, start: list[int], factors: list[int]
) -> list[int]:
    """The ids of one input after all shifts, token by token: F_t = o_t + c_t (F_(t-1) - m_t)."""
    ids = list(start)
    steps = zip(walk.tokens[1:].tolist(), walk.patterns[1:].tolist(), factors, strict=True)
    for token, pattern, factor in steps:
        seen = [ids[k] for k in attention.selectable[pattern].keys(token).tolist()]
        ids[token] += factor * (max(seen) - min(seen))
    return ids
