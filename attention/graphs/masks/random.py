"""Random masks."""

from __future__ import annotations

import numpy as np

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

__all__ = ["random", "random_keys"]


def random(n: int, sparsity: float = 0.9, seed: int = 0) -> AttentionGraph:
    """RANDOM: pairs (query, key) drawn uniformly, up to the sparsity level.

    Self-loops are drawn like all others, and a token may be left without keys.

    Parameters
    ----------
    n : int
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
    require(0 <= sparsity <= 1, f"sparsity must be in 0..1, not {sparsity}")
    tokens(n)
    edges = round((1 - sparsity) * n * n)
    check_edges(edges)
    places = distinct(random_stream(seed), edges, n * n)
    starts = np.searchsorted(places, np.arange(n + 1, dtype=np.int64) * n)
    return AttentionGraph(starts.astype(np.int64), (places % n).astype(np.int32))


def random_keys(n: int, r: int = 7, seed: int = 0) -> AttentionGraph:
    """RANDOM-KEYS: every token attends to itself and to r other tokens drawn uniformly.

    Parameters
    ----------
    n : int
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
