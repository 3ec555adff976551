"""`samapprox.attention.vectors.orthogonal_kernel` in numpy: nothing is compiled.

All functions take the same arguments and do the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.support.arrays import Words

ABSENT = 128
"""Starting value of `least_overlaps` for sets that are not there: more than any overlap."""

NONE = 1 << 40
"""More than any inner product."""

_PAIRS = 1 << 20  # pairs in memory at once: 8 MiB

# ---------------------------------------------------------------- all pairs


def count_pairs(left: Words, right: Words, first: int, last: int, own: bool) -> int:
    """Orthogonal pairs of the vectors first .. last - 1 and all others."""
    total = 0
    for start, stop in _slices(first, last, right.shape[1]):
        common = np.zeros((stop - start, right.shape[1]), dtype=np.uint64)
        for a, b in zip(left[:, start:stop], right, strict=True):
            common |= a[:, None] & b
        total += int(((common == 0) & _are_met(start, stop, right.shape[1], own)).sum())
    return total


def least_product(left: Words, right: Words, first: int, last: int, own: bool) -> int:
    """The least number of common ones over the pairs of `count_pairs`; `NONE` if there are none."""
    least = NONE
    for start, stop in _slices(first, last, right.shape[1]):
        products = np.zeros((stop - start, right.shape[1]), dtype=np.int64)
        for a, b in zip(left[:, start:stop], right, strict=True):
            products += np.bitwise_count(a[:, None] & b)
        products[~_are_met(start, stop, right.shape[1], own)] = NONE
        least = min(least, int(products.min(initial=NONE)))
    return least


def _slices(first: int, last: int, columns: int) -> list[tuple[int, int]]:
    """The vectors first .. last - 1, some at a time."""
    step = max(1, _PAIRS // columns)
    return [(start, min(start + step, last)) for start in range(first, last, step)]


def _are_met(start: int, stop: int, columns: int, own: bool) -> NDArray[np.bool_]:
    """Mark the pairs that count: within one set, each once, from its lesser index."""
    if not own:
        return np.ones((stop - start, columns), dtype=np.bool_)
    return np.arange(columns) > np.arange(start, stop)[:, None]


# ---------------------------------------------------------------- all subsets


def tally(codes: Words, counts: NDArray[np.int32]) -> None:
    """Count the occurrences of each set."""
    np.add.at(counts, codes, 1)


def mark(codes: Words, bits: Words) -> None:
    """A bit for each set that occurs, 64 to a word."""
    np.bitwise_or.at(bits, codes >> np.uint64(6), np.uint64(1) << (codes & np.uint64(63)))


def count_subsets(counts: NDArray[np.int32]) -> None:
    """Turn counts of sets into counts of the subsets of each set: the zeta transform."""
    for without, with_it in _dimensions(counts):
        with_it += without


def sum_at_complements(codes: Words, counts: NDArray[np.int32]) -> int:
    """The sum over all sets of the counts at their complements."""
    return int(counts[codes ^ np.uint64(len(counts) - 1)].sum(dtype=np.int64))


def close_upwards(bits: Words) -> None:
    """Mark every set that contains a marked one."""
    for dimension in range(6):
        places = np.arange(64, dtype=np.uint64)
        lower = places[(places >> np.uint64(dimension) & np.uint64(1)) == 0]
        mask = np.bitwise_or.reduce(np.uint64(1) << lower)
        bits |= (bits & mask) << np.uint64(1 << dimension)
    for without, with_it in _dimensions(bits):
        with_it |= without


def first_with_marked_complement(codes: Words, bits: Words, d: int) -> int:
    """The first set whose complement is marked; -1 if there is none."""
    complement = codes ^ np.uint64((1 << d) - 1)
    marked = bits[complement >> np.uint64(6)] >> (complement & np.uint64(63)) & np.uint64(1)
    return int(marked.argmax()) if marked.any() else -1


def least_overlaps(overlaps: NDArray[np.uint8]) -> None:
    """Turn 0 at sets that occur, `ABSENT` elsewhere, into the least overlap with any of them."""
    for without, with_it in _dimensions(overlaps):
        either = np.minimum(without, with_it)
        with_it[:] = np.minimum(without, with_it + np.uint8(1))
        without[:] = either


def _dimensions(table: NDArray[Any]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """For each dimension the entries of the sets without it and of those with it, as views."""
    halves = []
    stride = 1
    while stride < len(table):
        pairs = table.reshape(-1, 2, stride)
        halves.append((pairs[:, 0], pairs[:, 1]))
        stride *= 2
    return halves
