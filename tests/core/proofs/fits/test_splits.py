"""Limits on splits: no point set exceeds them, and some attain them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from helpers.durations import ended_within
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import Certificate, Pattern, Problem, data, load
from samapprox.proofs import KSets, SplitColumns
from samapprox.proofs.fits.cut_sets import count_right, limit_splits
from samapprox.proofs.questions import Fit
from samapprox.similarities import SIMILARITIES

Points = NDArray[np.int64]
Split = frozenset[int]


def splits(points: Points, directions: Points) -> set[Split]:
    """The splits by hyperplanes with these normals, each as its side without point 0."""
    found = set()
    for heights in (points @ directions.T).T:
        order = np.argsort(heights, kind="stable")
        for cut in np.flatnonzero(np.diff(heights[order])):
            side = frozenset(order[: cut + 1].tolist())
            found.add(frozenset(range(len(points))) - side if 0 in side else side)
    return found


def directions_in_the_plane(points: Points) -> Points:
    """One direction between any two neighbours among those in which two points are level."""
    pairs = np.array([a - b for a, b in combinations(points, 2)])
    normals = {(-y // g, x // g) for x, y in pairs.tolist() if (g := int(np.gcd(x, y)))}
    normals |= {(-x, -y) for x, y in normals}
    order = sorted(normals, key=lambda normal: np.arctan2(normal[1], normal[0]))
    turned = order[1:] + order[:1]
    between = [(a + c, b + d) for (a, b), (c, d) in zip(order, turned, strict=True)]
    return np.array(order + between or [(1, 0), (0, 1)])


def directions(points: Points, seed: int = 0) -> Points:
    d = points.shape[1]
    if d == 1:
        return np.array([[1]])
    if d == 2:
        return directions_in_the_plane(points)
    random = np.random.default_rng(seed)
    some = random.integers(-1000, 1000, (1000, d))
    pairs = np.array([a - b for a, b in combinations(points, 2)])
    first, second = pairs[random.integers(len(pairs), size=(2, 1000))]
    level = 50 * np.cross(first, second) if d == 3 else some  # two pairs are almost level
    return np.concatenate([some, level + random.integers(-9, 10, level.shape)])


def pattern_of(points: Points, found: set[Split]) -> NDArray[np.int8]:
    return np.array([[j in split for j in range(len(points))] for split in found], dtype=np.int8)


def sizes(points: Points) -> Counter[int]:
    n = len(points)
    found = splits(points, directions(points))
    return Counter(min(len(split), n - len(split)) for split in found)


@st.composite
def point_sets(draw: st.DrawFn) -> Points:
    """Points of a small grid: many are collinear or equal."""
    d, n = draw(st.integers(1, 4)), draw(st.integers(2, 9))
    most = draw(st.sampled_from([1, 2, 4, 30]))
    coordinates = st.lists(st.integers(-most, most), min_size=n * d, max_size=n * d)
    return np.array(draw(coordinates), dtype=np.int64).reshape(n, d)


@given(point_sets())
@example(np.array([[0, 0], [4, 0], [0, 4], [1, 1], [1, 2]]))
def test_no_point_set_exceeds_a_limit(points: Points) -> None:
    """Rows that cut points, weighted or not, may all be right."""
    n, d = points.shape
    entries = pattern_of(points, splits(points, directions(points)))
    if len(entries) == 0:
        return
    for above in (d, d + 1):
        assert count_right(entries, above) == len(entries)
    found = sizes(points)
    for limit in limit_splits(n, d, range(1, n // 2 + 1), enough=10**9):
        assert sum(found[size] for size in range(limit.low, limit.high + 1)) <= limit.most


@given(point_sets())
def test_no_balls_exceed_a_limit(points: Points) -> None:
    """Rows that hold the keys nearest to a centre."""
    n, d = points.shape
    centres = np.random.default_rng(n).integers(-9, 10, (200, d))
    rows = set()
    for centre in np.concatenate([centres, points, *(points[i] + points for i in range(n))]):
        far = ((2 * points - centre) ** 2).sum(axis=1)
        rows.update(tuple((far <= radius).astype(int)) for radius in far.tolist())
    entries = np.array(sorted(rows), dtype=np.int8)
    assert count_right(entries, d, SIMILARITIES["l2"]) == len(entries)


@pytest.mark.parametrize("n", [*range(2, 13)])
def test_no_caps_of_a_circle_exceed_a_limit(n: int) -> None:
    """All arcs of n points, which attain every limit."""
    entries = np.array(
        [np.roll(np.arange(n) < length, first) for first in range(n) for length in range(1, n)]
    ).astype(np.int8)
    assert count_right(entries, 2, SIMILARITIES["cosine"]) == len(entries)
    assert count_right(entries, 1, SIMILARITIES["l2"]) == len(entries)
    others = {tuple(row) for row in entries[:, np.random.default_rng(n).permutation(n)].tolist()}
    both = np.array(sorted(others | set(map(tuple, entries.tolist()))), dtype=np.int8)
    right = count_right(both, 2, SIMILARITIES["cosine"])
    assert (right < len(both)) == (n > 3 and len(both) > len(entries))


def polygon_with_inner_points(half: int) -> Points:
    """A convex polygon, and a point just inside of each edge's middle."""
    angles = 2 * np.pi * np.arange(half) / half
    corners = np.rint(10**6 * np.column_stack([np.cos(angles), np.sin(angles)])).astype(np.int64)
    middles = (corners + np.roll(corners, 1, axis=0)) // 2
    return np.concatenate([1000 * corners, 999 * middles])


