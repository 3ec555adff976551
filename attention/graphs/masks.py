"""The sparse attention masks of the literature: of nearby tokens, of blocks, at random, BigBird."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph, check_edges
from samapprox.attention.graphs.pieces import (
    around,
    attended_by_all,
    attending_to_all,
    blow_up,
    distinct,
    draw_distinct,
    from_keys,
    intervals,
    progressions,
    self_loops,
    tokens,
    without,
)
from samapprox.support.parameters import random_stream, require


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


Numbers = NDArray[np.int64]

MOST_DRAWS = 1024
"""The limit of the patterns of `random_heads`."""


def random(n: int, sparsity: float = 0.9, seed: int = 0) -> AttentionGraph:
    """RANDOM: pairs (query, key) drawn uniformly, up to the sparsity level.

    Self-loops are drawn like all others, and a token may be left without keys.

    Parameters
    ----------
    n : int
        Number of tokens.
    sparsity : float
        Share of the n^2 pairs that are no edges, in 0..1.
    seed : int
        Chooses the graph.

    Notes
    -----
    Exactly round((1 - sparsity) n^2) edges.

    References
    ----------
    Yun et al. (2020), 5.1.

    Examples
    --------
    >>> random(256, sparsity=0.9).edges
    6554
    """
    (graph,) = random_heads(n, sparsity, draws=1, seed=seed)
    return graph


def random_heads(
    n: int, sparsity: float = 0.9, draws: int = 4, seed: int = 0
) -> tuple[AttentionGraph, ...]:
    """RANDOM-HEADS: independent draws of RANDOM as patterns, for heads or for layers.

    With ``heads=multihead`` every head of a layer has its own draw, with ``heads=sequential`` every
    layer.

    Parameters
    ----------
    n : int
        Number of tokens.
    sparsity : float
        Of each draw, see `random`.
    draws : int
        Number of patterns.
    seed : int
        Chooses the graphs; the first is that of `random`.

    References
    ----------
    Yun et al. (2020), 5.1: four heads a layer. The accuracies of one layer in Tables 1 and 2 show
    that each head has its own draw: see docs/theory/universality.md, "Copying".

    Examples
    --------
    >>> first, second = random_heads(256, draws=2)
    >>> first.edges, second.edges, first.union(second).edges
    (6554, 6554, 12436)
    """
    require(0 <= sparsity <= 1, f"sparsity must be in 0..1, not {sparsity}")
    require(1 <= draws <= MOST_DRAWS, f"draws must be in 1..{MOST_DRAWS}, not {draws}")
    tokens(n)
    edges = round((1 - sparsity) * n * n)
    check_edges(edges * draws)
    stream = random_stream(seed)
    return tuple(_cut(distinct(stream, edges, n * n), n) for _ in range(draws))


def _cut(places: Numbers, n: int) -> AttentionGraph:
    """Turn ascending places of an n x n matrix, row after row, into a graph."""
    starts = np.searchsorted(places, np.arange(n + 1, dtype=np.int64) * n)
    return AttentionGraph(starts.astype(np.int64), (places % n).astype(np.int32))


def random_keys(n: int, r: int = 7, seed: int = 0) -> AttentionGraph:
    """RANDOM-KEYS: every token attends to itself and to r other tokens drawn uniformly.

    Parameters
    ----------
    n : int
        Number of tokens.
    r : int
        Random keys of a query.
    seed : int
        Chooses the graph.

    References
    ----------
    Zaheer et al. (2020), Big Bird, section 2: random attention.

    Examples
    --------
    >>> random_keys(100, r=7).edges
    800
    """
    query = tokens(n)
    require(0 <= r <= n - 1, f"r (random keys) must be in 0..{n - 1}, not {r}")
    ranks = draw_distinct(random_stream(seed), np.full(n, n - 1), r)
    return from_keys(without(ranks, (query, query + 1))).union(self_loops(n))


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
