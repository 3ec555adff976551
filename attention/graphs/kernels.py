"""Compiled steps along a graph: breadth-first search, and reachable sets as rows of bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

__all__ = ["advance", "depths", "farthest"]


@compiled
def depths(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], source: int, found: NDArray[np.int32]
) -> int:
    """Fill `found` with every token's distance from the source (-1: never); the number reached."""
    n = len(indptr) - 1
    found[:] = -1
    queue = np.empty(n, dtype=np.int32)
    queue[0] = source
    found[source] = 0
    head, tail = 0, 1
    while head < tail:
        token = queue[head]
        head += 1
        for place in range(indptr[token], indptr[token + 1]):
            key = indices[place]
            if found[key] < 0:
                found[key] = found[token] + 1
                queue[tail] = key
                tail += 1
    return tail


@compiled
def farthest(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], found: NDArray[np.int32]
) -> tuple[int, int, int]:
    """Return the greatest distance, with its two tokens, over all sources; all must reach all."""
    best, start, end = 0, 0, 0
    for source in range(len(indptr) - 1):
        depths(indptr, indices, source, found)
        last = int(np.argmax(found))
        if found[last] > best:
            best, start, end = int(found[last]), source, last
    return best, start, end


@compiled
def advance(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    before: NDArray[np.uint64],
    after: NDArray[np.uint64],
) -> None:
    """Let row k of `after` be the union of the rows of `before` at the keys of k."""
    words = before.shape[1]
    for token in range(len(indptr) - 1):
        for word in range(words):
            after[token, word] = 0
        for place in range(indptr[token], indptr[token + 1]):
            key = indices[place]
            for word in range(words):
                after[token, word] |= before[key, word]
