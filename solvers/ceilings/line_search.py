"""Exact line searches: each query, or each key, moves along a line to its fewest wrong entries."""

from __future__ import annotations

import numpy as np

from samapprox.solvers.embeddings.lbfgs import Floats

__all__ = ["best_steps"]

_TINY = 1e-12  # relative width of an interval that rounding may make up


def best_steps(margins: Floats, slopes: Floats) -> Floats:
    """Find for each row the step that leaves the fewest margins + step * slopes below 0.

    Parameters
    ----------
    margins, slopes : ndarray of float64, shape (m, n)
        0 and 0 for entries that do not count.

    Returns
    -------
    ndarray of float64, shape (m,)
        0 where every step is worse. Equally good steps let queries and keys drift.

    Notes
    -----
    O(m n log n).

    Examples
    --------
    >>> margins, slopes = np.array([[-1.0, -3.0, 4.0]]), np.array([[1.0, 1.0, -1.0]])
    >>> best_steps(margins, slopes).tolist()
    [3.5]
    """
    moving = slopes != 0
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = np.where(moving, -margins / slopes, np.inf)
    order = np.argsort(crossings, axis=1)
    ends = np.full((len(margins), 1), np.inf)
    edges = np.concatenate([-ends, np.take_along_axis(crossings, order, axis=1), ends], axis=1)
    low, high = edges[:, :-1], edges[:, 1:]
    first = ((slopes > 0) | (~moving & (margins < 0))).sum(axis=1)  # wrong before all crossings
    rises = np.take_along_axis(np.sign(slopes), order, axis=1)
    wrong = first[:, None] - np.concatenate([np.zeros_like(ends), np.cumsum(rises, axis=1)], axis=1)
    with np.errstate(invalid="ignore"):
        width = high - low
    wrong = np.where(width > _TINY * np.abs(np.where(np.isinf(low), 0.0, low)), wrong, np.inf)
    best = wrong.argmin(axis=1)
    rows = np.arange(len(margins))
    step = _middle(low[rows, best], high[rows, best])
    return np.where(wrong[rows, best] <= (margins < 0).sum(axis=1), step, 0.0)


def _middle(low: Floats, high: Floats) -> Floats:
    """Return a number in each interval, which may be infinite: not far from its end then."""
    unbounded = np.isinf(low) & np.isinf(high)
    low = np.where(unbounded, -1.0, low)
    ends = np.where(np.isinf(low), high, low)  # finite ones
    reach = 0.1 * np.abs(ends) + 1.0
    low = np.where(np.isinf(low), ends - reach, low)
    high = np.where(np.isinf(high), ends + reach, high)
    return np.asarray((low + high) / 2)
