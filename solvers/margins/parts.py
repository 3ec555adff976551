"""Parts of large patterns: a bound on the margin of a part is one for the whole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_LINES", "draw_part", "heaviest_rows"]

MOST_LINES = 700
"""The greatest number of rows and columns together of a proof's core, whose size is the square."""

_DRAWN = 256
"""The most rows, and the most columns, of a part that is drawn at random."""


def draw_part(
    entries: NDArray[np.int8], random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Draw rows and columns of a pattern that is too large for a proof's core.

    Parameters
    ----------
    entries : ndarray of int8, shape (m, n)
    random : numpy.random.Generator

    Returns
    -------
    (rows, columns) or None
        Ascending; every row has a one and a zero in these columns. None if the pattern is small
        enough as it is, or if no such row is left.

    Examples
    --------
    >>> entries = np.eye(500, dtype=np.int8)
    >>> rows, columns = draw_part(entries, np.random.default_rng(0))
    >>> len(columns), len(rows), bool(np.isin(rows, columns).all())
    (256, 256, True)
    """
    height, width = entries.shape
    if height + width <= MOST_LINES or width <= _DRAWN:
        return None
    columns = np.sort(random.choice(width, _DRAWN, replace=False))
    there = entries[:, columns]
    mixed = np.flatnonzero((there == 1).any(axis=1) & (there == 0).any(axis=1))
    if not mixed.size:
        return None
    return np.sort(random.choice(mixed, min(len(mixed), _DRAWN), replace=False)), columns


def heaviest_rows(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rows with most weight, ascending, as many as a proof's core may have.

    Parameters
    ----------
    weights : ndarray, shape (m, n)
        Signed; n is less than `MOST_LINES`.

    Examples
    --------
    >>> heaviest_rows(np.ones((2, 3))).tolist()
    [0, 1]
    """
    height, width = weights.shape
    count = min(height, MOST_LINES - width)
    return np.sort(np.argsort(-np.abs(weights).sum(axis=1), kind="stable")[:count])
