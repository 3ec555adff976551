"""Limits on the ways in which points are split, and the rows that can be right within them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.similarities import ATTENTION, Similarity

__all__ = ["Limit", "count_right", "limit_splits"]


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit on the number of splits whose smaller side has so many points.

    `low` and `high`: the least and the largest size of the smaller side. `most`: no point set has
    more such splits.
    """

    low: int
    high: int
    most: int


def limit_splits(
    n: int, d: int, sizes: Iterable[int], similarity: Similarity = ATTENTION, *, enough: int
) -> list[Limit]:
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
    [Limit(low=1, high=2, most=92), Limit(low=2, high=2, most=69)]
    """
    dimension = d + similarity.below
    limits = [Limit(1, n // 2, _count_all(n, dimension, enough))]
    for size in sizes:
        if dimension == 1:
            limits.append(Limit(size, size, 1 if 2 * size == n else 2))
        elif dimension == 2 and similarity.is_convex:
            limits.append(Limit(size, size, n // 2 if 2 * size == n else n))
        elif dimension == 2 and 2 * size < n:
            limits.append(Limit(1, size, size * n))
            if size == 2:
                limits.append(Limit(2, 2, 3 * n // 2))
        elif dimension == 3 and 2 * size <= n - 2:
            limits.append(Limit(1, size, _count_convex(n, size)))
            if size == 2:
                limits.append(Limit(2, 2, 3 * n - 6))
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
