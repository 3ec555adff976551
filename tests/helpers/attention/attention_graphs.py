"""Random and all small attention graphs, and what their tokens hear of by plain sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import networkx
from hypothesis import strategies as st

from samapprox.attention.graphs import AttentionGraph, build

__all__ = ["looped_masks", "pairs_of", "random_graph", "reached", "small_graphs"]


def pairs_of(graph: AttentionGraph) -> set[tuple[int, int]]:
    """Return the pairs (i, j) such that i attends to j."""
    return set(zip(graph.queries.tolist(), graph.indices.tolist(), strict=True))


def random_graph(n: int, edges: int, seed: int) -> AttentionGraph:
    """A random graph with about this many edges."""
    return build(f"random:sparsity={max(0, 1 - edges / n**2)},seed={seed}", n).union


small_graphs = st.builds(
    random_graph, st.integers(1, 6), st.integers(0, 24), st.integers(0, 2**32 - 1)
)
"""Graphs of at most six tokens."""


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
