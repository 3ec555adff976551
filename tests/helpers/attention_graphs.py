"""Random and all small attention graphs, and what their tokens hear of by plain sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import networkx

from samapprox.attention.graphs import AttentionGraph, build

__all__ = ["looped_masks", "random_graph", "reached"]


def random_graph(n: int, edges: int, seed: int) -> AttentionGraph:
    """A random graph with about this many edges."""
    return build(f"random:sparsity={max(0, 1 - edges / n**2)},seed={seed}", n).union


def looped_masks(n: int) -> Iterator[AttentionGraph]:
    """All masks of n tokens with loops in which every token hears of every other."""
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    for chosen in product((False, True), repeat=len(pairs)):
        graph = networkx.DiGraph([(i, i) for i in range(n)])
        graph.add_edges_from(pair for pair, kept in zip(pairs, chosen, strict=True) if kept)
        if networkx.is_strongly_connected(graph):
            yield AttentionGraph.from_networkx(graph)


def reached(patterns: Sequence[AttentionGraph], layers: int) -> list[set[int]]:
    """The sets S_k^t of Yun et al. (2020), as they define them."""
    sets = [{k} for k in range(patterns[0].n)]
    for t in range(layers):
        graph = patterns[t % len(patterns)]
        sets = [set().union(*(sets[j] for j in graph.keys(k).tolist())) for k in range(graph.n)]
    return sets
