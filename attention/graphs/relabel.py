"""A graph whose tokens are permuted in every layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.errors import InputError
from samapprox.support.parameters import random_stream

__all__ = ["Relabelled", "relabel"]


def relabel(graph: AttentionGraph, places: NDArray[np.int64]) -> AttentionGraph:
    """Return the graph in which token i takes the place of token places[i].

    Parameters
    ----------
    graph : AttentionGraph
    places : ndarray of int64, shape (n,)
        A permutation.

    Raises
    ------
    InputError
        Not a permutation of the graph's tokens.

    Notes
    -----
    O(n + edges log n).

    Examples
    --------
    >>> path = AttentionGraph.from_csr([0, 1, 2, 2], [1, 2])
    >>> turned = relabel(path, np.array([2, 1, 0]))
    >>> [turned.keys(i).tolist() for i in range(3)]
    [[], [0], [1]]
    """
    if not np.array_equal(np.sort(places), np.arange(graph.n)):
        raise InputError(f"places must be a permutation of the {graph.n} tokens of the graph")
    degrees = graph.out_degrees[places]
    starts = np.concatenate(([0], np.cumsum(degrees)))
    edges = np.arange(starts[-1]) + np.repeat(graph.indptr[places] - starts[:-1], degrees)
    token_at = np.empty(graph.n, dtype=np.int64)
    token_at[places] = np.arange(graph.n)
    return AttentionGraph.from_csr(starts, token_at[graph.indices[edges]])


@dataclass(frozen=True, slots=True)
class Relabelled:
    """For each layer t = 0, 1, .. one of the graphs, in turn, with tokens permuted at random.

    Attributes
    ----------
    graphs : sequence of AttentionGraph
    seed : int
        Layer t has the permutation of the seed ``seed + t``.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> layers = Relabelled(build("window:w=3", 9).patterns, seed=1)
    >>> layers(0) == layers(0), layers(0) == layers(1), layers(1).edges
    (True, False, 25)
    """

    graphs: Sequence[AttentionGraph]
    seed: int = 0

    def __call__(self, t: int) -> AttentionGraph:
        """Return the graph of layer t."""
        graph = self.graphs[t % len(self.graphs)]
        return relabel(graph, random_stream(self.seed + t).permutation(graph.n).astype(np.int64))
