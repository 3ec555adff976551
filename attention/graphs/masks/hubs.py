"""Masks with a few tokens that attend to all and that all attend to: STAR, Longformer."""

from __future__ import annotations

import numpy as np

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.masks.local import dilated
from samapprox.attention.graphs.pieces import attended_by_all, attending_to_all, intervals, tokens
from samapprox.support.parameters import require

__all__ = ["longformer", "star"]


def star(n: int, w: int = 1) -> AttentionGraph:
    """STAR: the tokens 0..n-2 form a ring and attend to w neighbours on either side; n-1 relays.

    The relay token attends to all, and all attend to it.

    Parameters
    ----------
    n : int
        Number of tokens, with the relay token.
    w : int
        Neighbours on either side.

    Notes
    -----
    (n - 1)(2w + 2) + n edges for 2w + 1 <= n - 1. Contains the star graph of Zaheer et al. (2020),
    Theorem 1, centred at n - 1.

    References
    ----------
    Guo et al. (2019), Star-Transformer; Yun et al. (2020), Eq. 6.

    Examples
    --------
    >>> print(star(6, w=1).pattern().to_text())
    110011
    111001
    011101
    001111
    100111
    111111
    """
    require(n >= 2, f"star needs n of at least 2 (a token and the relay), not {n}")
    require(w >= 1, f"w (neighbours on either side) must be at least 1, not {w}")
    ring, query = n - 1, tokens(n)
    w = min(w, ring)
    on_ring = query < ring
    stop = np.where(on_ring, query + w + 1, 0)
    return intervals(query - w, np.minimum(stop, ring)).union(
        intervals(query - w + ring, np.where(on_ring & (query < w), ring, 0)),  # round the ends
        intervals(np.zeros_like(query), stop - ring),
        attended_by_all(n, n - 1, n),
        attending_to_all(n, n - 1, n),
    )


def longformer(n: int, w: int = 3, g: int = 1, d: int = 1) -> AttentionGraph:
    """Longformer: a window, dilated by d, and g global tokens at the beginning.

    A global token attends to all, and all attend to it.

    Parameters
    ----------
    n : int
        Number of tokens.
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
