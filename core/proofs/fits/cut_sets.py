"""How dimensions limit the splits of keys, and the rows whose ones are among the first K."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED
from samapprox.similarities import ATTENTION, Similarity
from samapprox.support.arrays import Entries, Numbers

ALL_ORDERS = 7
"""Columns up to which all orders on a line are tried: 2,520 up to reversal."""

_LARGEST_SAMPLED = 64
"""Keys of a cut set, beyond which samples show nothing."""

_MOST_ENTRIES = 1 << 24
"""Entries of all orders that are in memory at once."""


@dataclass(frozen=True, slots=True)
class _Limit:
    """A limit on the number of splits whose smaller side has so many points.

    `low` and `high`: the least and the largest size of the smaller side. `most`: no point set has
    more such splits.
    """

    low: int
    high: int
    most: int


def limit_splits(
    n: int, d: int, sizes: Iterable[int], similarity: Similarity = ATTENTION, *, enough: int
) -> list[_Limit]:
    """Return limits on the splits of n points in R^d into two nonempty sides.

    `sizes`: sizes of smaller sides, each from 1 to n / 2. The limits concern these. `similarity`:
    queries cut off halfspaces, caps of a sphere, or balls. `enough`: limits of at least this number
    are left out.

    The ranges of any two limits are disjoint, or one contains the other.

    docs/theory/ceilings.md has the proofs. Balls in R^d are halfspaces that cut a paraboloid in
    R^(d+1), and points on a circle or a parabola are in convex position.

    Reference: Cover (1965), "Geometrical and statistical properties of systems of linear
    inequalities with applications in pattern recognition"; Alon and Gyori (1986), "The number of
    small semispaces of a finite set of points in the plane"; Welzl (2001), "Entering and leaving
    j-facets".

    >>> limit_splits(46, 2, [2], enough=1000)
    [_Limit(low=1, high=2, most=92), _Limit(low=2, high=2, most=69)]
    """
    dimension = d + similarity.below
    limits = [_Limit(1, n // 2, _count_all(n, dimension, enough))]
    for size in sizes:
        if dimension == 1:
            limits.append(_Limit(size, size, 1 if 2 * size == n else 2))
        elif dimension == 2 and similarity.is_convex:
            limits.append(_Limit(size, size, n // 2 if 2 * size == n else n))
        elif dimension == 2 and 2 * size < n:
            limits.append(_Limit(1, size, size * n))
            if size == 2:
                limits.append(_Limit(2, 2, 3 * n // 2))
        elif dimension == 3 and 2 * size <= n - 2:
            limits.append(_Limit(1, size, _count_convex(n, size)))
            if size == 2:
                limits.append(_Limit(2, 2, 3 * n - 6))
    return [limit for limit in limits if limit.most < enough]


def count_right(entries: NDArray[np.int8], d: int, similarity: Similarity = ATTENTION) -> int:
    """Count how many rows can be right at most, by the sizes of their splits of the columns.

    `entries` (shape (m, n)): zeros and ones.

    Rows that are equal or complementary are right together. The sets of splits that respect the
    limits are the independent sets of a laminar matroid, so to take the most frequent splits first
    is optimal.
    """
    rows, columns = entries.shape
    normal = entries ^ entries[:, :1] if columns else entries
    ones = normal.sum(axis=1, dtype=np.int64)
    smaller = np.minimum(ones, columns - ones).tolist()
    frequency = Counter(zip(smaller, map(bytes, normal), strict=True))
    sizes = sorted({size for size in smaller if size})
    limits = limit_splits(columns, d, sizes, similarity, enough=rows)
    low = np.array([limit.low for limit in limits], dtype=np.int64)
    high = np.array([limit.high for limit in limits], dtype=np.int64)
    room = np.array([limit.most for limit in limits], dtype=np.int64)
    right = 0
    for (size, _), count in frequency.most_common():
        inside = (low <= size) & (size <= high)
        if (room[inside] > 0).all():
            room[inside] -= 1
            right += count
    return right


def _count_all(n: int, d: int, enough: int) -> int:
    """Count the splits of n points in general position in R^d, as far as they are below a bound."""
    total = 0
    for size in range(1, min(d, n - 1) + 1):
        total += comb(n - 1, size)
        if total >= enough:
            break
    return total


def _count_convex(n: int, k: int) -> int:
    """Count the splits that cut off at most k of n points in convex position in R^3."""
    return n * k * (k + 1) - k * (k + 1) * (2 * k + 1) // 3 - k * (n - 2)


def find_room(row_ones: NDArray[np.integer], at: int) -> Numbers:
    """Return how many zeros may stand before the ones of each row; negative for too many ones."""
    return np.asarray(at - row_ones.astype(np.int64), dtype=np.int64)


def count_right_at(
    entries: Entries, room: Numbers, d: int, similarity: Similarity = ATTENTION
) -> int:
    """Count how many rows can be right at K at most.

    `entries` (shape (m, n)): zeros, ones and don't-cares in some columns. `room`: how many zeros
    may stand before the ones of each row, among all columns.

    docs/theory/ceilings.md has the proofs.

    >>> count_right_at(np.eye(8, dtype=np.int8), np.full(8, 1), 1)
    4
    >>> count_right_at(np.eye(8, dtype=np.int8), np.full(8, -1), 1)
    0
    """
    entries, room = entries[room >= 0], room[room >= 0]
    if d + similarity.below == 1 and entries.shape[1] <= ALL_ORDERS:
        return find_best_order(entries, room)[0]
    return weigh_right_at(entries, room, [1] * len(entries), d, similarity)


def weigh_right_at(
    entries: Entries, room: Numbers, weights: Sequence[int], d: int, similarity: Similarity
) -> int:
    """Return the most that the rows can weigh together that are right at K.

    As `count_right_at`, for rows that have at most K ones, each with a weight of at least 1.

    >>> weigh_right_at(np.eye(9, dtype=np.int8), np.full(9, 0), range(1, 10), 1, ATTENTION)
    17
    """
    columns = entries.shape[1]
    ones = (entries == 1).sum(axis=1)
    largest = ones + room + (entries == UNSPECIFIED).sum(axis=1)  # what its halfspace cuts off
    bound = (ones > 0) & (largest < columns)
    free = sum(weights[row] for row in np.flatnonzero(~bound).tolist())
    if not bound.any():
        return free
    cut = int(largest[bound].max())
    limits = _Limits(columns, cut, d, similarity, int(bound.sum()))
    sets = list(map(bytes, entries == 1))
    frequencies: defaultdict[int, Counter[bytes]] = defaultdict(Counter)
    for row in np.flatnonzero(bound).tolist():
        frequencies[int(ones[row])][sets[row]] += weights[row]
    return free + sum(
        limits.weigh_right(frequency, size) for size, frequency in frequencies.items()
    )


def find_best_order(entries: Entries, room: Numbers) -> tuple[int, Numbers]:
    """Count the rows that are right on a line in the best order of the columns, and return it.

    >>> find_best_order(np.eye(4, dtype=np.int8), np.zeros(4, dtype=np.int64))
    (2, array([0, 1, 2, 3]))
    """
    columns = entries.shape[1]
    room = np.minimum(room, columns)
    rows, counts = np.unique(np.column_stack([room, entries]), axis=0, return_counts=True)
    room, entries = rows[:, 0], rows[:, 1:]
    orders = list_orders(columns)
    right = np.zeros(len(orders), dtype=np.int64)
    step = max(1, _MOST_ENTRIES // (len(orders) * max(1, columns)))
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        arranged = entries[block][:, orders]
        fits = _zeros_before(arranged) <= room[block, None]
        fits |= _zeros_before(arranged[:, :, ::-1]) <= room[block, None]
        right += counts[block] @ fits.astype(np.int64)
    best = int(right.argmax())
    return int(right[best]), orders[best]


@cache  # proofs have up to some thousand parts
def list_orders(columns: int) -> Numbers:
    """List all orders of so many columns, one of each two that are reverse to each other."""
    kept = [order for order in permutations(range(columns)) if order <= order[::-1]]
    return np.array(kept, dtype=np.int64).reshape(len(kept), columns)


def _zeros_before(arranged: NDArray[Any]) -> Numbers:
    """Count the zeros before the last one of each line; 0 without a one."""
    zeros = np.cumsum(arranged == 0, axis=-1)
    return np.asarray(np.where(arranged == 1, zeros, 0).max(axis=-1, initial=0))


class _Limits:
    """Limits on the rows whose ones lie in cut sets: sets of `cut` of n keys, 1 <= cut < n."""

    def __init__(self, n: int, cut: int, d: int, similarity: Similarity, enough: int) -> None:
        self._n, self._cut, self._d, self._similarity = n, cut, d, similarity
        self._enough = enough  # limits of so many are none
        self._sets = self._limit_sets(n, cut)

    def weigh_right(self, frequency: Counter[bytes], size: int) -> int:
        """Return the most that sets of so many ones can weigh together that are right."""
        counts = sorted(frequency.values(), reverse=True)
        subsets = self._sets * _choose(self._cut, size, self._enough)
        most = min(subsets, self._limit_by_samples(size), self._enough, len(counts))
        right = sum(counts[:most])
        if self._sets < most:  # degrees take longer; with so many sets they show nothing
            right = min(right, self._sets * self._limit_of_cut_set(frequency, size))
        return right

    def _limit_sets(self, n: int, size: int) -> int:
        """Limit the number of sets of so many of n keys that are cut off."""
        smaller = min(size, n - size)
        limits = limit_splits(n, self._d, [smaller], self._similarity, enough=self._enough)
        sides = 2 if 2 * size == n else 1
        most = [sides * limit.most for limit in limits if limit.low <= smaller <= limit.high]
        return min(most, default=self._enough)

    def _limit_by_samples(self, size: int) -> int:
        """Limit the number of different sets of ones, by random samples of the keys."""
        n, others = self._n, self._cut - size
        if not others:
            return self._sets
        if self._cut > _LARGEST_SAMPLED or self._d + self._similarity.below == 1:
            return self._enough
        best = self._enough
        everything = _falling(n, self._cut)
        for sample in range(size + 1, min(n - 1, n - others) + 1):
            sets = self._limit_sets(sample, size)
            if sets < best:  # the limit is at least this
                hits = _falling(sample, size) * _falling(n - sample, others)
                best = min(best, sets * everything // hits)
        return best

    def _limit_of_cut_set(self, frequency: Counter[bytes], size: int) -> int:
        """Limit the weight of the sets of ones in one cut set, by the degrees of its keys."""
        counts_of: defaultdict[int, list[int]] = defaultdict(list)
        for row, count in frequency.items():
            for key in np.flatnonzero(np.frombuffer(row, dtype=np.bool_)).tolist():
                counts_of[key].append(count)
        most = _choose(self._cut - 1, size - 1, self._enough)
        degrees = sorted(
            (sum(sorted(counts, reverse=True)[:most]) for counts in counts_of.values()),
            reverse=True,
        )
        return sum(degrees[: self._cut]) // size


def _choose(n: int, k: int, enough: int) -> int:
    """Return n choose k, or a smaller number of at least `enough`."""
    product = 1
    for factor in range(1, min(k, n - k) + 1):
        product = product * (n - factor + 1) // factor
        if product >= enough:
            break
    return product


def _falling(n: int, count: int) -> int:
    """Return n (n - 1) .. (n - count + 1)."""
    product = 1
    for factor in range(n, n - count, -1):
        product *= factor
    return product
