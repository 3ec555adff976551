"""Universality by walks: seconds of whole commands, and lengths of walks.

Seconds are medians of three runs in fresh processes, after one that may compile. On a busy machine
the processor's seconds hold.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import networkx
from shared.child import median_seconds
from shared.rows import Row

from samapprox.attention.graphs import AttentionGraph, SparseAttention
from samapprox.attention.graphs.universality import universality
from samapprox.attention.graphs.walks import covering_walk

LARGE = (
    ("random-keys:r=20", 10**5),
    ("random-keys:r=16", 10**6),
    ("window:w=3", 10**5),
    ("window:w=3", 10**6),
    ("strided:w=316", 10**5),
)
BRANCHING = 1000


def large_masks() -> Iterator[Row]:
    for mask, n in LARGE:
        wall, work = median_seconds("graph", "check", mask, "--n", str(n))
        yield (
            f"graph check {mask} --n {n}, the whole command",
            f"{wall:.2f} s, of the processor {work:.2f} s",
            "under 5 s",
        )


def branching_masks() -> Iterator[Row]:
    """Random trees with loops, which have no Hamiltonian path but for the paths among them."""
    lengths, start = [], time.perf_counter()
    universal = 0
    for seed in range(BRANCHING):
        tree = networkx.random_labeled_tree(20 + seed % 80, seed=seed)
        tree.add_edges_from((token, token) for token in list(tree))
        attention = SparseAttention((AttentionGraph.from_networkx(tree),))
        universal += universality(attention).universal is True
        lengths.append(covering_walk(attention).steps / (attention.n - 1))
    yield (
        f"{BRANCHING:,} random trees of 20 to 99 tokens: universal by a walk",
        f"{universal:,} in {time.perf_counter() - start:.1f} s; steps a token: "
        f"{statistics.median(lengths):.2f} (median), {max(lengths):.2f} (most)",
        f"{BRANCHING:,}",
    )


def walks() -> Iterator[Row]:
    """Yield all rows."""
    yield from branching_masks()
    yield from large_masks()
