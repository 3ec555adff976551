"""Recognition of causal attention: no query attends to a later position."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_causal"]


def is_causal(matrices: Iterable[NDArray[Any]], *, logits: bool = False) -> bool:
    """Whether nothing stands above the diagonal of any matrix.

    Parameters
    ----------
    matrices : iterable of ndarray, shape (n, n)
        Probabilities or logits; read only up to the first one that is not causal.
    logits : bool
        A key is masked by minus infinity, not by 0.

    Returns
    -------
    bool
        False also where no matrix has evidence: a row before the last one that is no padding.

    Notes
    -----
    Rows whose entries are all equal count neither way: they are zeros or NaN where the query is
    padding, and a softmax over a row that is masked entirely gives equal weights.

    Examples
    --------
    >>> is_causal([np.array([[1.0, 0.0], [0.5, 0.5]])])
    True
    >>> is_causal([np.array([[0.9, 0.1], [0.5, 0.5]])]), is_causal([np.ones((1, 1))])
    (False, False)
    """
    evidence = False
    for matrix in matrices:
        if matrix.shape[0] != matrix.shape[1]:
            return False
        at = np.flatnonzero(~_is_constant(matrix))
        rows = matrix[at]
        later = np.arange(matrix.shape[1]) > at[:, None]
        masked = np.isneginf(rows) if logits else rows == 0
        if (later & ~masked).any():
            return False
        evidence = evidence or bool(later.any())
    return evidence


def _is_constant(matrix: NDArray[Any]) -> NDArray[np.bool_]:
    """The rows of equal entries, where NaN equals NaN."""
    first = matrix[:, :1]
    return np.asarray(((matrix == first) | (np.isnan(matrix) & np.isnan(first))).all(axis=1))
