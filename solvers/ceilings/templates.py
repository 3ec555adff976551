"""Point sets with many splits of small sizes: the points on which keys are placed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, inf

import numpy as np
from numpy.typing import NDArray

__all__ = ["Template", "make_curve", "make_double_polygon", "make_templates"]

Integers = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_MOST_SPLITS = 1 << 20
_SPLITS_A_SECOND = 1 << 18
_ENTRIES_A_SECOND = 1 << 21  # of the n^3 that a double polygon takes
_MOST_POINTS = 120  # of a double polygon, with their n^2 splits in 2 n^2 directions
_RADIUS = 10**6
_FINE = 1 << 30  # of a direction; its products with points are below 2^63
_INSIDE = 1000  # the inner points lie 1/1000 of their distance from the centre inside an edge


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """Points, and queries that cut them in all the ways that matter.

    A set of points has a hash: the exclusive or of the hashes of its points. The hash of a split is
    the smaller one of its two sides.

    Attributes
    ----------
    points : ndarray of int64, shape (n, d)
        For the moment curve only the place of each point, shape (n, 1).
    hashes : ndarray of uint64, shape (n,)
    splits : ndarray of uint64, shape (s,)
        The hashes of the splits by halfspaces, ascending.
    normals : ndarray of int64, shape (s, d), or None
        The normals of these halfspaces, up to sign; None for the moment curve.
    """

    points: Integers
    hashes: Hashes
    splits: Hashes
    normals: Integers | None = None

    def find_places(self, sides: Hashes) -> Integers:
        """Find the places of sets among the splits, by their hashes, if they are there."""
        sides = np.minimum(sides, sides ^ np.bitwise_xor.reduce(self.hashes))
        return np.minimum(np.searchsorted(self.splits, sides), len(self.splits) - 1)

    def find_cut(self, sides: Hashes) -> NDArray[np.bool_]:
        """Find the sets that a halfspace cuts off, by their hashes."""
        total = np.bitwise_xor.reduce(self.hashes)
        return np.asarray(self.splits[self.find_places(sides)] == np.minimum(sides, sides ^ total))


def make_templates(n: int, d: int, seconds: float = inf) -> list[Template]:
    """Make the templates of n points in R^d; none if there are too many splits.

    Parameters
    ----------
    n, d : int
    seconds : float
        Time for all of them, roughly: those that take longer are left out.

    Examples
    --------
    >>> [len(template.splits) for template in make_templates(6, 2)]
    [16, 16]
    """
    templates = []
    if d == 2 and 6 <= n <= _MOST_POINTS and n**3 <= _ENTRIES_A_SECOND * seconds:
        templates.append(make_double_polygon(n))
    splits = sum(comb(n - 1, cuts) for cuts in range(min(d, n - 1) + 1))
    if splits <= min(_MOST_SPLITS, _SPLITS_A_SECOND * seconds):
        templates.append(make_curve(n, d))
    return templates


def make_curve(n: int, d: int) -> Template:
    """Put n points on the moment curve: a halfspace cuts off what changes sides at most d times.

    Examples
    --------
    >>> curve = make_curve(4, 2)
    >>> curve.find_cut(curve.hashes[[0, 1]] ^ curve.hashes[[2, 3]]).tolist()  # {0, 2} and {1, 3}
    [False, False]
    """
    hashes = _hash_points(n)
    prefixes = np.bitwise_xor.accumulate(hashes)
    splits = [np.zeros(1, dtype=np.uint64)]
    for cuts in range(1, min(d, n - 1) + 1):
        chosen = np.array(list(combinations(range(n - 1), cuts)), dtype=np.int64)
        splits.append(np.bitwise_xor.reduce(prefixes[chosen], axis=1))
    points = np.arange(n, dtype=np.int64)[:, None]  # the place along the curve
    return Template(points, hashes, _sort(np.concatenate(splits), hashes)[0])


def make_double_polygon(n: int) -> Template:
    """Put half of n points on a regular polygon, and one just inside of each edge's middle.

    Examples
    --------
    With one point, and with two points, 6 + 9 of 6 points are cut off:

    >>> polygon = make_double_polygon(6)
    >>> pairs = [polygon.hashes[i] ^ polygon.hashes[j] for i, j in combinations(range(6), 2)]
    >>> polygon.find_cut(np.array(pairs)).sum().item()
    9
    """
    corners = (n + 1) // 2
    angles = 2 * np.pi * np.arange(corners) / corners
    circle = np.column_stack([np.cos(angles), np.sin(angles)]) * _RADIUS
    outer = np.rint(circle).astype(np.int64)
    inner = (outer + np.roll(outer, -1, axis=0)) // 2
    points = np.zeros((2 * corners, 2), dtype=np.int64)
    points[::2], points[1::2] = _INSIDE * outer, (_INSIDE - 1) * inner
    points = points[:n]
    hashes = _hash_points(n)
    directions = _list_directions(points)
    heights = points @ directions.T
    order = np.argsort(heights, axis=0, kind="stable")
    sides = np.bitwise_xor.accumulate(hashes[order], axis=0)[:-1]
    apart = np.diff(np.take_along_axis(heights, order, axis=0), axis=0) > 0
    splits, first = _sort(np.append(sides[apart], np.uint64(0)), hashes)
    places = np.append(np.nonzero(apart)[1], 0)  # no direction is wrong for an empty side
    return Template(points, hashes, splits, directions[places[first]])


def _list_directions(points: Integers) -> Integers:
    """List directions between any two neighbours among those in which two points are level."""
    first, second = np.triu_indices(len(points), 1)
    level = points[first] - points[second]
    angles = np.sort(np.arctan2(level[:, 0], -level[:, 1]) % np.pi)
    between = (angles + np.append(angles[1:], angles[0] + np.pi)) / 2
    directions = np.column_stack([np.cos(between), np.sin(between)])
    return np.asarray(np.rint(directions * _FINE), dtype=np.int64)


def _hash_points(n: int) -> Hashes:
    return np.random.default_rng(n).integers(1, (1 << 64) - 1, size=n, dtype=np.uint64)


def _sort(sides: Hashes, hashes: Hashes) -> tuple[Hashes, Integers]:
    """Return the different splits by the smaller hash of their sides, and where each occurs."""
    smaller = np.minimum(sides, sides ^ np.bitwise_xor.reduce(hashes))
    splits, first = np.unique(smaller, return_index=True)
    return splits, first
