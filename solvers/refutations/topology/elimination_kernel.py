"""Elimination over GF(2) on sparse columns, as in persistent homology, in compiled code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

__all__ = ["combine", "face_ranks", "insert", "reduce_columns"]

Numbers = NDArray[np.int64]
Places = NDArray[np.int32]
Flags = NDArray[np.bool_]

_SPREAD = 0x9E3779B97F4A7C15 >> 1  # times a key: its upper bits are a good hash


@compiled
def face_ranks(simplices: Numbers, binomials: Numbers) -> tuple[Numbers, Flags]:
    """Number the faces of sign patterns, up to a flip, and find the patterns that alternate."""
    count, size = simplices.shape
    faces = np.empty((count, size), dtype=np.int64)
    odd = np.ones(count, dtype=np.bool_)
    for row in range(count):
        simplex = simplices[row]
        for place in range(1, size):
            if (simplex[place] ^ simplex[place - 1]) & 1 == 0:
                odd[row] = False
        for left_out in range(size):
            first = simplex[1 if left_out == 0 else 0] & 1
            rank, code, rest = 0, 0, size - 2
            for place in range(size):
                if place != left_out:
                    rank += binomials[rest, simplex[place] >> 1]
                    if rest < size - 2:
                        code = 2 * code + ((simplex[place] & 1) ^ first)
                    rest -= 1
            faces[row, left_out] = -((rank << (size - 2)) + code)
    return faces, odd


@compiled
def _find(key: int, keys: Numbers, values: Places) -> int:
    """Return the place of a key in a hash table, or the free one where it belongs."""
    last = len(keys) - 1
    place = ((int(key) * _SPREAD) >> 24) & last  # plain Python must not overflow, either
    while values[place] >= 0 and keys[place] != key:
        place = (place + 1) & last
    return place


@compiled
def insert(pivots: Numbers, keys: Numbers, values: Places) -> None:
    """Put the number of each reduced column into a hash table, under its first row."""
    for column in range(len(pivots)):
        place = _find(pivots[column], keys, values)
        keys[place], values[place] = pivots[column], column


@compiled
def reduce_columns(
    faces: Numbers,
    odd: Flags,
    work: Numbers,
    state: Numbers,
    keys: Numbers,
    values: Places,
    rows: Numbers,
    starts: Numbers,
    sums: Places,
    sum_starts: Numbers,
    origins: Numbers,
    parities: Flags,
    steps: int,
) -> bool:
    """Reduce columns until a sum of them is odd and has no rows, or for so many steps."""
    read = 0
    while read < steps:
        if not state[2]:
            if state[0] == len(faces):
                return False
            size = faces.shape[1]
            work[0, :size] = faces[state[0]]
            state[2], state[3], state[4], state[5] = 1, size, odd[state[0]], 0
        kept = state[1]
        length, added = state[3], sum_starts[kept] + state[5]
        if length:
            place = _find(work[0, 0], keys, values)
            other = values[place]
            if other >= 0:
                begin, end = starts[other], starts[other + 1]
                if added == len(sums) or length + end - begin > work.shape[1]:
                    return False
                sums[added] = other
                state[5] += 1
                state[4] ^= parities[other]
                state[3] = _add(work, length, rows[begin:end])
                read += length + end - begin
                continue
            begin = starts[kept]
            full = kept + 2 > len(starts) or begin + length > len(rows)
            if full or 2 * kept + 2 > len(keys):
                return False
            keys[place], values[place] = work[0, 0], kept
            rows[begin : begin + length] = work[0, :length]
            starts[kept + 1] = begin + length
            sum_starts[kept + 1] = added
            origins[kept], parities[kept] = state[0], state[4] != 0
            state[1] += 1
            read += length
        state[0] += 1
        state[2] = 0
        if not length and state[4]:
            return True
    return False


@compiled
def _add(work: Numbers, length: int, other: Numbers) -> int:
    """Add a column to the one in work, with the same first row; return the length of the sum."""
    i, j, size = 1, 1, 0
    first, second = work[0], work[1]
    while i < length and j < len(other):
        if first[i] == other[j]:
            i += 1
            j += 1
        elif first[i] > other[j]:
            second[size] = first[i]
            i += 1
            size += 1
        else:
            second[size] = other[j]
            j += 1
            size += 1
    for place in range(i, length):
        second[size] = first[place]
        size += 1
    for place in range(j, len(other)):
        second[size] = other[place]
        size += 1
    for place in range(size):
        first[place] = second[place]
    return size


@compiled
def combine(sums: Places, sum_starts: Numbers, kept: int, added: int) -> Flags:
    """Mark the reduced columns whose origins add up, with its own, to a last column."""
    taken = np.zeros(kept, dtype=np.bool_)
    for place in range(sum_starts[kept], sum_starts[kept] + added):
        taken[sums[place]] ^= True
    for at in range(kept - 1, -1, -1):
        if taken[at]:
            for place in range(sum_starts[at], sum_starts[at + 1]):
                taken[sums[place]] ^= True
    return taken
