"""Boolean vectors in words of 64 dimensions: all pairs, and transforms over all subsets.

Word k of all vectors stands in row k, so that loops over vectors read memory in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from samapprox.attention.vectors.orthogonal_numpy import ABSENT as ABSENT
from samapprox.attention.vectors.orthogonal_numpy import NONE
from samapprox.support.arrays import Words
from samapprox.support.jit import compiled, emitted

_ROWS = 8  # vectors that are compared with each word while it is in a register
_CHUNK = 4096  # words of the right side, which stay in the first cache
_LOW = 12  # bits of a set whose transform stays in the first cache


@emitted
def _ones(_typing: Any, word: Any) -> Any:
    """Return the number of ones in a word."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


# ---------------------------------------------------------------- all pairs


@compiled
def count_pairs(left: Words, right: Words, first: int, last: int, own: bool) -> int:
    """Count orthogonal pairs of at most a thousand vectors first .. last - 1 with all others.

    O((last - first) n W), eight vectors at a time where W = 1.
    """
    total = 0
    common = np.empty(_CHUNK, dtype=np.uint64)
    if own:
        for i in range(first, last):
            total += _count_row(left, i, right, i + 1, last, common)
    eights = first + (last - first) // _ROWS * _ROWS if len(left) == 1 else first
    for start in range(last if own else 0, right.shape[1], _CHUNK):
        stop = min(start + _CHUNK, right.shape[1])
        for i in range(first, eights, _ROWS):
            total += _count_eight(left[0, i : i + _ROWS], right[0, start:stop])
        for i in range(eights, last):
            total += _count_row(left, i, right, start, stop, common)
    return total


@compiled
def _count_eight(left: Words, right: Words) -> int:
    """Compare eight words with all of the right, each of which is loaded once."""
    a, b, c, d, e, f, g, h = left[0], left[1], left[2], left[3], left[4], left[5], left[6], left[7]
    total = 0
    for j in range(len(right)):
        w = right[j]
        total += (
            int((w & a) == 0)
            + int((w & b) == 0)
            + int((w & c) == 0)
            + int((w & d) == 0)
            + int((w & e) == 0)
            + int((w & f) == 0)
            + int((w & g) == 0)
            + int((w & h) == 0)
        )
    return total


@compiled
def _count_row(left: Words, i: int, right: Words, start: int, stop: int, common: Words) -> int:
    """Count the vectors start .. stop - 1 that share no dimension with one."""
    common[: stop - start] = 0
    for k in range(len(left)):
        a, words = left[k, i], right[k, start:stop]
        for j in range(len(words)):
            common[j] |= words[j] & a
    total = 0
    for j in range(stop - start):
        total += int(common[j] == 0)
    return total


@compiled
def least_product(left: Words, right: Words, first: int, last: int, own: bool) -> int:
    """Return the least number of common ones over the pairs of `count_pairs`; `NONE` if empty."""
    least = NONE
    products = np.empty(_CHUNK, dtype=np.uint64)
    if own:
        for i in range(first, last):
            least = min(least, _least_row(left, i, right, i + 1, last, products))
    for start in range(last if own else 0, right.shape[1], _CHUNK):
        stop = min(start + _CHUNK, right.shape[1])
        for i in range(first, last):
            least = min(least, _least_row(left, i, right, start, stop, products))
    return least


@compiled
def _least_row(left: Words, i: int, right: Words, start: int, stop: int, products: Words) -> int:
    """Return the least product of one vector with the vectors start .. stop - 1."""
    least = np.uint64(NONE)
    a, words = left[0, i], right[0, start:stop]
    if len(left) == 1:
        for j in range(len(words)):
            least = min(least, _ones(words[j] & a))
        return int(least)
    products[: stop - start] = 0
    for k in range(len(left)):
        a, words = left[k, i], right[k, start:stop]
        for j in range(len(words)):
            products[j] += _ones(words[j] & a)
    for j in range(stop - start):
        least = min(least, products[j])
    return int(least)


# ---------------------------------------------------------------- all subsets


