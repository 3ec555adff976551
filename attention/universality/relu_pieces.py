"""Feed-forward layers of Lemmas 6 and 8 with ReLUs in place of piecewise linear activations."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from samapprox.attention.blocks import FeedForward, relu
from samapprox.attention.universality.grid import Grid
from samapprox.attention.universality.values import ValueLayers
from samapprox.support.parameters import require

__all__ = ["relu_quantization_layers", "relu_value_layer"]


def relu_quantization_layers(grid: Grid, alpha: Fraction) -> tuple[FeedForward, ...]:
    """Build layers of three ReLUs that round most entries in [0, n) down to a multiple of delta.

    Parameters
    ----------
    grid : Grid
    alpha : Fraction
        In (0, 1). Entries in [k delta, (k + 1 - alpha) delta] are rounded down exactly; the others
        stay between k delta and (k + 1) delta.

    Returns
    -------
    tuple of FeedForward
        d n / delta layers of hidden width 3, in units of delta. They round all entries of a share
        (1 - alpha)^(n d) of [0, 1]^(n d).

    Raises
    ------
    InputError
        alpha not in (0, 1).

    References
    ----------
    Yun et al. (2020), F.1.

    Examples
    --------
    >>> layers = relu_quantization_layers(Grid(n=1, d=1, steps=2), Fraction(1, 4))
    >>> columns = np.array([[[Fraction(3, 4), Fraction(7, 8), 1]]])
    >>> for layer in layers:
    ...     columns = layer.apply(columns)
    >>> [str(entry) for entry in columns[0, 0]]
    ['0', '1/2', '1']
    """
    require(0 < alpha < 1, f"alpha must be between 0 and 1, not {alpha}")
    starts = np.array([0, 1 - alpha, 1], dtype=object)
    slopes = np.array([[-1, 1 / alpha, 1 - 1 / alpha]], dtype=object)
    return tuple(
        FeedForward(np.tile(row, (3, 1)), -k - starts, row[:, None] * slopes, 0 * row, relu)
        for row in np.eye(grid.d, dtype=np.int64)
        for k in range(grid.n * grid.steps)
    )


def relu_value_layer(values: ValueLayers, i: int) -> FeedForward:
    """Build layer i of the value mapping from four ReLUs, in units of delta.

    Returns
    -------
    FeedForward
        Of hidden width 4. It shifts tokens with ids within delta/4 of that of the layer as the
        original one, and leaves tokens alone whose id is delta/2 or more away.

    References
    ----------
    Yun et al. (2020), F.3.

    Examples
    --------
    >>> values = ValueLayers.mapping(np.array([1]), np.array([[8]]), np.array([[2]]))
    >>> near = np.array([[[8, 8 + Fraction(1, 4), 8 + Fraction(3, 8), 8 + Fraction(1, 2)]]])
    >>> [str(entry) for entry in relu_value_layer(values, 0).apply(near)[0, 0]]
    ['2', '9/4', '43/8', '17/2']
    """
    weights, shift = values.column_weights, values.shifts[:, i]
    starts = np.array([-2, -1, 1, 2], dtype=object) * Fraction(1, 4)
    slopes = np.array([[4, -4, -4, 4]], dtype=object)
    return FeedForward(
        np.tile(weights, (4, 1)), -values.ids[i] - starts, shift[:, None] * slopes, 0 * shift, relu
    )
