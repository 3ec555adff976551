"""Places for the labels of a picture: next to the named points, without overlaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

__all__ = ["EVERYWHERE", "beside", "inches_of", "overlap", "spread", "width_of", "without_overlaps"]

Boxes = NDArray[np.float64]

EVERYWHERE = (-1e9, -1e9, 1e9, 1e9)
"""A box without a narrow end."""

_LETTER = 0.62  # width of a letter in sizes of the font, on average
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
_AWAY = (5.0, 11.0, 20.0, 34.0)  # distances from the point, in its units


def inches_of(texts: Iterable[str], size: float) -> float:
    """Return about how wide the longest of some texts is, in inches.

    Parameters
    ----------
    texts : iterable of str
    size : float
        Of the font, in points.

    Examples
    --------
    >>> inches_of([], 8), inches_of(["ab", "\u6f22\u5b57"], 8) > inches_of(["abc"], 8)
    (0.0, True)
    """
    return max(map(width_of, texts), default=0) * _LETTER * size / 72


def width_of(text: str) -> int:
    """Return the width of a text in letters; wide ones, such as Chinese, count twice.

    Examples
    --------
    >>> width_of("ab"), width_of("\u6f22\u5b57")
    (2, 4)
    """
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)


def spread(values: Sequence[float], gap: float, low: float, high: float) -> Boxes:
    """Move values apart until neighbours differ by `gap`, each as little as possible in turn.

    Parameters
    ----------
    values : sequence of float
    gap : float
        Reduced where low..high has no room for it.
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
    points: Boxes,
    sizes: Boxes,
    frame: Sequence[float] = EVERYWHERE,
    limits: Sequence[float] = EVERYWHERE,
    taken: Sequence[Sequence[float]] = (),
) -> list[tuple[float, float] | None]:
    """Find a place for each text next to its point, without overlaps between texts.

    Parameters
    ----------
    points, sizes : ndarray of float64, shape (n, 2)
        The points, and the width and height of their texts; in typographic points.
    frame, limits : (left, bottom, right, top)
        Texts should lie in the frame and must lie within the limits.
    taken : sequence of (left, bottom, right, top)
        Boxes that must stay free.

    Returns
    -------
    list of (float, float) or None
        From each point to the middle of its text; None where no place is free.

    Notes
    -----
    Greedy, first come, first served: the nearest free place that covers few points; O(n^2) time.

    Examples
    --------
    >>> beside(np.zeros((2, 2)), np.full((2, 2), 10.0))
    [(10.0, 0.0), (-10.0, 0.0)]
    >>> beside(np.zeros((1, 2)), np.full((1, 2), 10.0), taken=[(-99, -99, 99, 99)])
    [None]
    """
    window, bounds = (np.array(box, dtype=np.float64)[None] for box in (frame, limits))
    occupied = np.array(taken, dtype=np.float64).reshape(-1, 4)
    dots = np.concatenate([points - 2, points + 2], axis=1)
    found: list[tuple[float, float] | None] = []
    for point, size in zip(points, sizes, strict=True):
        best, place, kept = np.inf, None, None
        for away, (x, y) in product(_AWAY, _SIDES):
            offset = np.array([x * (size[0] / 2 + away), y * (size[1] / 2 + 0.6 * away)])
            box = np.concatenate([point + offset - size / 2, point + offset + size / 2])
            if overlap(box, occupied) > 0 or overlap(box, bounds) < size.prod() * (1 - 1e-9):
                continue
            outside = size.prod() - overlap(box, window)
            cost = 0.3 * overlap(box, dots) + outside + 0.5 * away
            if cost < best - 1e-6:
                best, place, kept = cost, offset, box
        found.append(None if place is None else (float(place[0]), float(place[1])))
        if kept is not None:
            occupied = np.vstack([occupied, kept])
    return found


def without_overlaps(boxes: Boxes) -> list[bool]:
    """Choose boxes, first come, first served, so that no two of them overlap.

    Parameters
    ----------
    boxes : ndarray of float64, shape (n, 4)
        Each as left, bottom, right, top.

    Examples
    --------
    >>> without_overlaps(np.array([[0, 0, 2, 2], [1, 1, 3, 3], [2, 0, 4, 2]]))
    [True, False, True]
    """
    kept: list[bool] = []
    for k, box in enumerate(boxes):
        kept.append(overlap(box, boxes[:k][kept]) == 0)
    return kept


def overlap(box: Boxes, others: Boxes) -> float:
    """Return the area that a box (left, bottom, right, top) has in common with others."""
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    return float(np.clip(sides, 0, None).prod(axis=1).sum())
