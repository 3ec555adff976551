"""Selective shifts and all-max-shifts: the attention layers of Lemma 7."""

from __future__ import annotations

import numpy as np

from samapprox.attention.blocks import AttentionLayer, Head
from samapprox.attention.blocks.columns import Matrix

__all__ = ["all_max_shift", "selective_shift"]


def selective_shift(
    column_weights: Matrix, factor: int, window: tuple[int, int], pattern: int = 0
) -> AttentionLayer:
    """Build Psi: tokens with ids in a window rise by factor (max - min) of the ids they see.

    Parameters
    ----------
    column_weights : ndarray, shape (d,)
        The vector u that gives ids u^T X.
    factor : int
        c.
    window : (int, int)
        The least and the greatest id of tokens that are shifted: b_Q and b_Q' lie delta/2 outside.
    pattern : int
        The pattern of both heads, where heads of a layer differ.

    Notes
    -----
    The queries u^T X - b_Q are doubled, so that they are integers in units of delta. Hardmax does
    not depend on the scale of queries; another map needs a scale t only half as large.

    References
    ----------
    Yun et al. (2020), E.2.1.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.maps import Hardmax
    >>> layer = selective_shift(np.array([1]), 10, (2, 3))
    >>> layer.apply(np.array([[[1, 3, 7]]]), build("full", 3).patterns, Hardmax()).tolist()
    [[[1, 63, 7]]]
    """
    low, high = window
    return AttentionLayer(
        (
            _extreme(column_weights, 2, 1 - 2 * low, factor, pattern),
            _extreme(column_weights, 2, -1 - 2 * high, -factor, pattern),
        )
    )


def all_max_shift(column_weights: Matrix, factor: int, pattern: int = 0) -> AttentionLayer:
    """Build Omega: every token rises by factor times the greatest id that it sees.

    All ids must be positive.

    Parameters
    ----------
    column_weights : ndarray, shape (d,)
    factor : int
    pattern : int

    References
    ----------
    Yun et al. (2020), E.2.1.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.maps import Hardmax
    >>> layer = all_max_shift(np.array([1]), 100)
    >>> layer.apply(np.array([[[1, 3, 7]]]), build("window:w=3", 3).patterns, Hardmax()).tolist()
    [[[301, 703, 707]]]
    """
    return AttentionLayer((_extreme(column_weights, 1, 0, factor, pattern),))


def _extreme(weights: Matrix, scale: int, bias: int, factor: int, pattern: int) -> Head:
    """Build psi: the head that reads the greatest id, or the least where its query is negative."""
    row = weights[None, :]
    to_first_entry = np.zeros((len(weights), 1), dtype=object)
    to_first_entry[0, 0] = factor
    return Head(
        scale * row, row, row, _narrow(to_first_entry), _narrow(np.array([bias], object)), pattern
    )


def _narrow(entries: Matrix) -> Matrix:
    """Return integers as int64 where they fit."""
    fits = all(abs(entry) < 1 << 62 for entry in entries.flat)
    return entries.astype(np.int64) if fits else entries
