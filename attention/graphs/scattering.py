"""Small sets of tokens whose removal leaves many closed pieces, by tabu search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.support.jit import compiled

_MOST_STEPS = 300_000_000  # steps of all turns of a search together
_MOST_TURNS = 2_000  # turns of a search on a small graph


def scattering_tokens(graph: AttentionGraph) -> NDArray[np.int64]:
    """Search for tokens without which the graph falls into too many closed pieces for a path.

    A piece is a strongly connected component, closed if it has no keys in others. For undirected
    graphs the greatest surplus of pieces is the scattering number (Jung, 1978), which is at most 1
    where there is a Hamiltonian path. O(n (n + edges)) a turn, at most 2,000 turns or 3 x 10^8
    steps, at least one turn.
    """
    queries = graph.reverse()
    turns = _MOST_STEPS // (2 * graph.n * (graph.n + graph.edges))
    best = np.zeros(graph.n, dtype=np.bool_)
    _search(queries.indptr, queries.indices, max(1, min(_MOST_TURNS, turns)), best)
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
    work = np.empty((4, n), dtype=np.int64)
    until = np.zeros(n, dtype=np.int64)
    most = -n
    for turn in range(1, turns + 1):
        chosen, surplus = -1, -2 * n
        for shift in range(n):
            token = (turn * 7 + shift) % n  # ties go to others each time
            if until[token] > turn:
                continue
            removed[token] = not removed[token]
            now = _closed(indptr, indices, removed, work) - int(removed.sum())
            removed[token] = not removed[token]
            if now > surplus:
                chosen, surplus = token, now
        if chosen < 0:
            continue
        removed[chosen] = not removed[chosen]
        until[chosen] = turn + 4 + turn % 5
        if surplus > most:
            most = surplus
            for token in range(len(removed)):
                best[token] = removed[token]


@compiled
def _closed(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    removed: NDArray[np.bool_],
    work: NDArray[np.int64],
) -> int:
    """Count strongly connected components that nothing outside enters, by two depth-first searches.

    The component of the token that is left last is one of them; taking all that it leads to away,
    the same holds of the rest: the argument of Kosaraju and Sharir.
    """
    n = len(indptr) - 1
    left, stack, place, state = work[0], work[1], work[2], work[3]
    finished = 0
    state[:] = 0
    for start in range(n):
        if removed[start] or state[start] == 1:
            continue
        state[start] = 1
        stack[0], place[0] = start, indptr[start]
        depth = 1
        while depth:
            token = stack[depth - 1]
            if place[depth - 1] == indptr[token + 1]:
                left[finished] = token
                finished += 1
                depth -= 1
                continue
            following = indices[place[depth - 1]]
            place[depth - 1] += 1
            if not removed[following] and state[following] == 0:
                state[following] = 1
                stack[depth], place[depth] = following, indptr[following]
                depth += 1
    count = 0
    for at in range(finished - 1, -1, -1):
        if state[left[at]] == 2:
            continue
        count += 1
        state[left[at]] = 2
        stack[0] = left[at]
        depth = 1
        while depth:
            depth -= 1
            token = stack[depth]
            for where in range(indptr[token], indptr[token + 1]):
                following = indices[where]
                if not removed[following] and state[following] == 1:
                    state[following] = 2
                    stack[depth] = following
                    depth += 1
    return count
