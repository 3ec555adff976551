"""Opposed sign patterns, and elimination over GF(2) on their faces, in compiled code.

`list_simplices` lists the patterns; `reduce_columns` eliminates, as in persistent homology.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

__all__ = [
    "Stack",
    "combine",
    "face_ranks",
    "insert",
    "list_simplices",
    "make_stack",
    "reduce_columns",
]

Words = NDArray[np.uint64]
Numbers = NDArray[np.int64]
Stack = tuple[Numbers, Numbers, Numbers, Numbers, Words, Words]
"""The place in a search; see `make_stack`."""

Places = NDArray[np.int32]
Flags = NDArray[np.bool_]

_SPREAD = 0x9E3779B97F4A7C15 >> 1  # factor of a key: the upper bits of the product are a good hash


def make_stack(elements: int, size: int, words: int) -> Stack:
    """Return the start of the search for sign patterns on `size` of the elements."""
    choices = np.full(size + 1, -1, dtype=np.int64)
    choices[0] = 2 * elements - 2
    return (
        np.zeros(1, dtype=np.int64),
        choices,
        np.zeros(size + 1, dtype=np.int64),
        np.zeros((size + 1, elements), dtype=np.int64),
        np.zeros((size + 1, words), dtype=np.uint64),
        np.zeros((size + 1, words), dtype=np.uint64),
    )


@compiled
def list_simplices(
    plus: Words,
    minus: Words,
    level: Numbers,
    choices: Numbers,
    counts: Numbers,
    larger: Numbers,
    shown: Words,
    opposed: Words,
    found: Numbers,
    steps: int,
) -> int:
    """List opposed sign patterns: some covector has these signs, and some has all opposite ones.

    Those that a larger element extends to an opposed pattern are left out.

    They come in lexicographic order, the largest element first. A pattern that a larger element
    extends is the sum of other faces of the extended one, all of which come before it: elimination
    gains nothing from it. So nearly all patterns that are listed contain the last element.
    """
    elements, words = plus.shape
    size = found.shape[1]
    at, count, read = level[0], 0, 0
    while at >= 0 and read < steps and count < len(found):
        choice = choices[at]
        if choice < 2 * (size - 1 - at):
            at -= 1
            continue
        choices[at] = choice - (2 if at == 0 else 1)
        element = choice >> 1
        some_shown, some_opposed = False, False
        for word in range(words):
            p, m = plus[element, word], minus[element, word]
            if choice & 1:
                p, m = m, p
            if at > 0:
                p &= shown[at, word]
                m &= opposed[at, word]
            shown[at + 1, word] = p
            opposed[at + 1, word] = m
            some_shown |= p != 0
            some_opposed |= m != 0
        read += words
        if not (some_shown and some_opposed):
            continue
        kept = 0
        for place in range(counts[at] if at > 0 else elements - 1 - element):
            other = larger[at, place] if at > 0 else element + 1 + place
            read += words
            if _extends(plus[other], minus[other], shown[at + 1], opposed[at + 1]):
                larger[at + 1, kept] = other
                kept += 1
                if at == size - 1:
                    break
        counts[at + 1] = kept
        if at < size - 1:
            at += 1
            choices[at] = 2 * element - 1
        elif kept == 0:
            found[count, 0] = choices[0] + 2
            for place in range(1, size):
                found[count, place] = choices[place] + 1
            count += 1
    level[0] = at
    return count


@compiled
def _extends(plus: Words, minus: Words, shown: Words, opposed: Words) -> bool:
    """Return whether an element extends an opposed pattern, with one of its two signs."""
    same_shown, same_opposed, other_shown, other_opposed = False, False, False, False
    for word in range(len(plus)):
        same_shown |= plus[word] & shown[word] != 0
        same_opposed |= minus[word] & opposed[word] != 0
        other_shown |= minus[word] & shown[word] != 0
        other_opposed |= plus[word] & opposed[word] != 0
        if (same_shown and same_opposed) or (other_shown and other_opposed):
            return True
    return False


# ---------------------------------------------------------------- elimination


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
