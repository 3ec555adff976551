"""Möbius transformations keep points in their caps, and spread them over the sphere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from samapprox import Embedding, Pattern, Problem
from samapprox.pictures import draw
from samapprox.pictures.circles import evaluate_disk, find_disks, spread_over_sphere
from samapprox.proofs import Balls, Caps, check


def near_the_pole(count: int, size: float, seed: int) -> np.ndarray:
    """Points of the sphere whose distances from the pole are about `size`."""
    plane = np.random.default_rng(seed).normal(size=(count, 2)) * size
    squares = (plane**2).sum(axis=1)[:, None]
    return np.concatenate([2 * plane, 1 - squares], axis=1) / (1 + squares)


@given(
    count=st.integers(4, 30),
    size=st.sampled_from([3.0, 1.0, 0.1, 1e-2, 1e-3, 1e-4]),
    seed=st.integers(0, 10**6),
)
def test_points_stay_in_their_caps(count: int, size: float, seed: int) -> None:
    points = near_the_pole(count, size, seed)
    generator = np.random.default_rng(seed)
    normals = generator.normal(size=(12, 3))
    levels = normals @ points.mean(axis=0) + size * generator.normal(size=12)
    planes = np.concatenate([normals, -levels[:, None]], axis=1)
    heights = points @ normals.T - levels
    spread, moved = spread_over_sphere(points, planes)
    clear = np.abs(heights) > 1e-3 * size * np.linalg.norm(normals, axis=1)
    after = spread @ moved[:, :3].T + moved[:, 3]
    assert ((after > 0) == (heights > 0))[clear].all()
    assert np.allclose(np.linalg.norm(spread, axis=1), 1)
    assert np.abs(spread.mean(axis=0)).max() < 0.05


@pytest.mark.parametrize("size", [1e-9, 1e-12, 0.0])
def test_points_too_close_for_floats_stay(size: float) -> None:
    points = near_the_pole(5, size, 1)
    planes = np.ones((2, 4))
    spread, moved = spread_over_sphere(points, planes)
    assert np.array_equal(spread, points)
    assert np.array_equal(moved, planes)


@pytest.mark.parametrize("size", [10, 10**4, 10**30])
def test_keys_close_to_the_pole_are_drawn_apart_or_as_they_are(size: int) -> None:
    """Halfspaces as caps: the keys are near the pole, the nearer the larger the numbers."""
    halfspaces = Embedding(
        [[1, 0], [0, 1]], [[0, 0], [size, 3], [5, size], [size, size]], [size - 1, 4]
    )
    caps = Caps.of(Balls.of(halfspaces))
    pattern = Pattern.from_text("0101\n0011")
    assert check(Problem(pattern, 3, similarity="cosine"), caps) is None
    axes = draw(pattern, caps).get_axes()[0]
    keys = next(one for one in axes.collections if one.get_gid() == "keys")
    points = np.array(keys._offsets3d).T  # type: ignore[attr-defined]
    gaps = [float(np.linalg.norm(a - b)) for k, a in enumerate(points) for b in points[:k]]
    assert size > 10**6 or min(gaps) > 0.5


@given(
    keys=st.lists(st.tuples(*[st.integers(-50, 50)] * 2), min_size=3, max_size=12, unique=True),
    centres=st.lists(st.tuples(*[st.integers(-60, 60)] * 2), min_size=1, max_size=8),
    far=st.sampled_from([1, 1, 30, 10**6]),
)
def test_disks_hold_the_ones_of_their_rows_alone(
    keys: list[tuple[int, int]], centres: list[tuple[int, int]], far: int
) -> None:
    """Balls around centres that hold the nearer half of the keys; one key may be far away."""
    places = np.array([*keys[1:], np.array(keys[0]) * far])
    squares = ((places[None] - np.array(centres)[:, None]) ** 2).sum(axis=2)
    radii = np.sort(squares, axis=1)[:, len(keys) // 2]
    entries = squares < radii[:, None]
    rows = [row for row in range(len(centres)) if entries[row].any()]
    assume(rows)
    pattern = Pattern(entries[rows])
    thresholds = (np.array(centres) ** 2).sum(axis=1) - radii
    balls = Balls(np.array(centres)[rows], [1] * len(rows), places, thresholds[rows])
    assert check(Problem(pattern, 2, similarity="l2"), balls) is None
    points, disks = find_disks(pattern, balls, range(len(rows)))
    assert np.abs(points).max() == pytest.approx(1)
    for row, disk in enumerate(disks):
        assert ((evaluate_disk(disk, *points.T) > 0) == (pattern.to_array()[row] == 1)).all()
        assert disk[3] > 0


def test_disks_that_cover_the_sphere_are_drawn_as_they_are() -> None:
    """No point is outside both halfspaces and far from their edges: there is no other pole."""
    halfspaces = Embedding([[1, 0], [-1, 0]], [[-5, 1], [5, 0], [0, -5]], [-1, -1])
    pattern = Pattern.from_text("011\n101")
    balls = Balls.of(halfspaces)
    assert check(Problem(pattern, 2, similarity="l2"), balls) is None
    points, disks = find_disks(pattern, balls, [0, 1])
    for row, disk in enumerate(disks):
        assert ((evaluate_disk(disk, *points.T) > 0) == (pattern.to_array()[row] == 1)).all()
