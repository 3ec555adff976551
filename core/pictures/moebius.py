"""Möbius transformations of the sphere, which spread points that lie close together."""

from __future__ import annotations

import numpy as np

from samapprox.pictures.view import Points

__all__ = ["spread_over_sphere"]

_MOST_STEPS = 100
_CENTRED = 1e-3  # length of the mean of the points that is near enough to zero
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
