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

__all__ = ["Boundary", "Points", "View"]

Points = NDArray[np.float64]


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
        axes = _directions(np.unique(points, axis=0))
        points = points @ axes
        low, high = points.min(axis=0), points.max(axis=0)
        middle, half = (low + high) / 2, (high - low) / 2
        half[half <= 1e-9 * half.max()] = 1.0
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
        return cls((points - middle) / half, tuple(boundaries))


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
