"""Hamiltonian paths as clauses: a circuit through all tokens and one more, for both its ends.

Variable 1, 2, .. is an arc key -> query of the graph, self-loops left out, in the order of the
queries; then come the n arcs from the end token to each token, then the n arcs back.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph

__all__ = ["MOST_PAIRS", "arcs", "clauses", "cut", "pairs_of_arcs"]

MOST_PAIRS = 3_000_000
"""Pairs of arcs of the largest graph that is written as clauses."""

Clause = tuple[int, ...]


def arcs(graph: AttentionGraph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the start and the end of every variable's arc; token n stands for both ends of a path.

    Examples
    --------
    >>> [side.tolist() for side in arcs(AttentionGraph.from_csr([0, 1, 3], [0, 0, 1]))]
    [[0, 2, 2, 0, 1], [1, 0, 1, 2, 2]]
    """
    n = graph.n
    other = graph.indices != graph.queries
    token, end = np.arange(n), np.full(n, n)
    source = np.concatenate((graph.indices[other], end, token))
    target = np.concatenate((graph.queries[other], token, end))
    return source.astype(np.int64), target.astype(np.int64)


def pairs_of_arcs(graph: AttentionGraph) -> int:
    """Estimate the number of clauses: pairs of arcs that begin or end in the same token."""
    counts = [np.bincount(side, minlength=graph.n + 1) for side in arcs(graph)]
    return int(sum((count * (count - 1) // 2).sum() for count in counts))


def clauses(graph: AttentionGraph) -> list[Clause]:
    """Require that exactly one arc enters and one leaves every token, the end token included.

    Notes
    -----
    Circuits apart from each other satisfy them, too: see `cut`.
    """
    made: list[Clause] = []
    for side in arcs(graph):
        order = np.argsort(side, kind="stable")
        starts = np.searchsorted(side[order], np.arange(graph.n + 2))
        for token in range(graph.n + 1):
            own = (order[starts[token] : starts[token + 1]] + 1).tolist()
            made.append(tuple(own))
            made.extend((-one, -two) for one, two in combinations(own, 2))
    return made


def cut(graph: AttentionGraph, tokens: Iterable[int]) -> tuple[Clause, Clause, Clause]:
    """Require that a path enters and leaves a set of tokens.

    Parameters
    ----------
    graph : AttentionGraph
    tokens : iterable of int
        Not empty, and not all: else they need not hold.

    Returns
    -------
    three clauses
        One of the arcs into the set, of those out of it, with the end token counting as outside;
        and of those between the set and the other tokens, in either direction.
    """
    source, target = arcs(graph)
    member = np.zeros(graph.n + 1, dtype=np.bool_)
    member[list(tokens)] = True
    into, out = member[target] & ~member[source], member[source] & ~member[target]
    within = (source < graph.n) & (target < graph.n)
    enters, leaves, crosses = (
        tuple((np.flatnonzero(chosen) + 1).tolist())
        for chosen in (into, out, (into | out) & within)
    )
    return enters, leaves, crosses
