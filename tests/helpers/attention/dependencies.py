"""Random needs of tokens, and those of known graphs."""

from __future__ import annotations

from collections.abc import Iterable

import networkx
from hypothesis import strategies as st

from samapprox.attention.graphs import AttentionGraph

__all__ = ["any_needs", "edges_of", "incidence_needs", "needs_of"]


def needs_of(n: int, pairs: Iterable[tuple[int, int]]) -> AttentionGraph:
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(pairs)
    return AttentionGraph.from_networkx(graph)


def edges_of(graph: AttentionGraph) -> list[tuple[int, int]]:
    return list(zip(graph.queries.tolist(), graph.indices.tolist(), strict=True))


def any_needs(most: int = 7) -> st.SearchStrategy[tuple[AttentionGraph, int]]:
    """Needs of up to so many tokens, and a number of given ones."""

    def with_edges(sizes: tuple[int, int]) -> st.SearchStrategy[tuple[AttentionGraph, int]]:
        n, given = sizes
        pairs = [(i, j) for i in range(given, n) for j in range(i)]
        chosen = st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs))
        return chosen.map(
            lambda kept: (
                needs_of(n, [pair for pair, keep in zip(pairs, kept, strict=True) if keep]),
                given,
            )
        )

    sizes = st.integers(1, most).flatmap(
        lambda n: st.tuples(st.just(n), st.integers(0, min(n, most // 2)))
    )
    return sizes.flatmap(with_edges)


def incidence_needs(graph: networkx.Graph) -> AttentionGraph:
    """Tokens for the vertices 0, 1, .. of a graph, then one for each edge, which needs its ends."""
    n = len(graph)
    pairs = [(n + number, end) for number, edge in enumerate(graph.edges) for end in edge]
    return needs_of(n + graph.number_of_edges(), pairs)
