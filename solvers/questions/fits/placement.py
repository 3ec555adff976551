"""Search for embeddings with many right rows: keys placed on the points of a template."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, inf

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.embeddings.moment_curve import embed
from samapprox.proofs.questions import Fit
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Numbers

# Entries up to which keys are placed; swaps of larger patterns are too slow to help.
_MOST_ENTRIES = 1 << 24
# Swaps of one annealing: more find more right rows, fewer leave time for other templates.
_SWAPS = 40_000
# The first and the last temperature, in rows that a swap may lose.
_WARMEST, _COOLEST = 1.0, 0.02
# Annealings of each template, from other permutations.
_STARTS = 3


def find_embedding(question: Fit, search: Search) -> Embedding | str:
    """Place the keys on points with many splits such that many rows are right.

    The search ends when no more rows are wrong than the question names. Returns the best embedding
    for dot products (for cosines in a dimension less), or why there is none.

    The templates are the moment curve (all embeddings for d = 1; neighbourly for d >= 4), and in
    the plane a polygon with a point inside of each edge, which has the most splits of two points.
    Two keys change places by simulated annealing: O(m) for each try.
    """
    pattern = question.pattern
    if question.unit != "rows":
        return "it counts wrong rows"
    d = question.d - question.similarity.above  # halfspaces become caps
    if not d:
        return "there are two places only"
    if pattern.size > _MOST_ENTRIES:
        return f"the pattern has more than {_MOST_ENTRIES} entries"
    ones = pattern.to_array() == 1  # don't-cares count as zeros
    _, first, same = np.unique(ones, axis=1, return_index=True, return_inverse=True)
    rows = Rows.merge(ones[:, first])
    random = np.random.RandomState(search.seed)
    best: tuple[int, Template, NDArray[np.int64]] | None = None
    for template in make_templates(len(first), d, search.remaining) * _STARTS:
        order, right = anneal(rows, template, random, search.slice(search.remaining / 2, 0))
        if best is None or right > best[0]:
            best = right, template, order
        if search.out_of_time or pattern.shape[0] - best[0] <= question.wrong:
            break
    if best is None or not best[0]:
        return "the points have too many splits" if best is None else "no row is right"
    _, template, order = best
    return embed_sides(ones[:, first], template, order, same.ravel())


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Different rows, transposed, and how often each occurs."""

    columns: NDArray[np.bool_]
    weights: NDArray[np.int64]

    @classmethod
    def merge(cls, ones: NDArray[np.bool_]) -> Rows:
        """Merge equal rows."""
        different, weights = np.unique(ones, axis=0, return_counts=True)
        return cls(np.ascontiguousarray(different.T), weights)


def anneal(
    rows: Rows, template: Template, random: np.random.RandomState, search: Search
) -> tuple[NDArray[np.int64], int]:
    """Swap keys; return the key at each point, and the number of right rows."""
    n = len(rows.columns)
    at = random.permutation(n)
    sides = hash_sides(rows.columns, template, at)
    cut = template.find_cut(sides)
    right = int(rows.weights[cut].sum())
    best, most = at.copy(), right
    everything, seconds, done = int(rows.weights.sum()), search.remaining, 0.0
    for swap in range(_SWAPS if n > 1 else 0):
        if swap % 64 == 0:
            if search.out_of_time:
                break
            done = max(swap / _SWAPS, 1.0 - search.remaining / seconds if seconds < inf else 0.0)
        if most == everything or done >= 1.0:
            break
        temperature = _WARMEST * (_COOLEST / _WARMEST) ** done
        p, q = random.randint(n), random.randint(n)
        # Only rows with exactly one of the two keys change, and their hashes by the same number.
        changed = np.flatnonzero(rows.columns[at[p]] != rows.columns[at[q]])
        turned = sides[changed] ^ (template.hashes[p] ^ template.hashes[q])
        now = template.find_cut(turned)
        gain = int(rows.weights[changed] @ (now.astype(np.int64) - cut[changed]))
        if gain >= 0 or random.rand() < np.exp(gain / temperature):
            at[[p, q]] = at[[q, p]]
            sides[changed], cut[changed] = turned, now
            right += gain
            if right > most:
                best, most = at.copy(), right
    return best, most


