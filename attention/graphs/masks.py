"""The fixed sparse attention masks of the literature: windows, strides, segments, blocks, hubs."""

from __future__ import annotations

import numpy as np

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.pieces import (
    around,
    attended_by_all,
    attending_to_all,
    intervals,
    progressions,
    self_loops,
    tokens,
)
from samapprox.support.parameters import require


def full(n: int) -> AttentionGraph:
    """FULL: every token attends to every token, n^2 edges.

    Parameters
    ----------
    n : int
        Number of tokens.

    Examples
    --------
    >>> full(3).edges
    9
    """
    return attending_to_all(n, 0, n)


def window(n: int, w: int = 3) -> AttentionGraph:
    """Return a sliding window: token i attends to i - floor(w/2) .. i + floor(w/2).

    Parameters
    ----------
    n : int
        Number of tokens.
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
        Number of tokens.
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


def strided(n: int, w: int = 16) -> tuple[AttentionGraph, AttentionGraph]:
    """STRIDED, two patterns: w neighbours; then the tokens k + w t, for all whole t.

    Parameters
    ----------
    n : int
        Number of tokens.
    w : int
        Neighbours, ceil(w/2) before and floor(w/2) after; and the stride.

    References
    ----------
    Child et al. (2019); Yun et al. (2020), Eq. 4.

    Examples
    --------
    >>> near, far = strided(10, w=3)
    >>> near.keys(5).tolist(), far.keys(5).tolist()
    ([3, 4, 5, 6], [2, 5, 8])
    """
    require(w >= 1, f"w (neighbours, and the stride) must be at least 1, not {w}")
    return around(n, -(-w // 2), w // 2), around(n, n, n, min(w, n))


def fixed(n: int, w: int = 16) -> tuple[AttentionGraph, AttentionGraph]:
    """FIXED, two patterns: the own segment of w tokens; then the last token of every whole segment.

    In the second pattern a token attends to itself too.

    Parameters
    ----------
    n : int
        Number of tokens.
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


def block_sparse(n: int, b: int = 16, k: int = 1, c: int = 1) -> AttentionGraph:
    """Block-sparse: the last k b tokens, itself among them, and the last c of every block of b.

    Causal by definition: no query attends to a later key.

    Parameters
    ----------
    n : int
        Number of tokens.
    b : int
        Tokens of a block (the source's B).
    k : int
        Blocks that a query sees behind it.
    c : int
        Tokens at the end of every block that all later queries attend to.

    References
    ----------
    Yang et al. (2024), Eq. 6, after Child et al. (2019).

    Examples
    --------
    >>> block_sparse(12, b=4).keys(9).tolist()
    [3, 6, 7, 8, 9]
    """
    require(b >= 1, f"b (tokens of a block) must be at least 1, not {b}")
    require(k >= 1, f"k (blocks behind a query) must be at least 1, not {k}")
    require(0 <= c <= b, f"c (tokens of every block for all) must be in 0..{b}, not {c}")
    query = tokens(n)
    behind = min(b * k, n)
    graph = intervals(query - behind + 1, query + 1)
    ends = [
        progressions(np.full(n, place), np.maximum(0, (query - place) // b + 1), b)
        for place in range(b - c, min(b, n))
    ]
    return graph.union(*ends)


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
