"""`samapprox.attention.vectors.relay_kernel` in numpy: nothing is compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["enter_pairs", "meet", "pairs_met", "squares_of", "within"]

Numbers = NDArray[Any]
"""float32 or float64."""

Indices = NDArray[np.int64]
Tokens = NDArray[np.int32]

_ENTRIES = 1 << 19  # differences in memory at once: 4 MiB


def meet(
    rows: Numbers,
    indptr: Indices,
    indices: Tokens,
    shown: Tokens,
    first: int,
    last: int,
    greatest: Numbers,
    second: Numbers,
    best: Tokens,
) -> None:
    """The tokens first .. last - 1 compare themselves with what their neighbours show.

    O(d) an edge, and sorting the edges.
    """
    query, key = _met(indptr, indices, shown, np.arange(first, last))
    pairs = np.unique(query * len(best) + key)  # a key met twice is no second to itself
    query, key = np.divmod(pairs, len(best))
    again = key == best[query]
    query, key = query[~again], key[~again]
    held = first + np.flatnonzero(best[first:last] >= 0)
    squares = np.concatenate((_squares(rows, query, key), greatest[held]))
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


def squares_of(rows: Numbers, tokens: Indices, keys: Tokens, squares: Numbers) -> None:
    """Squared distances of some tokens from one key each, as `meet` computes them."""
    squares[:] = _squares(rows, tokens, keys)


def within(
    rows: Numbers,
    indptr: Indices,
    indices: Tokens,
    held: Tokens,
    own: bool,
    tokens: Indices,
    limits: Numbers,
    places: Indices,
    found: Tokens,
) -> int:
    """All keys met by some tokens whose squared distance comes up to a limit; how many."""
    itself = np.empty(0, dtype=np.int32)
    place_of = np.empty(len(held), dtype=np.int64)
    place_of[tokens] = np.arange(len(tokens))
    holding = tokens[held[tokens] >= 0]
    queries, keys = [holding], [held[holding]]
    for shown in [itself] * own + [held]:
        query, key = _met(indptr, indices, shown, tokens)
        near = _squares(rows, query, key) >= limits[place_of[query]]
        queries.append(query[near])
        keys.append(key[near])
    place, key = place_of[np.concatenate(queries)], np.concatenate(keys)
    places[: len(place)], found[: len(key)] = place, key
    return len(place)


def pairs_met(
    indptr: Indices,
    indices: Tokens,
    shown: Tokens,
    first: int,
    last: int,
    left: Tokens,
    right: Tokens,
) -> int:
    """The pairs that `meet` compares, with the same arguments; how many.

    `left` and `right` have room for all edges of the tokens.
    """
    query, key = _met(indptr, indices, shown, np.arange(first, last))
    left[: len(query)], right[: len(key)] = query, key
    return len(query)


def _met(
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


def _squares(rows: Numbers, left: NDArray[Any], right: NDArray[Any]) -> Numbers:
    """Squared distances of pairs of rows, in the precision of the rows."""
    squares = np.empty(len(left), dtype=rows.dtype)
    step = max(1, _ENTRIES // rows.shape[1])
    with np.errstate(under="ignore"):
        for start in range(0, len(left), step):
            part = slice(start, start + step)
            apart = rows[left[part]] - rows[right[part]]
            squares[part] = np.einsum("nd,nd->n", apart, apart)
    return squares


def enter_pairs(left: Tokens, right: Tokens, own: bool, mask: int, bits: NDArray[np.uint64]) -> int:
    """Set the bits of unordered pairs; how many were not set before."""
    more, less = (pick(left, right).astype(np.int64) for pick in (np.maximum, np.minimum))
    place = (more * (more - 1) // 2 + less).astype(np.uint64)
    if not own:
        # the finaliser of splitmix64 (Steele, Lea, Flood 2014)
        place += np.uint64(0x9E3779B97F4A7C15)
        place = (place ^ (place >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        place = (place ^ (place >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        place = (place ^ (place >> np.uint64(31))) & np.uint64(mask)
    place = np.unique(place)
    word, bit = (place >> np.uint64(6)).astype(np.int64), np.uint64(1) << (place & np.uint64(63))
    new = (bits[word] & bit) == 0
    np.bitwise_or.at(bits, word[new], bit[new])
    return int(new.sum())
