"""FIXED: segments, then the last token of each."""

from __future__ import annotations

import numpy as np

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.pieces import intervals, progressions, self_loops, tokens
from samapprox.support.parameters import require

__all__ = ["fixed"]


def fixed(n: int, w: int = 16) -> tuple[AttentionGraph, AttentionGraph]:
    """FIXED, two patterns: the own segment of w tokens; then the last token of every whole segment.

    In the second pattern a token attends to itself too.

    Parameters
    ----------
    n : int
    w : int
        Length of a segment.

    References
    ----------
    Child et al. (2019); Yun et al. (2020), Eq. 5.

    Examples
    --------
    >>> segment, ends = fixed(10, w=4)
    >>> segment.keys(5).tolist(), ends.keys(5).tolist()
    ([4, 5, 6, 7], [3, 5, 7])
    """
    require(w >= 1, f"w (the length of a segment) must be at least 1, not {w}")
    w = min(w, n + 1)  # longer segments have no end
    start = tokens(n) // w * w
    ends = progressions(np.full(n, w - 1), np.full(n, n // w), w)
    return intervals(start, start + w), ends.union(self_loops(n))
