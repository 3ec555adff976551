"""Compiled steps along a graph: searches, walks, edges, and reachable sets as rows of bits.

scipy.sparse.csgraph finds components here, but has no breadth-first depths: its Dijkstra took 20
to 45 times as long as `depths`, and its breadth-first orders 2 to 14 times.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled


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
def parents(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    depth: NDArray[np.int32],
    found: NDArray[np.int64],
) -> None:
    """Fill `found` with a token one step nearer to the source of `depths`; itself for the source.

    For a token of depth -1 it is the token itself as well.
    """
    n = len(indptr) - 1
    for token in range(n):
        found[token] = token
    for token in range(n):
        if depth[token] >= 0:
            for place in range(indptr[token], indptr[token + 1]):
                if depth[indices[place]] == depth[token] + 1:
                    found[indices[place]] = token


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


@compiled
def step_back(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    before: NDArray[np.uint64],
    sources: NDArray[np.int64],
    at: NDArray[np.int32],
    previous: NDArray[np.int32],
) -> None:
    """Fill `previous` with positions that passed each source on to the positions of `at`.

    Row p of `before` has the sources that reach position p before the layer, as bits. A
    position keeps what it has, so it comes first.
    """
    for need in range(len(sources)):
        word, bit = sources[need] // 64, np.uint64(1) << np.uint64(sources[need] % 64)
        here = at[need]
        previous[need] = here
        if before[here, word] & bit:
            continue
        for place in range(indptr[here], indptr[here + 1]):
            if before[indices[place], word] & bit:
                previous[need] = indices[place]
                break


@compiled
def have_edges(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    queries: NDArray[np.int64],
    keys: NDArray[np.int64],
    found: NDArray[np.bool_],
) -> None:
    """Fill `found` with whether each query attends to the key beside it, by bisection."""
    for place in range(len(queries)):
        low, high = indptr[queries[place]], indptr[queries[place] + 1]
        end, key = high, keys[place]
        while low < high:
            middle = (low + high) // 2
            if indices[middle] < key:
                low = middle + 1
            else:
                high = middle
        found[place] = low < end and indices[low] == key


@compiled
def walk_on(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    start: int,
    most_steps: int,
    walk: NDArray[np.int64],
) -> int:
    """Walk to the nearest token not yet visited, again and again, until all are visited.

    The number of tokens of `walk` that are filled; 0 if `walk` is too short, if it takes more than
    `most_steps` edges, or if a token cannot be reached.
    """
    n = len(indptr) - 1
    visited = np.zeros(n, dtype=np.bool_)
    seen = np.full(n, -1, dtype=np.int32)  # the search that last met a token
    before = np.empty(n, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    here, length, steps = start, 1, 0
    walk[0] = start
    visited[start] = True
    for search in range(n - 1):
        queue[0] = here
        seen[here] = search
        head, tail, target = 0, 1, -1
        while target < 0:
            if head == tail:
                return 0
            token = queue[head]
            head += 1
            for place in range(indptr[token], indptr[token + 1]):
                follower = indices[place]
                steps += 1
                if seen[follower] != search:
                    seen[follower] = search
                    before[follower] = token
                    if not visited[follower]:
                        target = follower
                        break
                    queue[tail] = follower
                    tail += 1
        added = 0
        token = target
        while token != here:
            token = before[token]
            added += 1
        if length + added > len(walk) or steps > most_steps:
            return 0
        token = target
        for place in range(length + added - 1, length - 1, -1):
            walk[place] = token
            token = before[token]
        length += added
        visited[target] = True
        here = target
    return length
