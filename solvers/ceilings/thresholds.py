"""The best threshold of each row for given logits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_thresholds"]

Numbers = NDArray[Any]


def best_thresholds(entries: NDArray[np.int8], logits: Numbers) -> Numbers:
    """Find for each row a threshold that leaves the fewest specified entries wrong.

    Parameters
    ----------
    entries : ndarray of int8, shape (m, n)
        Negative for don't-cares.
    logits : ndarray of float64 or int64, shape (m, n)
        Whole numbers.

    Examples
    --------
    >>> entries = np.array([[1, 0, 0, 1]], dtype=np.int8)
    >>> best_thresholds(entries, np.array([[4.0, 1.0, 3.0, 3.0]])).tolist()
    [1.0]
    """
    order = np.argsort(logits, axis=1, kind="stable")
    heights = np.take_along_axis(logits, order, axis=1)
    sides = np.take_along_axis(entries, order, axis=1)
    gain = np.cumsum((sides == 0).astype(np.int64) - (sides == 1), axis=1)
    gain[:, :-1][heights[:, :-1] == heights[:, 1:]] = np.iinfo(np.int64).min
    best = gain.argmax(axis=1)
    rows = np.arange(len(entries))
    return np.where(gain[rows, best] >= 0, heights[rows, best], heights[:, 0] - 1)
