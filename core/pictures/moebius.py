"""Möbius transformations of the sphere, which spread points that lie close together."""

from __future__ import annotations

import numpy as np

from samapprox.pictures.view import Points

__all__ = ["find_pole", "project", "spread_over_sphere"]

_MOST_STEPS = 100
_CENTRED = 1e-3  # length of the mean of the points that is near enough to zero
_CANDIDATES = 2000  # for the pole of a projection
_OUTSIDE = 1e-3  # least distance of the pole from all caps
_STRONGEST = 1e7  # Lorentz factor beyond which floats cannot tell the points apart


def spread_over_sphere(points: Points, planes: Points) -> tuple[Points, Points]:
    """Map points of the unit sphere such that their mean is zero, and caps with them.

    Parameters
    ----------
    points : ndarray of float64, shape (n, 3)
        On the unit sphere.
    planes : ndarray of float64, shape (m, 4)
        Caps: the points x of the sphere with planes . (x, 1) > 0.

    Returns
    -------
    points, planes : ndarray of float64
        The same points lie in the same caps, but for rounding: the map is a Möbius transformation
        of the sphere, which maps circles to circles. Unchanged if the points are too close
        together for floating-point numbers.

    Notes
    -----
    In homogeneous coordinates, Möbius transformations of the sphere are Lorentz transformations.
    Repeated boosts against the mean approach the only one, up to rotation, that makes it zero. At
    most a hundred steps of O(n) time.

    References
    ----------
    B. Springborn (2005), "A unique representation of polyhedral types. Centering via Möbius
    transformations", Mathematische Zeitschrift 249.

    Examples
    --------
    >>> heights = np.array([0.6, 0.6, 0.6])
    >>> turns = np.arange(3) * 2 * np.pi / 3
    >>> points = np.stack([0.8 * np.cos(turns), 0.8 * np.sin(turns), heights], axis=1)
    >>> spread, _ = spread_over_sphere(points, np.zeros((0, 4)))
    >>> bool(np.abs(spread.mean(axis=0)).max() < 1e-3)
    True
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


def find_pole(points: Points, planes: Points) -> Points | None:
    """Return a point of the sphere far from all points and outside all caps; None if there is none.

    Parameters
    ----------
    points : ndarray of float64, shape (n, 3)
        On the unit sphere.
    planes : ndarray of float64, shape (m, 4)
        Caps: the points x of the sphere with planes . (x, 1) > 0, with normals of length 1.

    Notes
    -----
    The best of 2,000 points that are distributed evenly. O(m + n) time for each.

    Examples
    --------
    >>> find_pole(np.array([[0.0, 0.0, -1.0]]), np.array([[0.0, 0.0, -1.0, 0.0]])).round(1).tolist()
    [0.0, 0.0, 1.0]
    """
    heights = 1 - (2 * np.arange(_CANDIDATES) + 1) / _CANDIDATES
    turns = np.pi * (1 + 5**0.5) * np.arange(_CANDIDATES)  # the golden angle
    radii = np.sqrt(1 - heights * heights)
    poles = np.stack([radii * np.cos(turns), radii * np.sin(turns), heights], axis=1)
    distances = (1 - poles @ points.T).min(axis=1) / 2
    depths = (poles @ planes[:, :3].T + planes[:, 3]).max(axis=1, initial=-1.0)
    scores = np.minimum(distances, -depths)
    best = int(scores.argmax())
    return np.asarray(poles[best]) if scores[best] > _OUTSIDE else None


def project(points: Points, planes: Points, pole: Points) -> tuple[Points, Points]:
    """Project the sphere stereographically from a pole outside all caps, which become discs.

    Parameters
    ----------
    points : ndarray of float64, shape (n, 3)
    planes : ndarray of float64, shape (m, 4)
    pole : ndarray of float64, shape (3,)

    Returns
    -------
    points : ndarray of float64, shape (n, 2)
    disks : ndarray of float64, shape (m, 4)
        Rows a, b, c, d: the disk holds (x, y) if a + b x + c y - d (x^2 + y^2) > 0, where d > 0.

    Examples
    --------
    >>> points, disks = project(
    ...     np.array([[0, 0, -1], [1, 0, 0]]), np.array([[0, 0, -1, 0]]), np.array([0, 0, 1])
    ... )
    >>> np.linalg.norm(points, axis=1).round(3).tolist(), disks.tolist()
    ([0.0, 1.0], [[1.0, 0.0, 0.0, 1.0]])
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
