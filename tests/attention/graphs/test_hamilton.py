"""Hamiltonian paths and proofs that there is none, against enumeration.

CP-SAT runs in processes of its own: its library and highspy's cannot share one.
"""

from __future__ import annotations

import subprocess
import sys
from itertools import chain, combinations, permutations

import networkx
import numpy as np
import pytest
from helpers.attention.attention_graphs import pairs_of, small_graphs
from hypothesis import given
from hypothesis import strategies as st

from samapprox.attention.graphs import AttentionGraph, build
from samapprox.attention.graphs.hamilton import (
    Unknown,
    hamiltonian_path,
    is_hamiltonian_path,
    path_or_refutation,
)
from samapprox.attention.graphs.hamilton_refutations import (
    Apart,
    Crowded,
    Pieces,
    Uncrossable,
    closed_pieces,
)
from samapprox.attention.graphs.scattering import scattering_tokens

pytestmark = pytest.mark.usefixtures("_no_cp_sat")


def paths(graph: AttentionGraph) -> list[tuple[int, ...]]:
    """Every gamma of Assumption 1.2."""
    attends = pairs_of(graph)
    return [
        gamma
        for gamma in permutations(range(graph.n))
        if all((gamma[i + 1], gamma[i]) in attends for i in range(graph.n - 1))
    ]


@given(small_graphs)
def test_hamiltonian_paths(graph: AttentionGraph) -> None:
    found = hamiltonian_path(graph)
    known = paths(graph)
    if isinstance(found, np.ndarray):
        assert tuple(found.tolist()) in known
    else:
        assert not known
        assert not isinstance(found, Unknown)  # SAT with cuts is complete
        assert found.holds(graph)


@given(small_graphs)
def test_sat_with_cuts_alone(graph: AttentionGraph) -> None:
    found, known = path_or_refutation(graph, 60.0), paths(graph)
    if isinstance(found, Uncrossable):
        assert not known
        assert found.holds(graph)
    else:
        assert tuple(found.tolist()) in known


@given(small_graphs, st.randoms(use_true_random=False))
def test_the_check_of_a_path(graph: AttentionGraph, random: object) -> None:
    gamma = list(range(graph.n))
    random.shuffle(gamma)
    assert is_hamiltonian_path(graph, np.array(gamma)) == (tuple(gamma) in paths(graph))
    assert not is_hamiltonian_path(graph, np.array([*gamma, 0]))
    if graph.n > 1:
        assert not is_hamiltonian_path(graph, np.array([gamma[0], *gamma[:-1]]))


@given(small_graphs, st.data())
def test_no_proof_holds_where_there_is_a_path(graph: AttentionGraph, data: st.DataObject) -> None:
    if not paths(graph):
        return
    tokens = st.integers(0, graph.n - 1)
    some_tokens = tuple(data.draw(st.lists(tokens, max_size=graph.n)))
    assert not Apart((data.draw(tokens), data.draw(tokens))).holds(graph)
    for side in ("keys", "queries"):
        assert not Crowded(some_tokens, side).holds(graph)
        for pieces in range(1, graph.n + 1):
            assert not Pieces(some_tokens, side, pieces).holds(graph)
    subsets = st.lists(st.lists(st.integers(-1, graph.n), max_size=graph.n + 1), max_size=4)
    lemmas = data.draw(st.lists(st.lists(st.integers(-9, 9).filter(bool)), max_size=4))
    sets = tuple(map(tuple, data.draw(subsets)))
    assert not Uncrossable(sets, tuple(map(tuple, lemmas))).holds(graph)


@given(small_graphs, st.data())
def test_closed_pieces(graph: AttentionGraph, data: st.DataObject) -> None:
    gone = sorted(data.draw(st.sets(st.integers(0, graph.n - 1))))
    plain = graph.to_networkx()
    plain.remove_nodes_from(gone)
    if not len(plain):
        return
    parts = networkx.condensation(plain)
    for side, degree in (("keys", parts.out_degree), ("queries", parts.in_degree)):
        expected = sum(count == 0 for _, count in degree)
        assert closed_pieces(graph, np.array(gone, dtype=np.int64), side) == expected


@given(small_graphs)
def test_the_tabu_search_finds_the_greatest_surplus_of_small_graphs(graph: AttentionGraph) -> None:
    def surplus(tokens: tuple[int, ...]) -> int:
        return closed_pieces(graph, np.array(tokens, dtype=np.int64), "keys") - len(tokens)

    subsets = chain.from_iterable(combinations(range(graph.n), k) for k in range(graph.n + 1))
    greatest = max(surplus(tokens) for tokens in subsets)
    assert surplus(tuple(scattering_tokens(graph).tolist())) >= min(greatest, 2)


