"""Walks through attention graphs: what they visit, and in which pattern each step is an edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Walk"]


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """A walk v_1, .., v_T in which v_t attends to v_(t-1), and every token is visited.

    It ends when the last token is visited for the first time.

    Attributes
    ----------
    tokens : ndarray of int64, shape (T,)
    patterns : ndarray of int64, shape (T,)
        The number of a pattern in which v_t attends to v_(t-1); 0 for v_1.
    """

    tokens: NDArray[np.int64]
    patterns: NDArray[np.int64]
