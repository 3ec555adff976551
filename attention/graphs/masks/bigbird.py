"""Masks with global tokens: star, Longformer, and BigBird of tokens and of blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.masks.local import dilated, window
from samapprox.attention.graphs.pieces import (
    attended_by_all,
    attending_to_all,
    blow_up,
    draw_distinct,
    from_keys,
    intervals,
    tokens,
    without,
)
from samapprox.support.parameters import random_stream, require


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


def bigbird(n: int, w: int = 3, g: int = 2, r: int = 3, seed: int = 0) -> AttentionGraph:
    """BIGBIRD by token: a window of width w, the g first tokens global, r random keys a query.

    A query's random keys are distinct and new: outside its window and the global tokens.

    Parameters
    ----------
    n : int
        Number of tokens.
    w : int
        Width of the window, see `window`.
    g : int
        Global tokens, 0..g-1: they attend to all, and all attend to them.
    r : int
        Random keys of a query that is not global.
    seed : int
        Chooses the random keys.

    Notes
    -----
    O(n (w + g + r^2)). Contains the star graph of Theorem 1 of the source for g >= 1.

    References
    ----------
    Zaheer et al. (2020), Big Bird, section 2 (internal global tokens, BIGBIRD-ITC).

    Examples
    --------
    >>> graph = bigbird(100, w=3, g=2, r=3)
    >>> graph.keys(0).size, graph.keys(50).size
    (100, 8)
    """
    return _united(n, w, (0, g), r, seed, "tokens")


def bigbird_block(
    n: int, b: int = 64, w: int = 3, g: int = 2, r: int = 3, seed: int = 0
) -> AttentionGraph:
    """BIGBIRD by block, as deployed: blocks of b tokens attend to blocks.

    Of the g global blocks, ceil(g/2) stand first and floor(g/2) last: by default the first block
    and the last. The window does not go round the ends, and random blocks are new.

    Parameters
    ----------
    n : int
        Number of tokens.
    b : int
        Tokens of a block; the last block may be shorter.
    w : int
        Width of the window in blocks.
    g : int
        Global blocks.
    r : int
        Random blocks of a query block that is not global.
    seed : int
        Chooses the random blocks.

    References
    ----------
    Zaheer et al. (2020), Big Bird, appendix D (b = 64, two global blocks, a window of three, three
    random blocks), without the rolled keys of its figure: the authors' and other published code
    keeps windows inside the sequence.

    Examples
    --------
    >>> graph = bigbird_block(1024, b=64)
    >>> graph.keys(0).size // 64, graph.keys(512).size // 64
    (16, 8)
    """
    tokens(n)
    require(1 <= b <= n, f"b (tokens of a block) must be in 1..{n} (the tokens), not {b}")
    blocks = -(-n // b)
    return blow_up(_united(blocks, w, (g // 2, g - g // 2), r, seed, "blocks"), b, n)


def _united(n: int, w: int, ends: tuple[int, int], r: int, seed: int, of: str) -> AttentionGraph:
    """Unite window, global items (so many last, so many first) and random ones."""
    last, first = ends
    g = first + last
    require(min(ends) >= 0 and g <= n, f"g (global {of}) must be in 0..{n}, not {g}")
    near = window(n, w)
    graph = near.union(
        attended_by_all(n, 0, first),
        attending_to_all(n, 0, first),
        attended_by_all(n, n - last, n),
        attending_to_all(n, n - last, n),
    )
    return graph.union(_random_keys(n, w // 2, first, n - last, r, seed, of)) if r else graph


def _random_keys(
    n: int, half: int, first: int, last: int, r: int, seed: int, of: str
) -> AttentionGraph:
    """Draw keys for the queries first..last-1; the others attend to all anyway."""
    query = tokens(n)
    start = np.clip(query - half, first, last)
    stop = np.clip(query + half + 1, first, last)
    inner = (query >= first) & (query < last)
    left = np.where(inner, last - first - (stop - start), n)
    fewest = int(left.min())
    require(0 <= r <= fewest, f"r (random {of}) must be in 0..{fewest}, not {r}")
    keys: NDArray[np.int64] = first + draw_distinct(random_stream(seed), left, r)
    keys = without(keys, (start, stop))
    outer = np.flatnonzero(~inner)  # any distinct keys will do for these
    keys[outer] = np.arange(r)
    return from_keys(keys)
