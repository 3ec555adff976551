"""Few tokens without which a graph falls into many pieces, by tabu search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.jit import compiled

__all__ = ["scattering_tokens"]

_MOST_STEPS = 300_000_000
_MOST_TURNS = 2_000


def scattering_tokens(graph: AttentionGraph) -> NDArray[np.int64]:
    """Tokens whose removal leaves as many pieces as can be found, beyond their own number.

    Parameters
    ----------
    graph : AttentionGraph
        Edges count in both directions.

    Notes
    -----
    O(n (n + edges)) a turn, at most 2,000 turns or 3 x 10^8 steps; at least one turn.

    References
    ----------
    Jung (1978), On a class of posets and the corresponding comparability graphs: the scattering
    number, the greatest such surplus, is at most 1 where there is a Hamiltonian path.

    Examples
    --------
    >>> import networkx
    >>> spider = networkx.Graph([(0, 1), (1, 2), (0, 3), (3, 4), (0, 5), (5, 6)])
    >>> scattering_tokens(AttentionGraph.from_networkx(spider)).tolist()
    [0]
    """
    both = graph.union(graph.reversed())
    turns = _MOST_STEPS // (graph.n * (graph.n + both.edges))
    best = np.zeros(graph.n, dtype=np.bool_)
    _search(both.indptr, both.indices, max(1, min(_MOST_TURNS, turns)), best)
    return np.flatnonzero(best)


@compiled
def _search(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    turns: int,
    best: NDArray[np.bool_],
) -> None:
    """Add or give back the token of greatest surplus that was not moved lately."""
    n = len(indptr) - 1
    removed = np.zeros(n, dtype=np.bool_)
    label = np.empty(n, dtype=np.int64)
    queue = np.empty(n, dtype=np.int64)
    until = np.zeros(n, dtype=np.int64)
    most = -n
    for turn in range(1, turns + 1):
        chosen, surplus = -1, -2 * n
        for shift in range(n):
            token = (turn * 7 + shift) % n  # ties go to others each time
            if until[token] > turn:
                continue
            removed[token] = not removed[token]
            now = _pieces(indptr, indices, removed, label, queue) - int(removed.sum())
            removed[token] = not removed[token]
            if now > surplus:
                chosen, surplus = token, now
        if chosen < 0:
            continue
        removed[chosen] = not removed[chosen]
        until[chosen] = turn + 4 + turn % 5
        if surplus > most:
            most = surplus
            best[:] = removed


@compiled
def _pieces(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    removed: NDArray[np.bool_],
    label: NDArray[np.int64],
    queue: NDArray[np.int64],
) -> int:
    """Into how many pieces a symmetric graph falls without the removed tokens."""
    n = len(indptr) - 1
    label[:] = -1
    count = 0
    for start in range(n):
        if removed[start] or label[start] >= 0:
            continue
        label[start] = count
        queue[0] = start
        head, tail = 0, 1
        while head < tail:
            token = queue[head]
            head += 1
            for place in range(indptr[token], indptr[token + 1]):
                key = indices[place]
                if not removed[key] and label[key] < 0:
                    label[key] = count
                    queue[tail] = key
                    tail += 1
        count += 1
    return count
