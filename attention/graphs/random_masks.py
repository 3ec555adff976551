"""The sparse attention masks of the literature with random keys: RANDOM and BigBird."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph, check_edges
from samapprox.attention.graphs.masks import window
from samapprox.attention.graphs.pieces import (
    attended_by_all,
    attending_to_all,
    blow_up,
    distinct,
    draw_distinct,
    from_keys,
    self_loops,
    tokens,
    without,
)
from samapprox.support.arrays import Numbers
from samapprox.support.parameters import random_stream, require

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
