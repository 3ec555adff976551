"""Möbius transformations of the sphere, which spread points that lie close together."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.pictures.view import Points
from samapprox.proofs.exact import exact_matmul, squared_norms
from samapprox.proofs.similarities.balls import Balls
from samapprox.proofs.similarities.caps import Caps

_MOST_STEPS = 100
_CENTRED = 1e-3  # length of the mean of the points that is near enough to zero
_CANDIDATES = 2000  # for the pole of a projection
_PRODUCTS = 1 << 20  # products in memory at once
_OUTSIDE = 1e-3  # least distance of the pole from all caps
_STRONGEST = 1e7  # Lorentz factor beyond which floats cannot tell the points apart


def spread_over_sphere(points: Points, planes: Points) -> tuple[Points, Points]:
    """Map points of the unit sphere such that their mean is zero, and caps with them.

    `points`: on the unit sphere. `planes`: caps: the points x of the sphere with planes . (x, 1) >
    0. `points, planes`: the same points lie in the same caps, but for rounding: the map is a Möbius
    transformation of the sphere, which maps circles to circles. Unchanged if the points are too
    close together for floating-point numbers.

    In homogeneous coordinates, Möbius transformations of the sphere are Lorentz transformations.
    Repeated boosts against the mean approach the only one, up to rotation, that makes it zero. At
    most a hundred steps of O(n) time.

    B. Springborn (2005), "A unique representation of polyhedral types. Centering via Möbius
    transformations", Mathematische Zeitschrift 249.
    """
    distinct = np.unique(points, axis=0)
    moved = np.eye(4)
    for _ in range(_MOST_STEPS if len(distinct) > 2 else 0):
        middle = _apply(moved, distinct).mean(axis=0)
        if np.linalg.norm(middle) < _CENTRED:
            break
        moved = _boost(middle) @ moved
        if moved[3, 3] > _STRONGEST:
            return points, planes
    signature = np.diag([1.0, 1.0, 1.0, -1.0])
    inverse = signature @ moved.T @ signature
    return _apply(moved, points), planes @ inverse


def _find_pole(points: Points, planes: Points) -> Points | None:
    """Return a point of the sphere far from all points and outside all caps; None if there is none.

    `points`: on the unit sphere. `planes`: caps: the points x of the sphere with planes . (x, 1) >
    0, with normals of length 1.

    The best of 2,000 points that are distributed evenly. O(m + n) time for each.

    >>> pole = _find_pole(np.array([[0.0, 0.0, -1.0]]), np.array([[0.0, 0.0, -1.0, 0.0]]))
    >>> pole.round(1).tolist()
    [0.0, 0.0, 1.0]
    """
    heights = 1 - (2 * np.arange(_CANDIDATES) + 1) / _CANDIDATES
    turns = np.pi * (1 + 5**0.5) * np.arange(_CANDIDATES)  # the golden angle
    radii = np.sqrt(1 - heights * heights)
    poles = np.stack([radii * np.cos(turns), radii * np.sin(turns), heights], axis=1)
    scores = np.empty(_CANDIDATES)
    step = max(1, _PRODUCTS // (len(points) + len(planes)))
    for first in range(0, _CANDIDATES, step):
        some = poles[first : first + step]
        distances = (1 - some @ points.T).min(axis=1) / 2
        depths = (some @ planes[:, :3].T + planes[:, 3]).max(axis=1, initial=-1.0)
        scores[first : first + step] = np.minimum(distances, -depths)
    best = int(scores.argmax())
    return np.asarray(poles[best]) if scores[best] > _OUTSIDE else None


def project(points: Points, planes: Points, pole: Points) -> tuple[Points, Points]:
    """Project the sphere stereographically from a pole outside all caps, which become discs.

    `disks`: rows a, b, c, d: the disk holds (x, y) if a + b x + c y - d (x^2 + y^2) > 0, where d >
    0.
    """
    across = np.linalg.svd(np.asarray(pole, dtype=np.float64)[None])[2][1:]
    images = points @ across.T / (1 - points @ pole)[:, None]
    normals, constants = planes[:, :3], planes[:, 3]
    steep, sides = normals @ pole, 2.0 * normals @ across.T
    disks = np.stack([constants - steep, sides[:, 0], sides[:, 1], -constants - steep], axis=1)
    return images, disks


def _boost(velocity: Points) -> Points:
    """Return the Lorentz transformation that brings a velocity of at most 1 to rest."""
    square = float(velocity @ velocity)
    factor = 1 / np.sqrt(max(1 - square, 1e-15))  # a mean may have length 1 by rounding
    boost = np.empty((4, 4))
    boost[:3, :3] = np.eye(3) + (factor - 1) * np.outer(velocity, velocity) / square
    boost[:3, 3] = boost[3, :3] = -factor * velocity
    boost[3, 3] = factor
    return boost


def _apply(moved: Points, points: Points) -> Points:
    """Map points of the sphere by a Lorentz transformation."""
    images = points @ moved[:3, :3].T + moved[:3, 3]
    return np.asarray(images / np.linalg.norm(images, axis=1)[:, None])


def find_units(caps: Caps) -> Points:
    """Return the keys on the unit sphere.

    `caps`: its numbers may have any number of digits.

    >>> find_units(Caps([[1, 0]], [[3, 4], [-10**400, 0]], [0])).tolist()
    [[0.6, 0.8], [-1.0, 0.0]]
    """
    keys = np.array([[entry / max(map(abs, key)) for entry in key] for key in caps.keys.tolist()])
    return np.asarray(keys / np.linalg.norm(keys, axis=1)[:, None], dtype=np.float64)


def find_caps(pattern: Pattern, caps: Caps, rows: Sequence[int]) -> tuple[Points, Points]:
    """Return the keys, far apart on the sphere, and the planes that cut off the rows' caps there.

    `caps`: of dimension 3. `rows`: with ones and zeros. `points`: images of the keys under a Möbius
    transformation. They stay where they are if rounding would put one on the wrong side of a plane.
    `planes`: the cap of a row is planes . (x, 1) > 0, halfway between ones and zeros; normals have
    length 1.

    >>> caps = Caps([[1, 0, 0]], [[1, 0, 0], [-1, 0, 0], [0, 1, 0]], [0])
    >>> points, planes = find_caps(Pattern.from_text("100"), caps, [0])
    >>> (points @ planes[0, :3] + planes[0, 3] > 0).tolist()
    [True, False, False]
    """
    points = find_units(caps)
    normals = np.array([_normal(caps.queries[row]) for row in rows]).reshape(-1, 3)
    planes = _halve_gaps(pattern, rows, points, normals)
    spread, moved = spread_over_sphere(points, planes)
    normals = moved[:, :3] / np.linalg.norm(moved[:, :3], axis=1)[:, None]
    for row, normal in zip(rows, normals, strict=True):
        if not _separates(pattern, row, spread @ normal):
            return points, planes
    return spread, _halve_gaps(pattern, rows, spread, normals)


def find_disks(pattern: Pattern, balls: Balls, rows: Sequence[int]) -> tuple[Points, Points]:
    """Return the keys of the plane, in a window from -1 to 1, and the disks of the rows there.

    `balls`: of dimension 2. `rows`: with ones and zeros. `points`: images of the keys under a
    Möbius transformation that moves them apart. They keep their places, up to scale, if rounding or
    the rows do not allow it. `disks`: see `evaluate_disk`.

    >>> balls = Balls([[0, 0]], [1], [[0, 0], [9, 0], [0, 9]], [-1])
    >>> points, disks = find_disks(Pattern.from_text("100"), balls, [0])
    >>> (evaluate_disk(disks[0], *points.T) > 0).tolist()
    [True, False, False]
    """
    spread = _spread_disks(pattern, balls, rows)
    return _place_disks(pattern, balls, rows) if spread is None else spread


def evaluate_disk(disk: Points, x: Points, y: Points) -> Points:
    """Return the values of a function that is positive in a disk, and zero on its circle.

    `disk`: the numbers a, b, c, d of the function a + b x + c y - d (x^2 + y^2). `x`, `y`: places,
    of the same shape.

    >>> evaluate_disk(np.array([1, 0, 0, 1]), np.array([0, 1, 2]), np.zeros(3)).tolist()
    [1.0, 0.0, -3.0]
    """
    a, b, c, d = disk
    return np.asarray(a + b * x + c * y - d * (x * x + y * y))


def _spread_disks(
    pattern: Pattern, balls: Balls, rows: Sequence[int]
) -> tuple[Points, Points] | None:
    """Return the keys and the disks after a Möbius transformation that moves the keys apart.

    None if rounding does not allow it, or if each part of the sphere is within some row's cap.
    """
    points, planes = find_caps(pattern, Caps.of(balls), rows)
    pole = _find_pole(points, planes)
    if pole is None:
        return None
    points, disks = project(points, planes, pole)
    low, high = points.min(axis=0), points.max(axis=0)
    (x, y), size = (low + high) / 2, max(float((high - low).max()) / 2, 1e-9)
    a, b, c, d = disks.T
    disks = np.stack(
        [
            a + b * x + c * y - d * (x * x + y * y),
            size * (b - 2 * d * x),
            size * (c - 2 * d * y),
            size * size * d,
        ],
        axis=1,
    )
    points = (points - [x, y]) / size
    for row, disk in zip(rows, disks, strict=True):
        values = evaluate_disk(disk, *points.T)
        if not _separates(pattern, row, values) or values.max() <= 0 or values.min() >= 0:
            return None
    return points, disks


def _place_disks(pattern: Pattern, balls: Balls, rows: Sequence[int]) -> tuple[Points, Points]:
    """Return the keys and the disks as they are, in the coordinates of the window."""
    middle, size, points = find_window(balls)
    norms = squared_norms(balls.keys)
    disks = []
    for row in rows:
        center, weight = balls.centers[row].tolist(), int(balls.weights[row])
        values = 2 * exact_matmul(balls.centers[row].astype(object), balls.keys.T) - weight * norms
        level = _gap(pattern, row, np.array([Fraction(int(v)) for v in values], dtype=object))
        # The ball is constant + 2 slope . u - curve |u|^2 > 0 at the place u of the window.
        constant = sum(2 * c * m - weight * m * m for c, m in zip(center, middle, strict=True))
        slope = [2 * size * (c - weight * m) for c, m in zip(center, middle, strict=True)]
        curve = weight * size * size
        most = max(abs(constant - level), *map(abs, slope), curve)
        disks.append([float(part / most) for part in (constant - level, *slope, curve)])
    return points, np.reshape(disks, (-1, 4))


def find_window(balls: Balls) -> tuple[list[Fraction], Fraction, Points]:
    """Return the middle and half the width of the window, and the keys in it.

    `points`: from -1 to 1.

    >>> middle, size, points = find_window(Balls([[1]], [1], [[1], [2], [5]], [-1]))
    >>> str(middle[0]), str(size), points.ravel().tolist()
    ('3', '2', [-1.0, -0.5, 1.0])
    """
    keys = balls.keys.astype(object)
    low, high = keys.min(axis=0), keys.max(axis=0)
    middle = [Fraction(int(a + b), 2) for a, b in zip(low, high, strict=True)]
    size = max(Fraction(1), *(Fraction(int(b - a), 2) for a, b in zip(low, high, strict=True)))
    points = [
        [float((int(entry) - m) / size) for entry, m in zip(key, middle, strict=True)]
        for key in keys
    ]
    return middle, size, np.array(points)


def _normal(query: NDArray[Any]) -> Points:
    """Return a query as a unit vector; zero if it is zero."""
    entries = query.tolist()
    scaled = np.array([entry / max(1, *map(abs, entries)) for entry in entries])
    return np.asarray(scaled / max(1e-300, float(np.linalg.norm(scaled))))


def _halve_gaps(pattern: Pattern, rows: Sequence[int], points: Points, normals: Points) -> Points:
    """Return planes with these normals, halfway between the ones and the zeros of each row."""
    levels = [
        _gap(pattern, row, points @ normal) for row, normal in zip(rows, normals, strict=True)
    ]
    return np.concatenate([normals, -np.reshape(levels, (-1, 1))], axis=1)


def _gap(pattern: Pattern, row: int, values: NDArray[Any]) -> Any:
    """Return the middle between the greatest value of the row's zeros and the least of its ones."""
    ones, zeros = split_row(pattern, row, values)
    return (ones.min() + zeros.max()) / 2


def _separates(pattern: Pattern, row: int, values: Points) -> bool:
    """Return whether a row's ones have greater values than its zeros, despite rounding."""
    ones, zeros = split_row(pattern, row, values)
    return bool(ones.min() > zeros.max())


def split_row(
    pattern: Pattern, row: int, values: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Split a value for each key into those of a row's ones and those of its zeros."""
    entries = pattern.submatrix([row], range(pattern.shape[1]))[0]
    return values[entries == 1], values[entries == 0]
