"""Masks by name, and their edges."""

from __future__ import annotations

import numpy as np

from samapprox.attention.graphs import AttentionGraph, build


def graph(spec: str, n: int) -> AttentionGraph:
    """The only pattern of a mask."""
    (only,) = build(spec, n).patterns
    return only


def edges(graph: AttentionGraph) -> set[tuple[int, int]]:
    """The pairs (query, key), after a check that the keys of each query ascend."""
    assert graph.indptr[0] == 0
    for query in range(graph.n):
        keys = graph.keys(query)
        assert (np.diff(keys) > 0).all()
        assert ((keys >= 0) & (keys < graph.n)).all()
    return {(query, int(key)) for query in range(graph.n) for key in graph.keys(query)}
