"""Place the labels of a picture: next to what they name, without overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

__all__ = ["beside", "spread"]

_LETTER = 0.58  # width of a letter in sizes of the font, on average
_ROOM = 1.25  # height of a line in the same
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
_AWAY = (5.0, 11.0, 20.0)  # distances from the point, in its units


def spread(values: Sequence[float], gap: float, low: float, high: float) -> NDArray[np.float64]:
    """Places as near to the values as a first come, first served rule has it, `gap` apart.

    Parameters
    ----------
    values : sequence of float
    gap : float
        Made smaller where low..high has no room for it.
    low, high : float

    Returns
    -------
    ndarray of float64
        In the order of the values.

    Examples
    --------
    >>> spread([0.5, 0.5, 0.9], 0.1, 0.0, 1.0).round(2).tolist()
    [0.5, 0.6, 0.9]
    """
    order = np.argsort(values, kind="stable")
    placed = np.clip(np.asarray(values, dtype=np.float64)[order], low, high)
    if len(placed) > 1:
        gap = min(gap, (high - low) / (len(placed) - 1))
    for k in range(1, len(placed)):
        placed[k] = max(placed[k], placed[k - 1] + gap)
    limit = high
    for k in reversed(range(len(placed))):
        placed[k] = min(placed[k], limit)
        limit = placed[k] - gap
    result = np.empty_like(placed)
    result[order] = placed
    return result


def beside(
    points: NDArray[np.float64],
    texts: Sequence[str],
    size: float,
    frame: Sequence[float] = (-np.inf, -np.inf, np.inf, np.inf),
) -> NDArray[np.float64]:
    """For each text a place next to its point where it covers least of the points and texts so far.

    Parameters
    ----------
    points : ndarray of float64, shape (n, 2)
        In typographic points.
    texts : sequence of n str
    size : float
        Of the font.
    frame : (left, bottom, right, top)
        What the texts had better stay in.

    Returns
    -------
    ndarray of float64, shape (n, 2)
        From the point to the nearer end of a text beside it, or to the middle of one straight above
        or below.

    Notes
    -----
    Greedy; O(n^2) time.

    Examples
    --------
    >>> beside(np.zeros((2, 2)), ["a", "b"], 8.0).tolist()
    [[5.0, 0.0], [-5.0, 0.0]]
    """
    window = np.array(frame, dtype=np.float64)[None]
    taken = np.zeros((0, 4))
    dots = np.concatenate([points - 2, points + 2], axis=1)
    offsets = np.zeros((len(points), 2))
    for k, (point, text) in enumerate(zip(points, texts, strict=True)):
        half = np.array([len(text) * _LETTER * size, _ROOM * size]) / 2
        best = np.inf
        for away, (x, y) in product(_AWAY, _SIDES):
            offset = np.array([x * away, y * (half[1] + away * 0.6)])
            middle = point + offset + [x * half[0], 0]
            box = np.concatenate([middle - half, middle + half])
            outside = 4 * half.prod() - _common(box, window)
            cost = _common(box, taken) + 0.3 * _common(box, dots) + outside
            if cost < best - 1e-6:
                best, offsets[k], place = cost, offset, box
        taken = np.vstack([taken, place])
    return offsets


def _common(box: NDArray[np.float64], others: NDArray[np.float64]) -> float:
    """The area that a box (left, bottom, right, top) has in common with others."""
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    return float(np.clip(sides, 0, None).prod(axis=1).sum())
