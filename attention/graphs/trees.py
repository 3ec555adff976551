"""Two trees from one root that show that every token hears of every other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.distance import Hub
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.walks import are_edges, find_patterns

__all__ = ["Tree", "Trees", "are_spanning_trees", "find_trees"]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A spanning tree of a mask, as the parent of every token."""

    parents: NDArray[np.int64]  # the root is its own parent
    # the number of a pattern with the edge between a token and its parent, among
    # `SparseAttention.selectable`; 0 for the root.
    patterns: NDArray[np.int64]

    def to_json(self) -> dict[str, Any]:
        """Return its part of `schemas/graph-check.schema.json`."""
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
        """Return its part of `schemas/graph-check.schema.json`."""
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
        inner = np.zeros(len(out), dtype=np.bool_)
        inner[self.out_tree.parents] = True
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
    spreads, gathers = _parents(hub.followers, hub.hearing), _parents(union, hub.heard)
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