@compiled
def tally(codes: Words, counts: NDArray[np.int32]) -> None:
    """Count how often each set occurs."""
    for code in codes:
        counts[code] += 1


@compiled
def mark(codes: Words, bits: Words) -> None:
    """Set a bit for each set that occurs, 64 to a word."""
    for code in codes:
        bits[code >> np.uint64(6)] |= np.uint64(1) << (code & np.uint64(63))


@compiled
def count_subsets(counts: NDArray[np.int32]) -> None:
    """Turn counts of sets into counts of the subsets of each set: the zeta transform.

    O(d 2^d); the low dimensions are done while a part stays in the first cache.
    """
    part = min(len(counts), 1 << _LOW)
    for start in range(0, len(counts), part):
        _add_lower(counts[start : start + part], 1)
    _add_lower(counts, part)


@compiled
def _add_lower(counts: NDArray[np.int32], stride: int) -> None:
    """Add, from this dimension on, the count of each set without it to the set with it."""
    while stride < len(counts):
        for start in range(0, len(counts), 2 * stride):
            without, with_it = (
                counts[start : start + stride],
                counts[start + stride : start + 2 * stride],
            )
            for i in range(stride):
                with_it[i] += without[i]
        stride *= 2


@compiled
def sum_at_complements(codes: Words, counts: NDArray[np.int32]) -> int:
    """Sum, over all sets, the counts at their complements."""
    full = np.uint64(len(counts) - 1)
    total = 0
    for code in codes:
        total += counts[code ^ full]
    return total


_LOWER = np.array(
    [
        0x5555555555555555,
        0x3333333333333333,
        0x0F0F0F0F0F0F0F0F,
        0x00FF00FF00FF00FF,
        0x0000FFFF0000FFFF,
        0x00000000FFFFFFFF,
    ],
    dtype=np.uint64,
)
"""The places of a word without dimension 0, 1, .., 5."""


@compiled
def close_upwards(bits: Words) -> None:
    """Mark every set that contains a marked one.

    O(d 2^d / 64).
    """
    for i in range(len(bits)):
        word = bits[i]
        for dimension in range(6):
            word |= (word & _LOWER[dimension]) << np.uint64(1 << dimension)
        bits[i] = word
    stride = 1
    while stride < len(bits):
        for start in range(0, len(bits), 2 * stride):
            without, with_it = (
                bits[start : start + stride],
                bits[start + stride : start + 2 * stride],
            )
            for i in range(stride):
                with_it[i] |= without[i]
        stride *= 2


@compiled
def first_with_marked_complement(codes: Words, bits: Words, d: int) -> int:
    """Return the first set whose complement is marked; -1 if there is none."""
    full = (np.uint64(1) << np.uint64(d)) - np.uint64(1)
    for i in range(len(codes)):
        code = codes[i] ^ full
        if bits[code >> np.uint64(6)] >> (code & np.uint64(63)) & np.uint64(1):
            return i
    return -1


@compiled
def least_overlaps(overlaps: NDArray[np.uint8]) -> None:
    """Turn 0 at the sets that occur, `ABSENT` elsewhere, into the least overlap with any of them.

    O(d 2^d). One dimension after another: a set without it meets what either meets; a set with it
    meets those with it in one place more. Sums of (min, +) split as those of (+, *) do.
    """
    part = min(len(overlaps), 1 << _LOW)
    for start in range(0, len(overlaps), part):
        _overlap_lower(overlaps[start : start + part], 1)
    _overlap_lower(overlaps, part)


@compiled
def _overlap_lower(overlaps: NDArray[np.uint8], stride: int) -> None:
    while stride < len(overlaps):
        for start in range(0, len(overlaps), 2 * stride):
            without, with_it = (
                overlaps[start : start + stride],
                overlaps[start + stride : start + 2 * stride],
            )
            for i in range(stride):
                a, b = without[i], with_it[i]
                without[i] = min(a, b)
                with_it[i] = min(a, np.uint8(b + 1))
        stride *= 2
