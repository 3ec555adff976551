"""Lemmas 6 and 8: feed-forward layers that round inputs, and that map ids to values.

Each also exists with ReLUs in place of piecewise linear activations.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from samapprox.attention.transformers import FeedForward, PiecewiseLinear, relu
from samapprox.attention.transformers.columns import Matrix
from samapprox.attention.transformers.universality.grid import Grid
from samapprox.errors import InputError
from samapprox.support.parameters import require

_ROUND_DOWN = PiecewiseLinear(starts=(0, 1), slopes=(0, -1, 0))
"""phi(t) = -t on [0, delta), in units of delta."""


def quantization_layers(grid: Grid) -> tuple[FeedForward, ...]:
    """Build the layers that round entries in [0, n) down, one row after the other.

    Source: Yun et al. (2020), Lemma 6 and E.1.
    """
    rows = np.eye(grid.d, dtype=np.int64)
    return tuple(
        FeedForward(row[None, :], [-k], row[:, None], np.zeros_like(row), _ROUND_DOWN)
        for row in rows
        for k in range(grid.n * grid.steps)
    )


_HALF = Fraction(1, 2)
_WINDOW = PiecewiseLinear(starts=(-_HALF, _HALF), intercepts=(0, 1, 0))
"""phi'(t) = 1 on [-delta/2, delta/2), in units of delta."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueLayers:
    """A stack of feed-forward layers: layer i adds shifts[:, i] to tokens whose id is about ids[i].

    Source: Yun et al. (2020), Lemma 8 and E.3.
    """

    column_weights: Matrix  # the vector u that gives ids u^T X
    # Distinct integers. Layer i changes the tokens with ids in [ids[i] - 1/2, ids[i] + 1/2).
    ids: Matrix
    shifts: Matrix

    def __post_init__(self) -> None:
        if len(set(self.ids.tolist())) < len(self.ids):
            raise InputError("two tokens have the same id; value layers need distinct ids")

    @classmethod
    def mapping(cls, column_weights: Matrix, columns: Matrix, targets: Matrix) -> ValueLayers:
        """Build the layers that map columns to targets, both of shape (d, layers)."""
        exact = columns.astype(object)
        ids = np.asarray(np.tensordot(column_weights, exact, axes=1))
        return cls(column_weights, ids, targets - exact)

    def __len__(self) -> int:
        return len(self.ids)

    def layer(self, i: int) -> FeedForward:
        """Return layer i, of hidden width 1."""
        shift = self.shifts[:, i, None]
        none = np.zeros(len(shift), dtype=np.int64)
        return FeedForward(self.column_weights[None, :], [-self.ids[i]], shift, none, _WINDOW)

    @property
    def parameters(self) -> int:
        """The number of entries of all layers: 3 d + 1 in each."""
        return (3 * len(self.shifts) + 1) * len(self)

    def apply(self, columns: Matrix) -> Matrix:
        """Run the whole stack, in order, on columns of shape (d, inputs, n).

        A layer leaves tokens alone whose ids lie outside its window. The windows do not overlap, so
        a search in the sorted ids finds the only layer that can change a token. If the new id lies
        in the window of a later layer, that layer changes the token again.

        O(log(layers)) for each token and each layer that changes it.
        """
        tokens = columns.reshape(len(columns), -1).astype(object)
        order = np.argsort(self.ids)
        starts = 2 * self.ids[order] - 1
        done = np.full(tokens.shape[1], -1, dtype=np.int64)
        pending = np.arange(tokens.shape[1])
        while pending.size and len(starts):
            twice = 2 * np.tensordot(self.column_weights, tokens[:, pending], axes=1)
            place = np.searchsorted(starts, twice, side="right") - 1
            layer = order[place]
            caught = (place >= 0) & (twice < starts[place] + 2) & (layer > done[pending])
            pending, layer = pending[caught.astype(np.bool_)], layer[caught.astype(np.bool_)]
            tokens[:, pending] += self.shifts[:, layer]
            done[pending] = layer
        return tokens.reshape(columns.shape)


def relu_quantization_layers(grid: Grid, alpha: Fraction) -> tuple[FeedForward, ...]:
    """Build layers of three ReLUs that round most entries in [0, n) down to a multiple of delta.

    Source: Yun et al. (2020), F.1.
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

    Source: Yun et al. (2020), F.3.
    """
    weights, shift = values.column_weights, values.shifts[:, i]
    starts = np.array([-2, -1, 1, 2], dtype=object) * Fraction(1, 4)
    slopes = np.array([[4, -4, -4, 4]], dtype=object)
    return FeedForward(
        np.tile(weights, (4, 1)), -values.ids[i] - starts, shift[:, None] * slopes, 0 * shift, relu
    )
