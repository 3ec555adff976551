"""Logits in floating point, and bounds on their rounding errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.layer import AttentionLayer, product

__all__ = ["FloatLogits"]

Floats = NDArray[np.float64]


class FloatLogits:
    """The logits of a layer of floats, some rows at a time.

    Parameters
    ----------
    layer : AttentionLayer

    Attributes
    ----------
    rounding : float
        A bound on the error of a logit; infinite for types of 2 bytes.

    Notes
    -----
    Higham's gamma: a sum of t rounded products is off by at most t u / (1 - t u) times the sum of
    their absolute values, in any order, fused or not. The terms count where W_Q and W_K are not
    zero; a W that only selects columns of X rounds nothing.

    Examples
    --------
    >>> layer = AttentionLayer.from_factors([[1.0]], [[3.0]])
    >>> FloatLogits(layer).rounding < 1e-15
    True
    """

    def __init__(self, layer: AttentionLayer) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            self._queries, self._keys = layer.queries, layer.keys
            self.rounding = _rounding(layer)

    def rows(self, start: int, stop: int) -> Floats:
        """Return rows start..stop, computed in the layer's arithmetic; overflow is infinite."""
        with np.errstate(over="ignore", invalid="ignore"):
            block = product(self._queries[start:stop], self._keys.T).astype(np.float64)
        # What overflows has no order; it breaks every condition that it takes part in.
        block[np.isnan(block)] = np.inf
        return np.asarray(block)

    @staticmethod
    def differences(
        logits: Floats,
        start: int,
        rows: NDArray[np.int64],
        first: NDArray[np.int64],
        second: NDArray[np.int64],
    ) -> Floats:
        """logits[rows, first] - logits[rows, second]; infinite where the second overflows."""
        left, right = logits[rows, first], logits[rows, second]
        with np.errstate(invalid="ignore"):
            found = left - right
        # A softmax of what overflowed is no number: it beats nothing.
        found[np.isnan(found) | (right == np.inf)] = np.inf
        found[first == second] = 0.0
        return np.asarray(found)


def _rounding(layer: AttentionLayer) -> float:
    kind: Any = layer.X.dtype
    if kind.itemsize <= 2:
        return math.inf
    unit = float(np.finfo(kind).eps) / 2
    terms = layer.d + _terms(layer.W_Q) + _terms(layer.W_K)
    gamma = terms * unit / (1 - terms * unit)
    sizes = [
        np.sqrt(((np.abs(layer.X.astype(np.float64)) @ np.abs(W.astype(np.float64))) ** 2).sum(1))
        for W in (layer.W_Q, layer.W_K)
    ]
    query, key = float(sizes[0].max()), float(sizes[1].max())
    # Each of `terms` products may lose half a subnormal before it is multiplied by d numbers.
    underflow = terms * layer.d * float(np.finfo(kind).smallest_subnormal) * (1 + query + key)
    return gamma * query * key * (1 + 1e-6) + underflow


def _terms(W: NDArray[Any]) -> int:
    """Count the roundings that an entry of X W suffers at most."""
    most = int((W != 0).sum(axis=0).max())
    return 0 if most <= 1 and bool(np.isin(W, (-1, 0, 1)).all()) else most
