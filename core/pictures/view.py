"""The geometry of an embedding: points in a window, and the boundary of each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import exact_matmul

Points = NDArray[np.float64]

_MOST_COMPARED = 300  # points, whose distances after all maps take a second
_DIRECTIONS, _STRENGTHS = 60, (0.5, 0.8, 0.9, 0.96, 0.99)  # the projective maps that are tried
_GAIN = 0.1  # a gain in the mean logarithm of distances below which the simpler map is kept
_SAME = 1e-3  # distance below which points look as one


@dataclass(frozen=True, slots=True)
class Boundary:
    """The boundary between a row's zeros and ones: normal . x = level, with the ones above.

    `rows`: the rows with this boundary. `normal`: of length 1, in the coordinates of the window.
    """

    rows: tuple[int, ...]
    normal: Points
    level: float


@dataclass(frozen=True, slots=True)
class View:
    """Keys as points of a window, which an affine map lets them fill.

    `points`: within [-1, 1]^d. `boundaries`: the boundaries of all rows with a 0 and a 1, halfway
    between both; rows with the same halfspace share one.

    >>> view = View.of(Embedding([[1], [0]], [[5], [1]], [3, -1]))
    >>> view.points.tolist(), view.boundaries[0].rows, view.boundaries[0].level
    ([[1.0], [-1.0]], (0,), 0.0)
    """

    points: Points
    boundaries: tuple[Boundary, ...]

    @classmethod
    def of(cls, embedding: Embedding, rows: Sequence[int] | None = None) -> View:
        """Return the view of an embedding, with the boundaries of chosen rows (all if None).

        Differences are computed exactly, since keys may be large and close together. O(m n d) time.
        """
        count = len(embedding.keys)
        keys = embedding.keys.astype(object)
        total = keys.sum(axis=0)
        centred = count * keys - total
        size = max(1, *(abs(value) for value in centred.flat))
        points = np.array([[value / size for value in row] for row in centred], dtype=np.float64)
        axes, middle, half = _fit_window(points)
        boundaries = []
        for (query, threshold), own in _halfspaces(embedding, rows).items():
            logits = exact_matmul(embedding.queries[own[:1]], embedding.keys.T)[0]
            level = _halfway(logits, threshold)
            if level is None:
                continue
            most = max(map(abs, query))
            direction = np.linalg.solve(axes, [value / most for value in query])
            moved = count * level - sum(q * int(t) for q, t in zip(query, total, strict=True))
            normal = direction * half
            length = float(np.linalg.norm(normal))
            rest = float(moved / (size * most)) - float(direction @ middle)
            boundaries.append(Boundary(tuple(own), normal / length, rest / length))
        return cls((points @ axes - middle) / half, tuple(boundaries))

    def spread(self) -> View:
        """Return the view after a projective map that moves the keys apart.

        No key changes its side of a boundary, and boundaries are again halfway between both sides.
        The view itself if no map moves the keys apart, or if rounding would change a side.

        >>> view = View.of(Embedding([[1, 0]], [[0, 0], [1, 0], [0, 1], [50, 60]], [0]))
        >>> far = view.spread()
        >>> (far.points @ far.boundaries[0].normal > far.boundaries[0].level).tolist()
        [False, True, False, True]
        """
        slope = _find_slope(self.points)
        if not slope.any():
            return self
        moved = self.points / (1 + self.points @ slope)[:, None]
        axes, middle, half = _fit_window(moved)
        points = (moved @ axes - middle) / half
        boundaries = []
        for boundary in self.boundaries:
            is_above = self.points @ boundary.normal > boundary.level
            # At p = moved / (1 - slope . moved), the boundary is this plane, with the same sides.
            plane = boundary.normal + boundary.level * slope
            normal = np.linalg.solve(axes, plane) * half
            normal /= np.linalg.norm(normal)
            heights = points @ normal
            most, least = heights[~is_above].max(), heights[is_above].min()
            if not most < least:
                return self
            boundaries.append(Boundary(boundary.rows, normal, float(most + least) / 2))
        return View(points, tuple(boundaries))


def _find_slope(points: Points) -> Points:
    """Return the slope s of a projective map p / (1 + s . p) that moves points apart, or zeros.

    The best of some hundred maps with positive denominators at all points.

    >>> _find_slope(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])).tolist()
    [0.0, 0.0]
    """
    some = np.unique(points, axis=0)
    some = some[np.linspace(0, len(some) - 1, min(len(some), _MOST_COMPARED)).astype(int)]
    best, found = score_distances(some) + _GAIN, np.zeros(points.shape[1])
    if len(some) <= points.shape[1] + 1:  # affine maps already move so few apart
        return found
    axes = np.eye(points.shape[1])  # along which outliers lie, because the first is the widest
    random = np.random.RandomState(0).standard_normal((_DIRECTIONS, points.shape[1]))
    for direction in np.vstack([axes, -axes, random]):
        lowest = float((points @ direction).min())
        for strength in _STRENGTHS if lowest < 0 else ():
            slope = direction * strength / -lowest
            moved = some / (1 + some @ slope)[:, None]
            basis, middle, half = _fit_window(moved)
            score = score_distances((moved @ basis - middle) / half)
            if score > best:
                best, found = score, slope
    return found


def score_distances(points: Points) -> float:
    """Return the mean logarithm of the distance from a point to the nearest other one.

    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> score_distances(points) < score_distances(2 * points)
    True
    """
    from scipy.spatial import cKDTree

    if len(points) < 2:
        return 0.0
    nearest = cKDTree(points).query(points, k=2)[0][:, 1]
    return float(np.log(np.maximum(nearest, _SAME)).mean())


def _fit_window(points: Points) -> tuple[Points, Points, Points]:
    """Return axes, a middle and half a width: (points @ axes - middle) / half fills the window."""
    axes = _directions(np.unique(points, axis=0))
    points = points @ axes
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = (low + high) / 2, (high - low) / 2
    half[half <= 1e-9 * half.max()] = 1.0
    return axes, middle, half


def _directions(points: Points) -> Points:
    """A basis in which the points are equally wide in all directions; the widest comes first."""
    points = points - points.mean(axis=0)
    variances, axes = np.linalg.eigh(points.T @ points)
    widths = np.sqrt(np.clip(variances[::-1], 0, None))
    widths[widths <= 1e-7 * widths[0]] = 1.0
    return np.asarray(axes[:, ::-1] / widths)


def _halfspaces(
    embedding: Embedding, rows: Sequence[int] | None
) -> dict[tuple[tuple[int, ...], int], list[int]]:
    """The rows with each pair of query and threshold."""
    found: dict[tuple[tuple[int, ...], int], list[int]] = {}
    for row in range(len(embedding.queries)) if rows is None else dict.fromkeys(rows):
        query = tuple(map(int, embedding.queries[row]))
        found.setdefault((query, int(embedding.thresholds[row])), []).append(row)
    return found


def _halfway(logits: NDArray[Any], threshold: int) -> Fraction | None:
    """The middle between the logits up to the threshold and those above; None if one is missing."""
    is_above = logits > threshold
    if is_above.all() or not is_above.any():
        return None
    return Fraction(int(logits[is_above].min()) + int(logits[~is_above].max()), 2)
