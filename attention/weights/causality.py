"""Recognition of causal attention: no query attends to a later position."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_causal"]


def is_causal(matrices: Iterable[NDArray[Any]], *, logits: bool = False) -> bool:
    """Return whether matrices show causal attention: no key after its query has weight.

    Reads only up to the first matrix that is not causal. A key is masked by weight 0, or by a logit
    of minus infinity. The answer is False where no matrix has evidence, a row before the last one
    that is not padding.
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
