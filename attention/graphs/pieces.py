"""Building blocks of sparse masks: runs of keys, global tokens, random keys."""

from __future__ import annotations

import numpy as np

from samapprox.attention.graphs.graph import AttentionGraph, check_edges, check_tokens
from samapprox.support.arrays import Numbers


def tokens(n: int) -> Numbers:
    """Return 0..n-1 for a number of tokens within range."""
    check_tokens(n)
    return np.arange(n, dtype=np.int64)


def progressions(first: Numbers, counts: Numbers, step: int = 1) -> AttentionGraph:
    """Let query i attend to first[i], first[i] + step, .., counts[i] keys in all.

    O(n + edges).
    """
    indptr = np.concatenate(([0], np.cumsum(counts)))
    check_edges(int(indptr[-1]))
    indices = np.arange(indptr[-1], dtype=np.int32)
    indices -= np.repeat(indptr[:-1].astype(np.int32), counts)
    indices *= np.int32(step)
    indices += np.repeat(first.astype(np.int32), counts)
    return AttentionGraph(indptr, indices)


def intervals(start: Numbers, stop: Numbers) -> AttentionGraph:
    """Let query i attend to the existing keys start[i]..stop[i]-1; none if stop <= start."""
    start, stop = np.maximum(start, 0), np.minimum(stop, len(start))
    return progressions(start, np.maximum(stop - start, 0))


def around(n: int, left: int, right: int, step: int = 1) -> AttentionGraph:
    """Let query i attend to the existing keys i + step t for t = -left..right."""
    query = tokens(n)
    before = np.minimum(left, query // step)
    after = np.minimum(right, (n - 1 - query) // step)
    return progressions(query - step * before, before + after + 1, step)


def self_loops(n: int) -> AttentionGraph:
    """Let every token attend to itself alone."""
    return progressions(tokens(n), np.ones(n, dtype=np.int64))


def attended_by_all(n: int, start: int, stop: int) -> AttentionGraph:
    """Let every query attend to the keys start..stop-1."""
    return intervals(np.full(n, start), np.full(n, stop))


def attending_to_all(n: int, start: int, stop: int) -> AttentionGraph:
    """Let the queries start..stop-1 attend to every key."""
    query = tokens(n)
    return intervals(np.zeros(n, dtype=np.int64), np.where((query >= start) & (query < stop), n, 0))


def from_keys(keys: Numbers) -> AttentionGraph:
    """Let query i attend to the distinct keys of row i, in any order."""
    n, r = keys.shape
    check_edges(keys.size)
    return AttentionGraph(
        np.arange(n + 1, dtype=np.int64) * r, np.sort(keys, axis=1).astype(np.int32).ravel()
    )


def blow_up(graph: AttentionGraph, block: int, n: int) -> AttentionGraph:
    """Return the graph on n tokens in which blocks attend to blocks as `graph` says.

    `graph` has one token for each of the ceil(n / block) blocks; the last block may be shorter.
    """
    sizes = np.full(graph.n, block, dtype=np.int64)
    sizes[-1] = n - block * (graph.n - 1)
    own = tokens(n) // block
    per_block = np.concatenate(([0], np.cumsum(sizes[graph.indices])))
    width = (per_block[graph.indptr[1:]] - per_block[graph.indptr[:-1]])[own]
    check_edges(int(width.sum()))
    rows = [
        (graph.keys(i).astype(np.int32)[:, None] * block + np.arange(block, dtype=np.int32)).ravel()
        for i in range(graph.n)
    ]
    tiled = [np.tile(row[row < n], sizes[i]) for i, row in enumerate(rows)]
    return AttentionGraph(np.concatenate(([0], np.cumsum(width))), np.concatenate(tiled))


# -------------------------------------------------------------------- random keys


def distinct(rng: np.random.RandomState, count: int, population: int) -> Numbers:
    """Draw so many distinct numbers of 0..population-1, uniformly over sets; ascending.

    O(count log count), unless more than a quarter is drawn: then O(population).
    """
    if population <= 4 * count:
        return np.sort(rng.permutation(population)[:count]).astype(np.int64)
    seen = np.empty(0, dtype=np.int64)
    while len(seen) < count:
        more = rng.randint(0, population, size=count + count // 2 + 16, dtype=np.int64)
        seen = np.concatenate((seen, more))
        _, first = np.unique(seen, return_index=True)
        seen = seen[np.sort(first)]  # each where it was drawn first
    return np.sort(seen[:count])


def draw_distinct(rng: np.random.RandomState, population: Numbers, r: int) -> Numbers:
    """Draw, for every i, r distinct numbers of 0..population[i]-1, uniformly over sets.

    O(n r^2), by Floyd's method (Bentley and Floyd 1987): the j-th draw is from one number more
    than the one before; what has been drawn already is replaced by that last number.
    """
    chosen = np.empty((len(population), r), dtype=np.int64)
    for j in range(r):
        last = population - r + j
        draw = rng.randint(0, last + 1, dtype=np.int64)
        taken = (chosen[:, :j] == draw[:, None]).any(axis=1)
        chosen[:, j] = np.where(taken, last, draw)
    return chosen


def without(ranks: Numbers, *gaps: tuple[Numbers, Numbers]) -> Numbers:
    """Turn ranks among the keys outside some intervals into keys."""
    keys = ranks.copy()
    for start, stop in gaps:
        keys += np.where(keys >= start[:, None], np.maximum(stop - start, 0)[:, None], 0)
    return keys