def test_the_limits_are_attained() -> None:
    line = np.array([[0], [1], [3], [4], [7], [9]])
    assert sizes(line) == {1: 2, 2: 2, 3: 1}
    for half in (4, 5, 7):
        assert sizes(polygon_with_inner_points(half))[2] == 3 * half
    for n in (6, 9):
        curve = np.array([[t, t**2, t**3] for t in range(n)])
        found = sizes(curve)
        assert found[1] == n
        assert found[2] == 3 * n - 6


@given(st.data())
def test_the_greedy_choice_is_the_best_one(drawn: st.DataObject) -> None:
    n, d = drawn.draw(st.integers(2, 7)), drawn.draw(st.integers(1, 3))
    similarity: str = drawn.draw(st.sampled_from(["dot", "cosine", "l2"]))
    splits_drawn = drawn.draw(
        st.lists(st.integers(0, 2 ** (n - 1) - 1), min_size=1, max_size=11, unique=True)
    )
    counts = [drawn.draw(st.integers(1, 4)) for _ in splits_drawn]
    sides = [[split >> j & 1 for j in range(n)] for split in splits_drawn]
    rows = [side for side, count in zip(sides, counts, strict=True) for _ in range(count)]
    turned = np.array(rows, dtype=np.int8)
    turned[drawn.draw(st.integers(0, len(rows) - 1))] ^= 1
    size = [min(sum(side), n - sum(side)) for side in sides]
    limits = limit_splits(n, d, range(1, n // 2 + 1), SIMILARITIES[similarity], enough=10**9)
    best = 0
    for chosen in range(1 << len(sides)):
        members = [i for i in range(len(sides)) if chosen >> i & 1]
        if all(
            sum(limit.low <= size[i] <= limit.high for i in members) <= limit.most
            for limit in limits
        ):
            best = max(best, sum(counts[i] for i in members))
    assert count_right(turned, d, SIMILARITIES[similarity]) == best


@pytest.mark.parametrize(("d", "right"), [(1, 2), (2, 69), (3, 132), (4, 1000)])
def test_the_ceilings_of_limit(d: int, right: int) -> None:
    pattern = load(data.path("limit/limit.npz"))
    assert count_right(pattern.to_array(), d) == right
    proof = KSets([SplitColumns(range(1000), range(46))])
    for wrong in (1000 - right - 1, 1000 - right):
        if wrong >= 0:
            check = Certificate.of(Fit(pattern, d, wrong), proof).verify(pattern)
            assert check.valid == (wrong < 1000 - right)


@pytest.mark.parametrize(
    ("n", "d", "similarity", "sizes", "right"),
    [
        (5, 4, "dot", [1, 2], 15),  # all splits of a simplex
        (5, 3, "dot", [1, 2], 14),  # C(4, 1) + C(4, 2) + C(4, 3)
        (5, 2, "dot", [1, 2], 10),
        (6, 2, "cosine", [3], 3),  # arcs of three and three
        (6, 2, "cosine", [2], 6),
        (6, 1, "l2", [3], 3),
        (6, 1, "dot", [3], 1),
        (6, 1, "dot", [2], 2),
        (5, 2, "dot", [2], 7),
        (7, 2, "dot", [1, 2], 14),
        (5, 3, "dot", [2], 10),  # a point in a tetrahedron: more than 3n - 6
        (9, 2, "dot", [2], 13),
        (9, 3, "dot", [2], 21),
        (6, 3, "dot", [2], 12),
        (6, 3, "dot", [1, 2], 18),
        (8, 3, "dot", [1, 2, 3], 50),
    ],
)
def test_all_splits_of_some_sizes(
    n: int, d: int, similarity: str, sizes: list[int], right: int
) -> None:
    """The limits, computed by hand, on rows with so many ones or zeros; each row occurs once."""
    rows = {
        tuple(int((column in side) != (0 in side)) for column in range(n))
        for size in sizes
        for side in combinations(range(n), size)
    }
    assert count_right(np.array(sorted(rows), dtype=np.int8), d, SIMILARITIES[similarity]) == right


def test_complements_are_the_same_split() -> None:
    single = np.eye(5, dtype=np.int8)
    assert count_right(np.vstack([single, 1 - single[:4], single[:1]]), 1) == 5


IDENTITY = Pattern(np.eye(8))


@pytest.mark.parametrize(
    ("unit", "parts", "wrong", "fault"),
    [
        ("rows", [(range(8), range(8))], 5, None),
        ("rows", [(range(8), range(8))], 6, "at least 6 rows are wrong, not more than 6"),
        ("rows", [(range(4), range(4)), (range(4, 8), range(4, 8))], 3, None),
        ("rows", [(range(4), range(4)), (range(3, 8), range(4, 8))], 1, "its parts share rows"),
        ("entries", [(range(8), range(4)), (range(8), range(4, 8))], 3, None),
        ("rows", [(range(8), range(4)), (range(8), range(4, 8))], 3, "its parts share rows"),
        ("entries", [(range(8), range(5)), (range(8), range(4, 8))], 3, "share entries"),
        ("rows", [], 0, "at least 0 rows are wrong"),
        ("rows", [(range(8), [])], 0, "at least 0 rows are wrong"),
        ("rows", [([], range(8))], 0, "at least 0 rows are wrong"),
        ("rows", [(range(9), range(8))], 0, "outside the 8 x 8 pattern"),
    ],
)
def test_parts_are_added_up(
    unit: str, parts: list[tuple[range, range]], wrong: int, fault: str | None
) -> None:
    proof = KSets([SplitColumns(*part) for part in parts])
    check = Certificate.of(Fit(IDENTITY, 1, wrong, unit), proof).verify(IDENTITY)  # type: ignore[arg-type]
    assert check.valid == (fault is None), check.reason
    assert (fault or "NO for") in check.reason


@pytest.mark.parametrize(("similarity", "most"), [("dot", 5), ("cosine", 5), ("l2", -1)])
def test_balls_split_more_than_halfspaces(similarity: str, most: int) -> None:
    """On a line, two points lie at an end, but each lies in a ball of its own."""
    proof = KSets([SplitColumns(range(8), range(8))])
    for wrong in range(8):
        check = Certificate.of(Fit(IDENTITY, 1, wrong, similarity=similarity), proof)
        assert bool(check.verify(IDENTITY)) == (wrong <= most)


def test_other_questions_are_not_answered() -> None:
    proof = KSets([SplitColumns(range(8), range(8))])
    check = Certificate.of(Problem(IDENTITY, 1), proof).verify(IDENTITY)
    assert "answers the task fit" in check.reason


def test_a_dont_care_is_not_read() -> None:
    care = np.ones((8, 8), dtype=np.bool_)
    care[7, 0] = False
    pattern = Pattern(np.eye(8), care)
    for rows, valid in ((range(8), False), (range(7), True)):
        proof = KSets([SplitColumns(rows, range(8))])
        assert Certificate.of(Fit(pattern, 1, 4), proof).verify(pattern).valid == valid


@pytest.mark.parametrize("shape", [(4, 300_000), (300_000, 4), (2000, 2000)])
@pytest.mark.parametrize("similarity", ["dot", "l2"])
def test_large_proofs_take_seconds(shape: tuple[int, int], similarity: str) -> None:
    rows, columns = shape
    random = np.random.default_rng(1)
    ones = random.random(shape) < 0.5
    ones[:, 0] = True
    pattern = Pattern.from_array(ones)
    proof = KSets([SplitColumns(range(rows), range(columns))])
    certificate = Certificate.of(Fit(pattern, 3, 10, similarity=similarity), proof)
    ended_within(30, lambda: certificate.verify(pattern))


@pytest.mark.parametrize(("count", "message"), [(8000, "are wrong, not more"), (20_000, "parts")])
def test_many_parts_take_seconds(count: int, message: str) -> None:
    pattern = Pattern.from_array(np.ones((20_000, 2)))
    proof = KSets([SplitColumns([row], [0, 1]) for row in range(count)])
    certificate = Certificate.of(Fit(pattern, 1, 0), proof)
    check = ended_within(20, lambda: certificate.verify(pattern))
    assert message in check.reason
