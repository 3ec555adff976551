"""Universality of masks: seconds of whole commands, and of proofs without a Hamiltonian path."""

from __future__ import annotations

import time
from collections.abc import Iterator

import networkx
import numpy as np
from shared.child import median_seconds
from shared.rows import Row

from samapprox.attention.graphs import AttentionGraph
from samapprox.attention.graphs.hamilton import hamiltonian_path


def checks() -> Iterator[Row]:
    """Yield the seconds of whole commands."""
    _, empty = median_seconds("--version")
    for mask, n, goal in (("bigbird", "4096", "under 2 s"), ("star", "1000000", "under 5 s")):
        wall, work = median_seconds("graph", "check", mask, "--n", n)
        yield (
            f"graph check {mask} --n {n}, the whole command",
            f"{wall:.2f} s, of the processor {work:.2f} s (samapprox --version: {empty:.2f} s)",
            goal,
        )


def fragments(base: networkx.Graph) -> networkx.Graph:
    """A cubic graph with Petersen graphs less a vertex for vertices: no cut refutes a path."""
    graph, part = networkx.Graph(), networkx.petersen_graph()
    ends = list(part[0])
    part.remove_node(0)
    for token in base:
        graph.update(networkx.relabel_nodes(part, {v: (token, v) for v in part}))
    for one, two in base.edges:
        ports = [(v, ends[list(base[v]).index(w)]) for v, w in ((one, two), (two, one))]
        graph.add_edge(*ports)
    return graph


def hidden_cut(hubs: int, size: int) -> networkx.Graph:
    """Cliques, two more than the tokens that join them; which these are is not seen by degrees."""
    rng = np.random.RandomState(hubs)
    graph = networkx.disjoint_union_all([networkx.complete_graph(size)] * (hubs + 2))
    cliques = list(graph)
    graph.add_edges_from(
        (token, ("hub", hub)) for token in cliques for hub in range(hubs) if rng.rand() < 0.4
    )
    return graph


def paths() -> Iterator[Row]:
    """Yield the seconds of proofs that a mask has no Hamiltonian path."""
    spider = networkx.Graph([(0, 1 + 20 * leg) for leg in range(3)])
    for leg in range(3):
        networkx.add_path(spider, range(1 + 20 * leg, 20 + 20 * leg))
    masks = {
        "a spider of three legs": spider,
        "3 hidden tokens join 5 cliques": hidden_cut(3, 11),
        "10 hidden tokens join 12 cliques": hidden_cut(10, 4),
        "6 parts of Petersen graphs as a prism": fragments(networkx.circular_ladder_graph(3)),
        "10 parts of Petersen graphs as a Petersen graph": fragments(networkx.petersen_graph()),
    }
    for what, plain in masks.items():
        graph = AttentionGraph.from_networkx(networkx.convert_node_labels_to_integers(plain))
        start = time.perf_counter()
        proof = hamiltonian_path(graph, 60.0)
        seconds = time.perf_counter() - start
        kind = type(proof).__name__
        yield (f"no path: {what}, n = {graph.n}", f"{kind} in {seconds:.2f} s", "under 60 s")
