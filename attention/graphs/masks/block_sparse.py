"""Block-sparse attention with summary tokens in every block."""

from __future__ import annotations

import numpy as np

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.pieces import intervals, progressions, tokens
from samapprox.support.parameters import require

__all__ = ["block_sparse"]


def block_sparse(n: int, b: int = 16, k: int = 1, c: int = 1) -> AttentionGraph:
    """Block-sparse: the last k b tokens, itself among them, and the last c of every block of b.

    Causal by definition: no query attends to a later key.

    Parameters
    ----------
    n : int
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
