"""One layer of relay tokens on a graph: who is furthest among what the neighbours show and hold.

Keys are collected for some tokens at a time, so that the rows they name can be asked for before
they are read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.jit import compiled
from samapprox.solvers.row_distance import GROUP, four_distances, prefetch

__all__ = ["meet", "pairs_met", "squares_of", "within"]

Numbers = NDArray[Any]
"""float32 or float64."""

Starts = NDArray[np.int64]
Tokens = NDArray[np.int32]

_ROOM = 1024  # keys collected at a time
_TOKENS = 64
_AHEAD = 16  # keys between the one that is read and the one that is asked for


@compiled
def meet(
    rows: Numbers,
    indptr: Starts,
    indices: Tokens,
    held: Tokens,
    changed: Tokens,
    since: int,
    first: int,
    last: int,
    greatest: Numbers,
    second: Numbers,
    best: Tokens,
) -> None:
    """The tokens first .. last - 1 compare themselves with their neighbours' vectors or candidates.

    Parameters
    ----------
    rows : ndarray of float, shape (n, w)
        See `samapprox.solvers.rows.Rows`.
    indptr, indices : ndarray
        The neighbours.
    held : ndarray of int32, shape (n,)
        The candidates that are shown, -1 where there is none; of length 0: the neighbours
        themselves are.
    changed : ndarray of int32, shape (n,)
        The layer in which a token took its candidate.
    since : int
        Candidates taken before this layer have been compared on these edges already.
    first, last : int
    greatest, second, best : in and out, shape (n,)
        The greatest squared distance as computed, the greatest to any other key, and its key.

    Notes
    -----
    O(d) an edge. The same key may be met several times; it is no second to itself.
    """
    keys = np.zeros(_ROOM + _AHEAD + GROUP, dtype=np.int32)
    ends = np.empty(_TOKENS, dtype=np.int64)
    four = np.empty(GROUP, dtype=rows.dtype)
    token, edge = first, indptr[first]
    while token < last:
        start, tokens, count = token, 0, 0
        while token < last and tokens < _TOKENS and count < _ROOM:
            stop = min(indptr[token + 1], edge + _ROOM - count)
            while edge < stop:
                key = indices[edge]
                if len(held):
                    key = -1 if changed[key] < since else held[key]
                keys[count] = key
                count += 0 <= key != token
                edge += 1
            ends[tokens] = count
            tokens += 1
            if stop < indptr[token + 1]:
                break  # no more room; the token comes again
            token += 1
        keys[count : count + GROUP] = 0
        place = 0
        for turn in range(tokens):
            query = start + turn
            most, next_most, furthest = greatest[query], second[query], best[query]
            while place < ends[turn]:
                for step in range(GROUP):
                    prefetch(rows, keys[place + _AHEAD + step])
                four_distances(rows, query, keys, place, four)
                for step in range(min(GROUP, ends[turn] - place)):
                    square, key = four[step], keys[place + step]
                    further = square > most
                    loser, its_key = (most, furthest) if further else (square, key)
                    most, furthest = (square, key) if further else (most, furthest)
                    next_most = max(next_most, loser) if its_key != furthest else next_most
                place += GROUP
            place = ends[turn]
            greatest[query], second[query], best[query] = most, next_most, furthest


@compiled
def squares_of(rows: Numbers, tokens: Starts, keys: Tokens, squares: Numbers) -> None:
    """Squared distances of some tokens from one key each, as `meet` computes them."""
    four = np.empty(GROUP, dtype=rows.dtype)
    same = np.empty(GROUP, dtype=np.int32)
    for place in range(len(tokens)):
        same[:] = keys[place]
        four_distances(rows, tokens[place], same, 0, four)
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
    """All keys met by some tokens whose squared distance comes up to a limit; how many.

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
            four_distances(rows, token, keys, 0, four)
            for step in range(2):
                if keys[step] != token and four[step] >= limits[place]:
                    places[count], found[count] = place, keys[step]
                    count += 1
    return count


@compiled
def pairs_met(
    indptr: Starts,
    indices: Tokens,
    held: Tokens,
    changed: Tokens,
    since: int,
    first: int,
    last: int,
    left: Tokens,
    right: Tokens,
) -> int:
    """The pairs that `meet` compares, with the same arguments; how many.

    `left` and `right` have room for all edges of the tokens.
    """
    count = 0
    for token in range(first, last):
        for edge in range(indptr[token], indptr[token + 1]):
            key = indices[edge]
            if len(held):
                key = -1 if changed[key] < since else held[key]
            if 0 <= key != token:
                left[count], right[count] = token, key
                count += 1
    return count
