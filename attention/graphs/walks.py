"""Walks through attention graphs along which a token can gather what all others hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.distance import unreachable
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.errors import InputError

__all__ = [
    "Walk",
    "are_edges",
    "covering_walk",
    "find_patterns",
    "find_walk",
    "is_covering_walk",
    "path_in_order",
]

MOST_STEPS = 20_000_000
"""Edges that the search for a walk follows before it gives up."""

MOST_VISITS = 1 << 17
"""Most tokens of a walk that is searched for."""


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """A walk v_1, .., v_T in which v_t attends to v_(t-1), and every token is visited.

    It ends when the last token is visited for the first time.
    """

    tokens: NDArray[np.int64]
    # the number of a pattern in which v_t attends to v_(t-1), among `SparseAttention.selectable`;
    # 0 for v_1.
    patterns: NDArray[np.int64]

    @property
    def steps(self) -> int:
        """T - 1, the number of edges."""
        return len(self.tokens) - 1

    @property
    def is_path(self) -> bool:
        """Whether each token is visited once, if the walk covers: a Hamiltonian path."""
        return len(np.unique(self.tokens)) == len(self.tokens)

    def to_json(self) -> dict[str, Any]:
        """Return its part of `schemas/graph-check.schema.json`."""
        return {
            "kind": "walk",
            "tokens": self.tokens.tolist(),
            "patterns": self.patterns.tolist(),
        }


def covering_walk(attention: SparseAttention) -> Walk:
    """Find a walk on which every token is visited, each step an edge of some pattern.

    It is the order of the tokens or its reverse where either is one. Elsewhere it goes from the
    token with the fewest neighbours to the nearest token not yet visited, and so on.

    O(n + edges) where the order of the tokens is a walk, else at most `MOST_STEPS` edges.
    """
    union = attention.union
    if (never := unreachable(union)) is not None:
        raise InputError(f"token {never[0]} never hears of token {never[1]}; add edges")
    walk = find_walk(attention.selectable, union)
    if walk is None:
        raise InputError(f"no walk of at most {MOST_VISITS} tokens was found")
    return walk


def find_walk(patterns: Sequence[AttentionGraph], union: AttentionGraph) -> Walk | None:
    """Find a covering walk as `covering_walk` does; None if the search gave up."""
    tokens = path_in_order(union)
    if tokens is None:
        tokens = _walk_to_nearest(union)
    if tokens is None:
        return None
    numbers = np.zeros_like(tokens)
    numbers[1:] = find_patterns(patterns, tokens[1:], tokens[:-1])
    walk = Walk(tokens, numbers)
    return walk if is_covering_walk(patterns, walk) else None


def path_in_order(graph: AttentionGraph) -> NDArray[np.int64] | None:
    """Return the order of the tokens or its reverse if each attends to the one before it."""
    order = np.arange(graph.n, dtype=np.int64)
    for tokens in (order, order[::-1]):
        if graph.attends(tokens[1:], tokens[:-1]).all():
            return tokens
    return None


def is_covering_walk(patterns: Sequence[AttentionGraph], walk: Walk) -> bool:
    """Return whether every step is an edge of its pattern, and all tokens are visited in time.

    O(T log n). A walk never stays at a token: the proof needs every step to reach another one.
    """
    n, tokens, numbers = patterns[0].n, walk.tokens, walk.patterns
    if tokens.ndim != 1 or tokens.shape != numbers.shape or not len(tokens):
        return False
    if tokens.min() < 0 or tokens.max() >= n or numbers.min() < 0 or numbers.max() >= len(patterns):
        return False
    if numbers[0] != 0 or (tokens[1:] == tokens[:-1]).any():
        return False
    visited, first = np.unique(tokens, return_index=True)
    if len(visited) < n or int(first.max()) != len(tokens) - 1:
        return False
    return are_edges(patterns, tokens[1:], tokens[:-1], numbers[1:])


def find_patterns(
    patterns: Sequence[AttentionGraph], queries: NDArray[np.int64], keys: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Find for each query and key the first pattern in which it attends to it; -1 for none."""
    numbers = np.full(len(queries), -1, dtype=np.int64)
    for number, graph in enumerate(patterns):
        numbers[(numbers < 0) & graph.attends(queries, keys)] = number
    return numbers


def are_edges(
    patterns: Sequence[AttentionGraph],
    queries: NDArray[np.int64],
    keys: NDArray[np.int64],
    numbers: NDArray[np.int64],
) -> bool:
    """Return whether each query attends to its key in the pattern of that number."""
    return all(
        graph.attends(queries[numbers == number], keys[numbers == number]).all()
        for number, graph in enumerate(patterns)
    )


def _walk_to_nearest(union: AttentionGraph) -> NDArray[np.int64] | None:
    """Walk from the token with the fewest neighbours to the nearest one not yet visited."""
    from samapprox.attention.graphs.kernels import walk_on

    if union.n > MOST_VISITS:
        return None
    followers = union.reverse()
    start = int(np.argmin(union.out_degrees + followers.out_degrees))
    walk = np.empty(MOST_VISITS, dtype=np.int64)
    length = walk_on(followers.indptr, followers.indices, start, MOST_STEPS, walk)
    return walk[:length].copy() if length else None
