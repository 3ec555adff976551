"""The two trees of a mask: found wherever all tokens hear of all, checked, and walked along."""

from __future__ import annotations

import networkx
import numpy as np
from helpers.attention.attention_graphs import random_graph
from hypothesis import assume, given
from hypothesis import strategies as st

from samapprox.attention.graphs import AttentionGraph, Heads, SparseAttention
from samapprox.attention.graphs.walks import (
    Tree,
    Trees,
    Walk,
    are_spanning_trees,
    find_patterns,
    find_trees,
    is_covering_walk,
)

masks = st.builds(
    lambda n, edges, p, seed, heads: SparseAttention(
        tuple(random_graph(n, edges // p, seed + k) for k in range(p)), heads
    ),
    st.integers(1, 8),
    st.integers(0, 64),
    st.integers(1, 2),
    st.integers(0, 999),
    st.sampled_from(Heads),
)


def walk_along(trees: Trees) -> list[int]:
    """From the root to each leaf of the out-tree and back along the in-tree, by the definition."""
    out, back = trees.out_tree.parents.tolist(), trees.in_tree.parents.tolist()
    leaves = [token for token in range(len(out)) if token not in out]
    walk = [trees.root]
    for leaf in leaves:
        down = []
        token = leaf
        while token != trees.root:
            down.append(token)
            token = out[token]
        walk += reversed(down)
        while walk[-1] != trees.root:
            walk.append(back[walk[-1]])
    return walk


@given(masks)
def test_the_walk_that_follows(attention: SparseAttention) -> None:
    union = attention.union
    assume(networkx.is_strongly_connected(union.to_networkx()))
    trees = find_trees(attention.selectable, union)
    assert are_spanning_trees(attention.selectable, trees)
    tokens = np.array(walk_along(trees))
    assert len(tokens) - 1 == trees.most_steps
    _, first = np.unique(tokens, return_index=True)
    tokens = tokens[: first.max() + 1]
    numbers = np.zeros_like(tokens)
    numbers[1:] = find_patterns(attention.selectable, tokens[1:], tokens[:-1])
    assert is_covering_walk(attention.selectable, Walk(tokens, numbers))
    assert trees.most_steps <= union.n * sum(trees.depths)


@given(masks, st.data())
def test_the_check_of_trees(attention: SparseAttention, data: st.DataObject) -> None:
    """Random parents are accepted if and only if networkx calls both trees arborescences."""
    patterns, n = attention.selectable, attention.n
    root = data.draw(st.integers(0, n - 1))
    trees, plain = [], []
    for _ in range(2):
        parents = data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))
        parents[root] = root
        last = len(patterns) - 1
        numbers = data.draw(st.lists(st.integers(0, last), min_size=n, max_size=n))
        numbers[root] = 0
        trees.append(Tree(np.array(parents), np.array(numbers)))
        edges = [(parents[token], token, numbers[token]) for token in range(n) if token != root]
        plain.append(edges)
    spread, gather = plain
    attends = [set(zip(g.queries.tolist(), g.indices.tolist(), strict=True)) for g in patterns]
    expected = all((token, parent) in attends[k] for parent, token, k in spread)
    expected &= all((parent, token) in attends[k] for parent, token, k in gather)
    for edges in plain:
        graph = networkx.DiGraph([edge[:2] for edge in edges])
        graph.add_node(root)
        expected &= networkx.is_arborescence(graph) and len(graph) == n
    assert are_spanning_trees(patterns, Trees(root, trees[0], trees[1])) == expected


def test_odd_trees_are_refused() -> None:
    zeros, chain = np.zeros(3, dtype=np.int64), np.array([0, 0, 1])
    patterns = (AttentionGraph.from_csr([0, 3, 6, 9], [0, 1, 2] * 3),)
    good = Tree(chain, zeros)
    assert are_spanning_trees(patterns, Trees(0, good, good))
    for odd in (
        Tree(np.array([0, 0, 3]), zeros),
        Tree(np.array([0, 0, -1]), zeros),
        Tree(chain, zeros + 1),
        Tree(chain, zeros - 1),
        Tree(chain[:2], zeros[:2]),
        Tree(np.array([0, 2, 1]), zeros),
    ):
        assert not are_spanning_trees(patterns, Trees(0, odd, good))
        assert not are_spanning_trees(patterns, Trees(0, good, odd))
    assert not are_spanning_trees(patterns, Trees(3, good, good))
    assert not are_spanning_trees(patterns, Trees(1, good, good))
