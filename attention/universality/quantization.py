"""Lemma 6: feed-forward layers that round every entry down to a multiple of delta."""

from __future__ import annotations

import numpy as np

from samapprox.attention.blocks import FeedForward, PiecewiseLinear
from samapprox.attention.universality.grid import Grid

__all__ = ["quantization_layers"]

_ROUND_DOWN = PiecewiseLinear(starts=(0, 1), slopes=(0, -1, 0))
"""phi(t) = -t on [0, delta), in units of delta."""


def quantization_layers(grid: Grid) -> tuple[FeedForward, ...]:
    """Build the layers that round entries in [0, n) down, one row after the other.

    Parameters
    ----------
    grid : Grid

    Returns
    -------
    tuple of FeedForward
        d n / delta layers of hidden width 1; everything is in units of delta.

    References
    ----------
    Yun et al. (2020), Lemma 6 and E.1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> layers = quantization_layers(Grid(n=2, d=1, steps=3))
    >>> columns = np.array([[[Fraction(7, 2), 5]]])
    >>> for layer in layers:
    ...     columns = layer.apply(columns)
    >>> len(layers), [str(entry) for entry in columns[0, 0]]
    (6, ['3', '5'])
    """
    rows = np.eye(grid.d, dtype=np.int64)
    return tuple(
        FeedForward(row[None, :], [-k], row[:, None], np.zeros_like(row), _ROUND_DOWN)
        for row in rows
        for k in range(grid.n * grid.steps)
    )
