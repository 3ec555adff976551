"""The numbers that describe a sparse mask."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.distance import MOST_STEPS, Hops, components, diameter, unreachable
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.support.json_text import document_head

__all__ = ["Degrees", "GraphFacts", "graph_facts"]


@dataclass(frozen=True, slots=True)
class Degrees:
    """Least, mean and greatest of a count that every token has."""

    least: int
    mean: float
    greatest: int

    @classmethod
    def of(cls, counts: NDArray[np.int64]) -> Degrees:
        """Summarise the counts, shape (n,)."""
        return cls(int(counts.min()), float(counts.mean()), int(counts.max()))


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """Size, degrees and connectedness of sparse attention; degrees and below of the union."""

    tokens: int
    edges: tuple[int, ...]  # the number of edges of every pattern
    union_edges: int
    sparsity: float  # see `SparseAttention.sparsity`
    keys_a_query: Degrees
    queries_a_key: Degrees
    without_loop: tuple[int, ...]  # for every pattern, how many tokens do not attend to themselves
    components: int  # strongly connected ones
    largest_component: int  # its tokens
    diameter: Hops | None  # None where some token never reaches another
    unreachable: tuple[int, int] | None  # such a token and the other

    def to_json(self, *, mask: str) -> dict[str, Any]:
        """Return the document of `graph info --json`: see `samapprox schema graph-info`."""
        return {**document_head("graph-info"), "mask": mask, **asdict(self)}


def graph_facts(attention: SparseAttention, most_steps: int = MOST_STEPS) -> GraphFacts:
    """Measure a mask.

    O(n + edges), and what `diameter` takes.
    """
    union: AttentionGraph = attention.union
    sizes = np.bincount(components(union))
    return GraphFacts(
        tokens=attention.n,
        edges=tuple(graph.edges for graph in attention.patterns),
        union_edges=union.edges,
        sparsity=attention.sparsity,
        keys_a_query=Degrees.of(union.out_degrees),
        queries_a_key=Degrees.of(union.in_degrees),
        without_loop=tuple(graph.without_loop.size for graph in attention.patterns),
        components=len(sizes),
        largest_component=int(sizes.max()),
        diameter=diameter(union, most_steps),
        unreachable=unreachable(union),
    )
