"""Sliding windows, with and without gaps."""

from __future__ import annotations

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.pieces import around
from samapprox.support.parameters import require

__all__ = ["dilated", "window"]


def window(n: int, w: int = 3) -> AttentionGraph:
    """Return a sliding window: token i attends to i - floor(w/2) .. i + floor(w/2).

    Parameters
    ----------
    n : int
    w : int
        Width; an even w and w + 1 give the same graph.

    Notes
    -----
    With h = floor(w/2) < n there are n (2h + 1) - h (h + 1) edges.

    References
    ----------
    Beltagy, Peters and Cohan (2020), Longformer, 3.1; Zaheer et al. (2020), Big Bird, section 2.

    Examples
    --------
    >>> print(window(4, w=3).pattern().to_text())
    1100
    1110
    0111
    0011
    """
    return dilated(n, w, d=1)


def dilated(n: int, w: int = 3, d: int = 2) -> AttentionGraph:
    """Return a window with gaps: token i attends to i + d t for t = -floor(w/2) .. floor(w/2).

    Parameters
    ----------
    n : int
    w : int
        Width in keys.
    d : int
        Distance from one key to the next; 1 is the plain window.

    References
    ----------
    Beltagy, Peters and Cohan (2020), Longformer, 3.1.

    Examples
    --------
    >>> dilated(9, w=3, d=2).keys(4).tolist()
    [2, 4, 6]
    """
    require(w >= 1, f"w (the window's width) must be at least 1, not {w}")
    require(d >= 1, f"d (the dilation) must be at least 1, not {d}")
    return around(n, w // 2, w // 2, min(d, n))