def test_each_proof_of_no_path() -> None:
    two_triangles = AttentionGraph.from_networkx(
        networkx.disjoint_union(networkx.complete_graph(3), networkx.complete_graph(3))
    )
    assert isinstance(hamiltonian_path(two_triangles), Apart)
    star = hamiltonian_path(AttentionGraph.from_networkx(networkx.star_graph(59)))
    assert isinstance(star, Crowded)
    assert "59 tokens (1, 2, 3, 4, 5, ..) have at most 57 other tokens as keys" in str(star)
    cliques = networkx.Graph()  # four cliques that share token 0
    for start in (1, 20, 40, 60):
        cliques.add_edges_from(networkx.complete_graph([0, *range(start, start + 19)]).edges)
    proof = hamiltonian_path(AttentionGraph.from_networkx(cliques))
    assert isinstance(proof, Pieces)
    assert "removing 1 token (0) leaves 4 pieces without keys in others" in str(proof)
    heirs = [(query, hub) for query in range(12) for hub in (12, 13)]  # four cliques that hear
    heirs += [(hub, query) for query, hub in heirs]  # of each other through two tokens, and of 14
    heirs += [(query, 14) for query in range(12)] + [(14, 12), (14, 13)]
    cliques = networkx.disjoint_union_all([networkx.complete_graph(3)] * 4).to_directed()
    cliques.add_edges_from(heirs)
    proof = hamiltonian_path(AttentionGraph.from_networkx(cliques).reverse())
    assert isinstance(proof, Pieces)
    assert (set(proof.tokens), proof.pieces) == ({12, 13}, 4)


def fragments(base: networkx.Graph) -> AttentionGraph:
    """A cubic graph with Petersen graphs less a vertex for vertices: no counting refutes it."""
    graph = networkx.Graph()
    part = networkx.petersen_graph()
    ends = list(part[0])
    part.remove_node(0)
    for token in base:
        graph.update(networkx.relabel_nodes(part, {v: (token, v) for v in part}))
    for one, two in base.edges:
        ports = [(v, ends[list(base[v]).index(w)]) for v, w in ((one, two), (two, one))]
        graph.add_edge(*ports)
    return AttentionGraph.from_networkx(networkx.convert_node_labels_to_integers(graph))


def test_a_refutation_is_bound_to_its_graph() -> None:
    graph = fragments(networkx.complete_graph(4))
    proof = hamiltonian_path(graph)
    assert isinstance(proof, Uncrossable)
    assert proof.holds(graph)
    assert "is refuted by" in str(proof)
    assert not proof.holds(build("full", graph.n).union)
    assert not Uncrossable(proof.sets, proof.lemmas[: len(proof.lemmas) // 2]).holds(graph)
    assert not Uncrossable((), proof.lemmas).holds(graph)
    everything = tuple(range(graph.n))  # its border has no arcs, which would refute any graph
    assert not Uncrossable((everything,), ()).holds(graph)
    assert not Uncrossable(((),), ()).holds(graph)
    for odd in (0, 1 << 40):
        assert not Uncrossable(proof.sets, ((odd,), *proof.lemmas)).holds(graph)


@pytest.mark.parametrize("seed", range(3))
def test_a_hidden_cut_of_60_tokens(seed: int) -> None:
    """Ten tokens join twelve cliques; which they are, neither degrees nor numbers tell."""
    rng = np.random.RandomState(seed)
    graph = networkx.disjoint_union_all([networkx.complete_graph(4)] * 12)
    tokens, hubs = 48, range(48, 58)
    graph.add_edges_from(
        (token, hub) for token in range(tokens) for hub in hubs if rng.rand() < 0.4
    )
    graph.add_edges_from((58, hub) for hub in hubs)
    graph.add_edges_from((59, hub) for hub in hubs)
    order = rng.permutation(60).tolist()
    mixed = networkx.relabel_nodes(graph, dict(enumerate(order)))
    proof = hamiltonian_path(AttentionGraph.from_networkx(mixed))
    assert not isinstance(proof, np.ndarray | Unknown)
    assert proof.holds(AttentionGraph.from_networkx(mixed))


def test_a_walk_finds_a_shuffled_path() -> None:
    order = np.random.RandomState(1).permutation(150)
    graph = AttentionGraph.from_networkx(networkx.path_graph(order.tolist()))
    shuffled = AttentionGraph.from_sparse(
        graph.to_sparse()[np.argsort(order)][:, np.argsort(order)]
    )
    assert isinstance(hamiltonian_path(shuffled), np.ndarray)


SEARCH = """
import numpy as np
from samapprox.attention.graphs import AttentionGraph, build
from samapprox.attention.graphs import hamilton
import networkx
graph = build("random-keys:r=7,seed=3", 60).union
path, _ = hamilton._searched(graph, 30.0)
assert hamilton.is_hamiltonian_path(graph, path), path
cube = AttentionGraph.from_networkx(networkx.hypercube_graph(4))
assert isinstance(hamilton._searched(cube, 30.0)[0], np.ndarray)
lopsided = networkx.complete_bipartite_graph(4, 6)
path, what = hamilton._searched(AttentionGraph.from_networkx(lopsided), 30.0)
assert path is None and "not proven" in what
assert hamilton._searched(build("full", 1).union, 1.0)[0].tolist() == [0]
"""


def test_cp_sat() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SEARCH], capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stderr
