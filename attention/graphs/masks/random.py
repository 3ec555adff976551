"""Random masks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph, check_edges
from samapprox.attention.graphs.pieces import (
    distinct,
    draw_distinct,
    from_keys,
    self_loops,
    tokens,
    without,
)
from samapprox.support.parameters import random_stream, require

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
