"""One layer of relay tokens on a graph: the furthest vector among those of the neighbours.

Keys are collected for some tokens at a time, so that the rows they name can be asked for before
they are read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.vectors.row_distance import (
    AHEAD,
    GROUP,
    ask_for,
    four_distances,
    meet_keys,
)
from samapprox.support.jit import compiled

__all__ = ["meet", "pairs_met", "squares_of", "within"]

Numbers = NDArray[Any]
"""float32 or float64."""

Starts = NDArray[np.int64]
Tokens = NDArray[np.int32]

_ROOM = 1024  # keys collected at a time
_TOKENS = 64
_TOKENS_AHEAD = 16  # the same, where tokens share most of their keys
_CACHED = 1 << 18  # bytes of neighbouring rows, which need not be asked for


@compiled
def meet(
    rows: Numbers,
    indptr: Starts,
    indices: Tokens,
    shown: Tokens,
    first: int,
    last: int,
    greatest: Numbers,
    second: Numbers,
    best: Tokens,
) -> None:
    """Let the tokens first .. last - 1 compare themselves with what their neighbours offer.

    Parameters
    ----------
    rows : ndarray of float, shape (n, w)
        See `samapprox.attention.vectors.rows.Rows`.
    indptr, indices : ndarray
        The neighbours.
    shown : ndarray of int32, shape (n,)
        The vector that each token shows, -1 for none; of length 0: its own.
    first, last : int
    greatest, second, best : in and out, shape (n,)
        The greatest squared distance as computed, the greatest to any other key, and its key.

    Notes
    -----
    O(d) an edge. The same key may be met several times; it is no second to itself.
    """
    if len(shown) or indptr[last] + AHEAD + GROUP > len(indices):
        _meet_shown(rows, indptr, indices, shown, first, last, greatest, second, best)
        return
    most_apart = _CACHED // (rows.shape[1] * rows.itemsize)
    for token in range(first, last):
        start, stop = indptr[token], indptr[token + 1]
        if start < stop:
            ask = indices[stop - 1] - indices[start] > most_apart
            if not ask:  # in a window one key is new, the last
                ask_for(rows, indices[indptr[min(token + _TOKENS_AHEAD, last)] - 1])
            meet_keys(rows, token, indices, start, stop, ask, greatest, second, best)


@compiled
def _meet_shown(
    rows: Numbers,
    indptr: Starts,
    indices: Tokens,
    shown: Tokens,
    first: int,
    last: int,
    greatest: Numbers,
    second: Numbers,
    best: Tokens,
) -> None:
    """Meet with the keys collected for some tokens at a time, to prefetch them."""
    keys = np.zeros(_ROOM + AHEAD + GROUP, dtype=np.int32)
    ends = np.empty(_TOKENS, dtype=np.int64)
    token, edge = first, indptr[first]
    while token < last:
        start, tokens, count = token, 0, 0
        while token < last and tokens < _TOKENS and count < _ROOM:
            stop = min(indptr[token + 1], edge + _ROOM - count)
            while edge < stop:
                key = shown[indices[edge]] if len(shown) else indices[edge]
                keys[count] = key
                count += 0 <= key != token
                edge += 1
            ends[tokens] = count
            tokens += 1
            if stop < indptr[token + 1]:
                break  # no more room; the token comes again
            token += 1
        keys[count : count + GROUP] = 0
        for ahead in range(min(AHEAD, count)):
            ask_for(rows, keys[ahead])
        place = 0
        for turn in range(tokens):
            if place < ends[turn]:
                query = start + turn
                meet_keys(rows, query, keys, place, ends[turn], True, greatest, second, best)
                place = ends[turn]


@compiled
def squares_of(rows: Numbers, tokens: Starts, keys: Tokens, squares: Numbers) -> None:
    """Compute squared distances of some tokens from one key each, as `meet` does."""
    four = np.empty(GROUP, dtype=rows.dtype)
    same = np.empty(GROUP, dtype=np.int32)
    for place in range(len(tokens)):
        same[:] = keys[place]
        four_distances(rows, tokens[place], same, four)
        squares[place] = four[0]


@compiled
def within(
    rows: Numbers,
    indptr: Starts,
    indices: Tokens,
    held: Tokens,
    own: bool,
    tokens: Starts,
    limits: Numbers,
    places: Starts,
    found: Tokens,
) -> int:
    """Collect keys met by some tokens at a squared distance up to a limit; return their number.

    Parameters
    ----------
    rows, indptr, indices
        As in `meet`.
    held : ndarray of int32, shape (n,)
        The candidates.
    own : bool
        Whether the neighbours' vectors were met too.
    tokens : ndarray of int64, shape (r,)
    limits : ndarray of float64, shape (r,)
    places, found : out
        Which of the tokens, and the key; a key more than once if it was met so. Room for two
        entries an edge and one more a token.
    """
    four = np.empty(GROUP, dtype=rows.dtype)
    keys = np.zeros(GROUP, dtype=np.int32)
    count = 0
    for place in range(len(tokens)):
        token = np.int32(tokens[place])
        if held[token] >= 0:
            places[count], found[count] = place, held[token]
            count += 1
        for edge in range(indptr[token], indptr[token + 1]):
            neighbour = indices[edge]
            candidate = held[neighbour]
            keys[0] = neighbour if own else token
            keys[1] = candidate if candidate >= 0 else token
            four_distances(rows, token, keys, four)
            for step in range(2):
                if keys[step] != token and four[step] >= limits[place]:
                    places[count], found[count] = place, keys[step]
                    count += 1
    return count


@compiled
def pairs_met(
    indptr: Starts,
    indices: Tokens,
    shown: Tokens,
    first: int,
    last: int,
    left: Tokens,
    right: Tokens,
) -> int:
    """Write the pairs that `meet` compares, with the same arguments; return their number.

    `left` and `right` have room for all edges of the tokens.
    """
    count = 0
    for token in range(first, last):
        for edge in range(indptr[token], indptr[token + 1]):
            key = shown[indices[edge]] if len(shown) else indices[edge]
            if 0 <= key != token:
                left[count], right[count] = token, key
                count += 1
    return count
