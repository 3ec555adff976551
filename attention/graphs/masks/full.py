"""Full attention."""

from __future__ import annotations

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.pieces import attending_to_all

__all__ = ["full"]


def full(n: int) -> AttentionGraph:
    """FULL: every token attends to every token, n^2 edges.

    Examples
    --------
    >>> full(3).edges
    9
    """
    return attending_to_all(n, 0, n)
