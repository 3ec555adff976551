"""Longformer: a window and global tokens."""

from __future__ import annotations

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.masks.window import dilated
from samapprox.attention.graphs.pieces import attended_by_all, attending_to_all
from samapprox.support.parameters import require

__all__ = ["longformer"]


def longformer(n: int, w: int = 3, g: int = 1, d: int = 1) -> AttentionGraph:
    """Longformer: a window, dilated by d, and g global tokens at the beginning.

    A global token attends to all, and all attend to it.

    Parameters
    ----------
    n : int
    w : int
        Width of the window, see `window`.
    g : int
        Global tokens: 0..g-1.
    d : int
        Dilation of the window.

    References
    ----------
    Beltagy, Peters and Cohan (2020), Longformer, 3.1.

    Examples
    --------
    >>> print(longformer(5, w=3, g=1).pattern().to_text())
    11111
    11100
    11110
    10111
    10011
    """
    require(0 <= g <= n, f"g (global tokens) must be in 0..{n}, not {g}")
    return dilated(n, w, d).union(attended_by_all(n, 0, g), attending_to_all(n, 0, g))