def hash_sides(
    columns: NDArray[np.bool_], template: Template, at: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Return the hash of the points of each row's ones."""
    hashes = np.where(columns[at], template.hashes[:, None], np.uint64(0))
    return np.asarray(np.bitwise_xor.reduce(hashes, axis=0))


def embed_sides(
    ones: NDArray[np.bool_],
    template: Template,
    at: NDArray[np.int64],
    same: NDArray[np.int64],
) -> Embedding:
    """Compute queries for the rows that the template cuts; the others get queries of 0."""
    sides = hash_sides(np.ascontiguousarray(ones.T), template, at)
    cut = np.flatnonzero(template.find_cut(sides))
    if template.normals is None:
        right = Pattern.from_array(ones[cut])
        queries, keys, thresholds = embed(right, "columns", at, np.ones(len(at), dtype=np.int8))
    else:
        keys = np.zeros_like(template.points)
        keys[at] = template.points
        queries = template.normals[template.find_places(sides[cut])]
        queries, thresholds = _turn(ones[cut], queries, keys)
    all_queries = np.zeros((len(ones), keys.shape[1]), dtype=queries.dtype)
    all_thresholds = np.zeros(len(ones), dtype=thresholds.dtype)
    all_queries[cut], all_thresholds[cut] = queries, thresholds
    return Embedding(all_queries, keys[same], all_thresholds)


def _turn(
    ones: NDArray[np.bool_], normals: NDArray[np.int64], keys: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Direct the normals to the ones, and find their thresholds."""
    logits = normals @ keys.T
    limits = np.iinfo(np.int64)
    lowest = np.where(ones, logits, limits.max).min(axis=1)
    highest = np.where(ones, limits.min, logits).max(axis=1)
    signs = np.where(lowest > highest, 1, -1)
    thresholds = np.where(ones, signs[:, None] * logits, limits.max).min(axis=1) - 1
    return signs[:, None] * normals, thresholds


Hashes = NDArray[np.uint64]

# Splits of a template: more of them fit more rows, and take more memory and time.
_MOST_SPLITS = 1 << 20
# Splits that are listed in a second.
_SPLITS_A_SECOND = 1 << 18
# Entries of the n^3 that a double polygon takes, in a second.
_ENTRIES_A_SECOND = 1 << 21
# Points of a double polygon, whose n^2 splits in 2 n^2 directions are sorted.
_MOST_POINTS = 120
# Radius of the polygon: whole numbers approach the corners of a larger one better.
_RADIUS = 10**6
# Length of a direction; its products with points are below 2^63.
_FINE = 1 << 30
# The inner points lie 1/1000 of their distance from the centre inside an edge.
_INSIDE = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """Points, and queries that cut them in all the ways that matter.

    A set of points has a hash: the exclusive or of the hashes of its points. The hash of a split is
    the smaller one of its two sides. `splits` holds the hashes of the splits by halfspaces,
    ascending, and `normals` the normals of these halfspaces, up to sign. For the moment curve
    `points` is the place of each point alone, and `normals` is None.
    """

    points: Numbers
    hashes: Hashes
    splits: Hashes
    normals: Numbers | None = None

    def find_places(self, sides: Hashes) -> Numbers:
        """Find the places of sets among the splits, by their hashes, if they are there."""
        sides = np.minimum(sides, sides ^ np.bitwise_xor.reduce(self.hashes))
        return np.minimum(np.searchsorted(self.splits, sides), len(self.splits) - 1)

    def find_cut(self, sides: Hashes) -> NDArray[np.bool_]:
        """Find the sets that a halfspace cuts off, by their hashes."""
        total = np.bitwise_xor.reduce(self.hashes)
        return np.asarray(self.splits[self.find_places(sides)] == np.minimum(sides, sides ^ total))


def make_templates(n: int, d: int, seconds: float = inf) -> list[Template]:
    """Make the templates of n points in R^d that take about so many seconds together."""
    templates = []
    if d == 2 and 6 <= n <= _MOST_POINTS and n**3 <= _ENTRIES_A_SECOND * seconds:
        templates.append(make_double_polygon(n))
    splits = sum(comb(n - 1, cuts) for cuts in range(min(d, n - 1) + 1))
    if splits <= min(_MOST_SPLITS, _SPLITS_A_SECOND * seconds):
        templates.append(make_curve(n, d))
    return templates


def make_curve(n: int, d: int) -> Template:
    """Put n points on the moment curve: a halfspace cuts off what changes sides at most d times."""
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


def _list_directions(points: Numbers) -> Numbers:
    """List directions between any two neighbours among those in which two points are level."""
    first, second = np.triu_indices(len(points), 1)
    level = points[first] - points[second]
    angles = np.sort(np.arctan2(level[:, 0], -level[:, 1]) % np.pi)
    between = (angles + np.append(angles[1:], angles[0] + np.pi)) / 2
    directions = np.column_stack([np.cos(between), np.sin(between)])
    return np.asarray(np.rint(directions * _FINE), dtype=np.int64)


def _hash_points(n: int) -> Hashes:
    return np.random.default_rng(n).integers(1, (1 << 64) - 1, size=n, dtype=np.uint64)


def _sort(sides: Hashes, hashes: Hashes) -> tuple[Hashes, Numbers]:
    """Return the different splits by the smaller hash of their sides, and where each occurs."""
    smaller = np.minimum(sides, sides ^ np.bitwise_xor.reduce(hashes))
    splits, first = np.unique(smaller, return_index=True)
    return splits, first
