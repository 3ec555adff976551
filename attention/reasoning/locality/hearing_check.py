"""The independent check of `hear`: paths edge by edge, and what one token reaches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention

__all__ = ["reached_positions", "wrong_step"]


def wrong_step(
    needs: AttentionGraph, attention: SparseAttention, paths: NDArray[np.int32]
) -> str | None:
    """Check paths by the edges of the mask; return what is wrong, or None.

    Parameters
    ----------
    needs : AttentionGraph
    attention : SparseAttention
    paths : ndarray of int32, shape (edges, layers + 1)
        As in `Hearing.paths`; rows that begin with -1 are not checked.

    Notes
    -----
    O(P log E) for P steps and E edges of the mask; no code is shared with the search.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> needs = AttentionGraph.from_csr([0, 0, 0, 0, 1], [0])
    >>> mask = build("window:w=3", 4)
    >>> wrong_step(needs, mask, np.array([[0, 1, 2]], dtype=np.int32))
    >>> wrong_step(needs, mask, np.array([[0, 2, 2]], dtype=np.int32))
    'need (3, 0): position 2 does not attend to position 0 in layer 0'
    """
    met = np.flatnonzero(paths[:, 0] >= 0)
    tokens, keys, walked = needs.queries[met], needs.indices[met], paths[met]
    amiss = np.flatnonzero((walked[:, 0] != keys) | (walked[:, -1] != tokens - 1))
    if amiss.size:
        at = amiss[0]
        return (
            f"need ({tokens[at]}, {keys[at]}): the path leads from {walked[at, 0]} to "
            f"{walked[at, -1]}"
        )
    for layer in range(paths.shape[1] - 1):
        before, after = walked[:, layer], walked[:, layer + 1]
        fine = before == after
        for graph in attention.layer(layer):
            fine |= (before <= after) & _are_edges(graph, after, before)
        if not fine.all():
            at = int(np.argmin(fine))
            return (
                f"need ({tokens[at]}, {keys[at]}): position {after[at]} does not attend to "
                f"position {before[at]} in layer {layer}"
            )
    return None


def _are_edges(
    graph: AttentionGraph, queries: NDArray[np.int32], keys: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Return for each pair whether it is an edge, by bisection."""
    edges = graph.queries.astype(np.int64) * graph.n + graph.indices  # ascending
    pairs = queries.astype(np.int64) * graph.n + keys
    found: NDArray[np.bool_] = np.append(edges, -1)[np.searchsorted(edges, pairs)] == pairs
    return found


def reached_positions(attention: SparseAttention, token: int, layers: int) -> NDArray[np.bool_]:
    """Return which positions have heard of a token after so many layers, shape (n,).

    Notes
    -----
    O(layers edges), by plain boolean steps.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> reached_positions(build("window:w=3", 4), 1, 2).tolist()
    [False, True, True, True]
    """
    reached = np.zeros(attention.n, dtype=np.bool_)
    reached[token] = True
    for layer in range(layers):
        before = reached.copy()
        for graph in attention.layer(layer):
            back = graph.indices <= graph.queries
            reached[graph.queries[back & before[graph.indices]]] = True
    return reached
