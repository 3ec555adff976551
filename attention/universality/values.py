"""Lemma 8: feed-forward layers that map every id to the value of a function."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from samapprox.attention.blocks import FeedForward, PiecewiseLinear
from samapprox.attention.blocks.columns import Matrix
from samapprox.errors import InputError

__all__ = ["ValueLayers"]

_HALF = Fraction(1, 2)
_WINDOW = PiecewiseLinear(starts=(-_HALF, _HALF), intercepts=(0, 1, 0))
"""phi'(t) = 1 on [-delta/2, delta/2), in units of delta."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueLayers:
    """A stack of feed-forward layers: layer i adds shifts[:, i] to tokens whose id is about ids[i].

    Attributes
    ----------
    column_weights : ndarray, shape (d,)
        The vector u that gives ids u^T X.
    ids : ndarray of object, shape (layers,)
        Distinct integers. Layer i changes the tokens with ids in [ids[i] - 1/2, ids[i] + 1/2).
    shifts : ndarray of object, shape (d, layers)

    Raises
    ------
    InputError
        Two layers with the same id.

    References
    ----------
    Yun et al. (2020), Lemma 8 and E.3.

    Examples
    --------
    >>> layers = ValueLayers.mapping(np.array([1]), np.array([[4, 9]]), np.array([[7, 0]]))
    >>> layers.apply(np.array([[[4, 9, 5]]])).tolist()
    [[[7, 0, 5]]]
    """

    column_weights: Matrix
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

        Returns
        -------
        ndarray of object, shape (d, inputs, n)

        Notes
        -----
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
