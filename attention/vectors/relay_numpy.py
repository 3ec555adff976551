"""`samapprox.attention.vectors.relay_kernel` in numpy, and the pairs that tokens compare."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.vectors.near_ties import squared_distances
from samapprox.support.arrays import Indices, Reals, Tokens, hash_numbers

_EDGES = 1 << 19  # edges that are followed at once


def meet(
    rows: Reals,
    indptr: Indices,
    indices: Tokens,
    shown: Tokens,
    first: int,
    last: int,
    greatest: Reals,
    second: Reals,
    best: Tokens,
) -> None:
    """Let the tokens first .. last - 1 compare themselves with what their neighbours offer.

    O(d) an edge, and sorting the edges.
    """
    query, key = pairs_met(indptr, indices, shown, np.arange(first, last))
    pairs = np.unique(query * len(best) + key)  # a key met twice is no second to itself
    query, key = np.divmod(pairs, len(best))
    again = key == best[query]
    query, key = query[~again], key[~again]
    held = first + np.flatnonzero(best[first:last] >= 0)
    squares = squared_distances(rows, query, key, rows.dtype)
    squares = np.concatenate((squares, greatest[held]))
    query = np.concatenate((query, held))
    key = np.concatenate((key, best[held]))
    order = np.lexsort((-squares, query))
    query, key, squares = query[order], key[order], squares[order]
    tokens, place = np.unique(query, return_index=True)
    greatest[tokens], best[tokens] = squares[place], key[place]
    following = np.minimum(place + 1, len(query) - 1)
    several = query[following] == tokens
    several &= following > place
    tokens, following = tokens[several], following[several]
    second[tokens] = np.maximum(second[tokens], squares[following])


def count_pairs(
    indptr: Indices,
    indices: Tokens,
    shown: Tokens,
    exact: bool,
    mask: int,
    bits: NDArray[np.uint64],
) -> int:
    """Set the bits of the unordered pairs that `meet` compares; how many were not set before."""
    new = 0
    for tokens in split_tokens(indptr, np.arange(len(indptr) - 1)):
        query, key = pairs_met(indptr, indices, shown, tokens)
        more, less = np.maximum(query, key), np.minimum(query, key)
        place = (more * (more - 1) // 2 + less).astype(np.uint64)
        if not exact:
            place = hash_numbers(place) & np.uint64(mask)
        place = np.unique(place)
        word = (place >> np.uint64(6)).astype(np.int64)
        bit = np.uint64(1) << (place & np.uint64(63))
        fresh = (bits[word] & bit) == 0
        np.bitwise_or.at(bits, word[fresh], bit[fresh])
        new += int(fresh.sum())
    return new


def pairs_met(
    indptr: Indices, indices: Tokens, shown: Tokens, tokens: Indices
) -> tuple[Indices, Tokens]:
    """The tokens, and the keys that their neighbours show to them, other than themselves."""
    degrees = indptr[tokens + 1] - indptr[tokens]
    query = np.repeat(tokens, degrees)
    before = np.repeat(np.cumsum(degrees) - degrees, degrees)
    neighbour = indices[np.repeat(indptr[tokens], degrees) + np.arange(len(query)) - before]
    key = shown[neighbour] if len(shown) else neighbour
    there = (key >= 0) & (key != query)
    return query[there], key[there]


def split_tokens(indptr: Indices, tokens: Indices) -> list[Indices]:
    """Return the tokens, some at a time, so that their edges are not too many for the memory."""
    running = np.cumsum(indptr[tokens + 1] - indptr[tokens])
    cuts = np.flatnonzero(np.diff(running // _EDGES)) + 1
    return np.split(tokens, cuts) if len(tokens) else []
