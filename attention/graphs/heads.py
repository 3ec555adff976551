"""Several patterns in the layers and heads of one transformer, and permuted tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.errors import InputError, require_list, require_type
from samapprox.support.arrays import places_of
from samapprox.support.parameters import random_stream


class Heads(Enum):
    """Head configurations of Child et al. (2019), as in Yun et al. (2020), 5.1."""

    SEQUENTIAL = "sequential"
    """Layer t has pattern t mod p in all heads."""
    UNION = "union"
    """Every layer has the union of the patterns in all heads."""
    MULTIHEAD = "multihead"
    """Every layer gives the same number of heads to each pattern."""


@dataclass(frozen=True, slots=True)
class SparseAttention:
    """Several patterns and how layers and heads share them.

    Attributes
    ----------
    patterns : tuple of AttentionGraph
        p of them, at least one, on the same tokens.
    heads : Heads
        All the same for p = 1.

    Raises
    ------
    InputError
        No pattern, or patterns of different n.

    Examples
    --------
    >>> from samapprox.attention.graphs.masks import strided
    >>> attention = SparseAttention(strided(256, w=16), Heads.SEQUENTIAL)
    >>> attention.layer(0)[0].edges, attention.layer(1)[0].edges, round(attention.sparsity, 3)
    (4280, 4096, 0.936)
    """

    patterns: tuple[AttentionGraph, ...]
    heads: Heads = Heads.SEQUENTIAL

    def __post_init__(self) -> None:
        require_list("patterns", self.patterns, "graphs")
        object.__setattr__(self, "patterns", tuple(self.patterns))
        for graph in self.patterns:
            require_type("a pattern", graph, AttentionGraph, "an AttentionGraph")
        if not self.patterns:
            raise InputError("sparse attention needs a pattern; there is none")
        sizes = {graph.n for graph in self.patterns}
        if len(sizes) > 1:
            raise InputError(f"the patterns must be on the same tokens, not on {sorted(sizes)}")

    @property
    def n(self) -> int:
        """Number of tokens."""
        return self.patterns[0].n

    @property
    def union(self) -> AttentionGraph:
        """Every edge of any pattern."""
        first, *others = self.patterns
        return first.union(*others) if others else first

    @property
    def period(self) -> int:
        """The number of layers after which the patterns repeat."""
        return len(self.patterns) if self.heads is Heads.SEQUENTIAL else 1

    def layer(self, t: int) -> tuple[AttentionGraph, ...]:
        """Return the graphs that the heads of layer t (0, 1, ..) have, each in as many heads.

        Parameters
        ----------
        t : int
            Number of the layer, from 0.
        """
        if self.heads is Heads.SEQUENTIAL:
            return (self.patterns[t % len(self.patterns)],)
        return (self.union,) if self.heads is Heads.UNION else self.patterns

    def by_layer(self) -> tuple[AttentionGraph, ...]:
        """Return the union of all heads' graphs, for each layer of a period."""
        if self.heads is Heads.SEQUENTIAL:
            return self.patterns
        return (self.union,)

    @property
    def selectable(self) -> tuple[AttentionGraph, ...]:
        """The patterns of which some layer can follow one alone.

        Layers that take turns follow their own. Where heads of one layer differ, the output
        matrices of all heads but those of one pattern can be zero.

        Examples
        --------
        >>> from samapprox.attention.graphs import build
        >>> counts = [len(build(f"fixed:w=2,heads={h.value}", 4).selectable) for h in Heads]
        >>> counts
        [2, 1, 2]
        """
        return (self.union,) if self.heads is Heads.UNION else self.patterns

    @property
    def sparsity(self) -> float:
        """Share of pairs that are no edges, on average over the heads of all layers."""
        graphs = [graph for t in range(self.period) for graph in self.layer(t)]
        return sum(graph.sparsity for graph in graphs) / len(graphs)

    def causal(self) -> SparseAttention:
        """Return every pattern under causal attention."""
        return SparseAttention(tuple(graph.causal() for graph in self.patterns), self.heads)


def relabel(graph: AttentionGraph, places: NDArray[np.int64]) -> AttentionGraph:
    """Return the graph in which token i takes the place of token places[i].

    O(n + edges log n).
    """
    if not np.array_equal(np.sort(places), np.arange(graph.n)):
        raise InputError(f"places must be a permutation of the {graph.n} tokens of the graph")
    degrees = graph.out_degrees[places]
    starts = np.concatenate(([0], np.cumsum(degrees)))
    edges = np.arange(starts[-1]) + np.repeat(graph.indptr[places] - starts[:-1], degrees)
    return AttentionGraph.from_csr(starts, places_of(places)[graph.indices[edges]])


@dataclass(frozen=True, slots=True)
class Relabelled:
    """For each layer t = 0, 1, .. one of the graphs, in turn, with tokens permuted at random."""

    graphs: Sequence[AttentionGraph]
    seed: int = 0  # layer t has the permutation of the seed ``seed + t``

    def __call__(self, t: int) -> AttentionGraph:
        """Return the graph of layer t."""
        graph = self.graphs[t % len(self.graphs)]
        return relabel(graph, random_stream(self.seed + t).permutation(graph.n).astype(np.int64))
