"""Elimination over GF(2) on the faces of sign patterns, in compiled code.

Most columns are paired with one of their rows: they are found from it when they are needed, and
never stored. See `samapprox.solvers.refutations.elimination.pairing_kernel`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samapprox.solvers.refutations.elimination.extensions_kernel import SignBits
from samapprox.solvers.refutations.elimination.pairing_kernel import UNPAIRED, find_partner, insert
from samapprox.support.arrays import Flags, Numbers, Places, Words
from samapprox.support.jit import compiled

_SPREAD = 0x9E3779B97F4A7C15 >> 1  # factor of a key: the upper bits of the product are a good hash


# Of numpy, since numba would compile functions anew for each of Python's integers.
_EMPTY: Any = np.int64(0)  # heap
_NO_PLACE: Any = np.int64(-1)


# ---------------------------------------------------------------- numbers of faces


@compiled
def number_face(pattern: Numbers, left_out: int, binomials: Numbers, bits: int) -> int:
    """Number a face of a sign pattern, up to a flip, in lexicographic order of its elements.

    The number contains so many bits for each element, or its rank among all sets if `bits` is 0.
    """
    size = len(pattern)
    first = pattern[1 if left_out == 0 else 0] & 1
    rank, code, rest = 0, 0, size - 2
    for place in range(size):
        if place != left_out:
            entry = pattern[place]
            rank = (rank << bits) + (entry >> 1 if bits else binomials[rest, entry >> 1])
            code = 2 * code + ((entry & 1) ^ first)
            rest -= 1
    return (rank << (size - 2)) + code


@compiled
def name_face(number: int, pattern: Numbers, binomials: Numbers, bits: int) -> None:
    """Write the face of this number behind the first place of a sign pattern."""
    size = len(pattern)
    rank, code = number >> (size - 2), number & ((1 << (size - 2)) - 1)
    if bits:
        for place in range(size - 1, 0, -1):
            pattern[place] = 2 * (rank & ((1 << bits) - 1)) + (code & 1)
            rank >>= bits
            code >>= 1
        return
    above = binomials.shape[1]
    for place in range(1, size):
        rest = size - 1 - place
        element = rest
        while above - element > 1:
            middle = (element + above) >> 1
            if binomials[rest, middle] <= rank:
                element = middle
            else:
                above = middle
        rank -= binomials[rest, element]
        above = element
        pattern[place] = 2 * element + ((code >> rest) & 1)


@compiled
def alternates(pattern: Numbers) -> bool:
    """Return whether any two neighbours have different signs."""
    alike = 0
    for place in range(1, len(pattern)):
        alike += 1 - ((pattern[place] ^ pattern[place - 1]) & 1)
    return alike == 0


# ---------------------------------------------------------------- elimination


@compiled
def hash_key(key: int) -> int:
    """Return a number of which the last bits are a good hash."""
    return (int(key) * _SPREAD) >> 24  # plain Python must not overflow, either


@compiled
def find(key: int, keys: Numbers, values: Places) -> int:
    """Return the place of a key in a hash table, or the free one where it belongs."""
    last = len(keys) - 1
    place = hash_key(key) & last
    while values[place] >= 0 and keys[place] != key:
        place = (place + 1) & last
    return place


@compiled
def enter(pivots: Numbers, keys: Numbers, values: Places) -> None:
    """Put the number of each reduced column into a hash table, under its first row."""
    for column in range(len(pivots)):
        place = find(pivots[column], keys, values)
        keys[place], values[place] = pivots[column], column


@compiled
def push(heap: Numbers, length: int, key: int) -> None:
    """Put a number into a heap of this length, with the least number on top."""
    at = length
    while at > 0:
        parent = (at - 1) >> 1
        if heap[parent] <= key:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = key


@compiled
def drop(heap: Numbers, length: int) -> None:
    """Remove the least number from a heap of this length."""
    last, rest, at, child = heap[length - 1], length - 1, 0, 1
    while child < rest:
        if child + 1 < rest and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at] = last


@compiled
def cancel_pairs(heap: Numbers, length: int) -> int:
    """Remove pairs of equal numbers from the top of a heap; return its length."""
    while length > 1:
        second = heap[1]
        if length > 2 and heap[2] < second:
            second = heap[2]
        if heap[0] != second:
            break
        drop(heap, length)
        drop(heap, length - 1)
        length -= 2
    return length


@compiled
def _push_faces(
    heap: Numbers, length: int, pattern: Numbers, kept: int, binomials: Numbers, bits: int
) -> int:
    """Put the faces without one place other than `kept` into a heap; return its length."""
    for left_out in range(len(pattern)):
        if left_out != kept:
            push(heap, length, number_face(pattern, left_out, binomials, bits))
            length += 1
    return length


@compiled
def add_or_keep(
    heap: Numbers,
    state: Numbers,
    keys: Numbers,
    values: Places,
    rows: Numbers,
    starts: Numbers,
    sums: Places,
    sum_starts: Numbers,
    origins: Numbers,
    parities: Flags,
) -> int:
    """Add the reduced column with the first row of the one in work, or else keep this one.

    The first row must be single in the heap. Returned: how many numbers were read.
    """
    kept, length = state[1], state[3]
    place = find(heap[0], keys, values)
    other = values[place]
    begin, added = starts[kept], sum_starts[kept] + state[5]
    if other >= 0:
        drop(heap, length)
        length -= 1
        for at in range(starts[other] + 1, starts[other + 1]):
            push(heap, length, rows[at])
            length += 1
        sums[added] = other
        state[3] = length
        state[4] ^= parities[other]
        state[5] += 1
        return int(starts[other + 1] - starts[other])
    keys[place], values[place] = heap[0], kept
    end = begin
    while length > 0:
        rows[end] = heap[0]
        end += 1
        drop(heap, length)
        length = cancel_pairs(heap, length - 1)
    starts[kept + 1], sum_starts[kept + 1] = end, added
    origins[kept], parities[kept] = state[0], state[4] != 0
    state[6] = max(state[6], end - begin)
    state[0] += 1
    state[1] += 1
    state[2] = state[3] = 0
    return int(end - begin)


@compiled
def reduce(
    bits: SignBits,
    room: tuple[Words, Words],
    binomials: Numbers,
    element_bits: int,
    known: Numbers,
    patterns: Numbers,
    heap: Numbers,
    rest: Numbers,
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
    """Reduce columns until a sum of them is odd and has no rows, or for so many steps.

    Rows that are paired are replaced first, or left out if the partner is a smaller face: see
    docs/theory/topological.md. So the order of the other rows does not matter.

    `known`: a row plus 1, and its partner; each row has one place, where the last one stays.
    `heap`: the column in work, with pairs of rows that cancel. `rest`: its rows without a partner,
    while others are replaced. `state`: its number; the number of reduced columns; 0, 1 while rows
    are replaced, or 2 while columns are added; the length of the heap; its parity; how many
    reduced columns were added to it; the length of the longest reduced column; that of `rest`.
    """
    size = patterns.shape[1]
    pattern = np.empty(size, dtype=np.int64)
    read = 0
    while read < steps:
        if state[2] == 0:
            if state[0] == len(patterns):
                return False
            column = patterns[state[0]]
            state[2], state[4], state[5], state[7] = 1, alternates(column), 0, 0
            state[3] = _push_faces(heap, _EMPTY, column, _NO_PLACE, binomials, element_bits)
        kept = state[1]
        length, added, begin = state[3], sum_starts[kept] + state[5], starts[kept]
        if length + size + state[6] + state[7] > len(heap) or begin + length > len(rows):
            return False
        if added == len(sums) or kept + 2 > len(starts) or 2 * kept + 2 > len(keys):
            return False
        length = cancel_pairs(heap, length)
        state[3] = length
        if state[2] == 1:
            if length == 0:
                for place in range(state[7]):
                    push(heap, place, rest[place])
                state[2], state[3] = 2, state[7]
                continue
            row = heap[0]
            drop(heap, length)
            length -= 1
            name_face(row, pattern, binomials, element_bits)
            place = hash_key(row) & (len(known) - 1)
            if known[place, 0] != row + 1:
                known[place, 0] = row + 1
                known[place, 1] = find_partner(pattern, bits, room[0], room[1])
                read += 3 * bits.shown.size
            partner = known[place, 1]
            read += size
            if partner >= 0:
                kept_place = insert(pattern, partner)
                length = _push_faces(heap, length, pattern, kept_place, binomials, element_bits)
                state[4] ^= alternates(pattern)
            elif partner == UNPAIRED:
                rest[state[7]] = row
                state[7] += 1
            state[3] = length
            continue
        if length > 0:
            read += add_or_keep(
                heap, state, keys, values, rows, starts, sums, sum_starts, origins, parities
            )
            continue
        state[0] += 1
        state[2] = 0
        if state[4]:
            return True
    return False


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


@compiled
def cancel(
    bits: SignBits,
    room: tuple[Words, Words],
    binomials: Numbers,
    element_bits: int,
    patterns: Numbers,
    heap: Numbers,
    length: Numbers,
    found: Numbers,
) -> int:
    """Write paired columns that cancel a sum of others; return how many, up to all of `found`.

    `heap`, `length`: the rows that are left. With an empty `patterns` it goes on; otherwise it adds
    their faces first.
    """
    size = found.shape[1]
    for row in range(len(patterns)):
        length[0] = _push_faces(heap, length[0], patterns[row], _NO_PLACE, binomials, element_bits)
    count = 0
    while count < len(found) and length[0] + size < len(heap):
        length[0] = cancel_pairs(heap, length[0])
        if length[0] == 0:
            break
        name_face(heap[0], found[count], binomials, element_bits)
        partner = find_partner(found[count], bits, room[0], room[1])
        drop(heap, length[0])
        length[0] -= 1
        if partner >= 0:
            kept = insert(found[count], partner)
            length[0] = _push_faces(heap, length[0], found[count], kept, binomials, element_bits)
            count += 1
    return count
