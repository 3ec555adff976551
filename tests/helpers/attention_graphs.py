"""Random attention graphs, and what their tokens hear of by plain sets."""

from __future__ import annotations

from collections.abc import Sequence

from samapprox.attention.graphs import AttentionGraph, build

__all__ = ["random_graph", "reached"]


def random_graph(n: int, edges: int, seed: int) -> AttentionGraph:
    """A random graph with about this many edges."""
    return build(f"random:sparsity={max(0, 1 - edges / n**2)},seed={seed}", n).union


def reached(patterns: Sequence[AttentionGraph], layers: int) -> list[set[int]]:
    """The sets S_k^t of Yun et al. (2020), as they define them."""
    sets = [{k} for k in range(patterns[0].n)]
    for t in range(layers):
        graph = patterns[t % len(patterns)]
        sets = [set().union(*(sets[j] for j in graph.keys(k).tolist())) for k in range(graph.n)]
    return sets
