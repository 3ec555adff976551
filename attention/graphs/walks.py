"""Walks through all tokens of a graph, and trees that stand for walks too long to write out.

Along such a walk a token can gather what all others hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.distance import Hub, unreachable
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.errors import InputError
from samapprox.support.arrays import flags_at

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
    # The number of a pattern in which v_t attends to v_(t-1), among `SparseAttention.selectable`;
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
        """Return its part of `samapprox schema graph-check`."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A spanning tree of a mask, as the parent of every token."""

    parents: NDArray[np.int64]  # the root is its own parent
    # The number of a pattern with the edge between a token and its parent, among
    # `SparseAttention.selectable`; 0 for the root.
    patterns: NDArray[np.int64]

    def to_json(self) -> dict[str, Any]:
        """Return its part of `samapprox schema graph-check`."""
        return {"parents": self.parents.tolist(), "patterns": self.patterns.tolist()}

    def depths(self, root: int) -> NDArray[np.int64] | None:
        """Count the edges from each token to the root; None if some token does not lead to it.

        O(n log n): the ancestor 1, 2, 4, .. generations above.
        """
        ancestors = self.parents
        depths = (ancestors != np.arange(len(ancestors))).astype(np.int64)
        for _ in range(len(ancestors).bit_length()):
            depths = depths + depths[ancestors]
            ancestors = ancestors[ancestors]
        return depths if (ancestors == root).all() else None


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """An out-tree and an in-tree from one root: a covering walk too long to be written out.

    Along the out-tree the root is heard by every token; along the in-tree the root hears of every
    token. The walk goes from the root to a leaf of the out-tree, back along the in-tree, and so on
    for every leaf; it ends when the last token is first visited.
    """

    root: int
    out_tree: Tree  # every token but the root attends to its parent
    in_tree: Tree  # every token but the root is attended to by its parent

    def to_json(self) -> dict[str, Any]:
        """Return its part of `samapprox schema graph-check`."""
        return {
            "kind": "trees",
            "root": self.root,
            "out_tree": self.out_tree.to_json(),
            "in_tree": self.in_tree.to_json(),
        }

    @property
    def most_steps(self) -> int:
        """The edges of the walk to every leaf and back, a bound on those of the walk."""
        out, back = self.out_tree.depths(self.root), self.in_tree.depths(self.root)
        assert out is not None
        assert back is not None
        inner = flags_at(self.out_tree.parents, len(out))
        return int((out + back)[~inner].sum())

    @property
    def depths(self) -> tuple[int, int]:
        """The depths of the out-tree and of the in-tree."""
        out, back = self.out_tree.depths(self.root), self.in_tree.depths(self.root)
        assert out is not None
        assert back is not None
        return int(out.max()), int(back.max())


def find_trees(
    patterns: Sequence[AttentionGraph], union: AttentionGraph, hub: Hub | None = None
) -> Trees:
    """Find both trees breadth first, from the token with the most neighbours.

    O(n log n + edges).
    """
    hub = Hub.of(union) if hub is None else hub
    root = hub.token
    spreads, gathers = _parents(hub.followers, hub.to_hub), _parents(union, hub.from_hub)
    trees = Trees(
        root,
        Tree(spreads, _numbers(patterns, root, np.arange(union.n), spreads)),
        Tree(gathers, _numbers(patterns, root, gathers, np.arange(union.n))),
    )
    if not are_spanning_trees(patterns, trees):
        raise AssertionError("the trees of a breadth-first search do not span the mask")
    return trees


def are_spanning_trees(patterns: Sequence[AttentionGraph], trees: Trees) -> bool:
    """Return whether both trees lead to the root, each edge one of its pattern.

    O(n log n), without a search.
    """
    n, root = patterns[0].n, trees.root
    if not 0 <= root < n:
        return False
    for tree in (trees.out_tree, trees.in_tree):
        for members, end in ((tree.parents, n), (tree.patterns, len(patterns))):
            if members.shape != (n,) or members.min() < 0 or members.max() >= end:
                return False
        if tree.depths(root) is None or tree.patterns[root] != 0:
            return False
    tokens = np.flatnonzero(np.arange(n) != root)
    out, back = trees.out_tree, trees.in_tree
    return are_edges(patterns, tokens, out.parents[tokens], out.patterns[tokens]) and are_edges(
        patterns, back.parents[tokens], tokens, back.patterns[tokens]
    )


def _parents(graph: AttentionGraph, depths: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the parents of a breadth-first tree, whose edges lead away from the root."""
    from samapprox.attention.graphs.kernels import parents

    found = np.empty(graph.n, dtype=np.int64)
    parents(graph.indptr, graph.indices, depths, found)
    return found


def _numbers(
    patterns: Sequence[AttentionGraph],
    root: int,
    queries: NDArray[np.int64],
    keys: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Find the pattern of each edge of a tree; 0 beside the root."""
    numbers = find_patterns(patterns, queries, keys)
    numbers[root] = 0
    return numbers
