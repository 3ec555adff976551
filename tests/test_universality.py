"""The conditions of the universality theorems, against enumeration; every witness checked anew.

CP-SAT runs in processes of its own: its library and highspy's cannot share one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import permutations

import networkx
import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox.attention.graphs import GRAPHS, AttentionGraph, SparseAttention, build, hamilton
from samapprox.attention.graphs.hamilton import (
    Apart,
    Crowded,
    Pieces,
    Unknown,
    hamiltonian_path,
    is_hamiltonian_path,
)
from samapprox.attention.graphs.universality import star_centre, universality
from samapprox.cli.main import cli


@pytest.fixture(autouse=True)
def _no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hamilton, "_searched", lambda *_: Unknown("not searched"))


def some(n: int, edges: int, seed: int) -> AttentionGraph:
    return build(f"random:sparsity={max(0, 1 - edges / n**2)},seed={seed}", n).union


graphs = st.builds(some, st.integers(1, 6), st.integers(0, 24), st.integers(0, 2**32 - 1))


def steps(graph: AttentionGraph) -> set[tuple[int, int]]:
    """Pairs (i, j) such that i attends to j."""
    return set(zip(graph.queries.tolist(), graph.indices.tolist(), strict=True))


def paths(graph: AttentionGraph) -> list[tuple[int, ...]]:
    """Every gamma of Assumption 1.2."""
    attends = steps(graph)
    return [
        gamma
        for gamma in permutations(range(graph.n))
        if all((gamma[i + 1], gamma[i]) in attends for i in range(graph.n - 1))
    ]


@settings(max_examples=150)
@given(graphs)
def test_hamiltonian_paths(graph: AttentionGraph) -> None:
    found = hamiltonian_path(graph)
    known = paths(graph)
    if isinstance(found, np.ndarray):
        assert tuple(found.tolist()) in known
    elif not isinstance(found, Unknown):
        assert not known
        assert found.holds(graph)


@given(graphs, st.randoms(use_true_random=False))
def test_the_check_of_a_path(graph: AttentionGraph, random: object) -> None:
    gamma = list(range(graph.n))
    random.shuffle(gamma)
    assert is_hamiltonian_path(graph, np.array(gamma)) == (tuple(gamma) in paths(graph))
    assert not is_hamiltonian_path(graph, np.array([*gamma, 0]))
    if graph.n > 1:
        assert not is_hamiltonian_path(graph, np.array([gamma[0], *gamma[:-1]]))


@settings(max_examples=150)
@given(graphs, st.data())
def test_no_proof_holds_where_there_is_a_path(graph: AttentionGraph, data: st.DataObject) -> None:
    if not paths(graph):
        return
    tokens = st.integers(0, graph.n - 1)
    some_tokens = tuple(data.draw(st.lists(tokens, max_size=graph.n)))
    assert not Apart((data.draw(tokens), data.draw(tokens))).holds(graph)
    for side in ("keys", "queries"):
        assert not Crowded(some_tokens, side).holds(graph)
    for pieces in range(1, graph.n + 1):
        assert not Pieces(some_tokens, pieces).holds(graph)


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
    assert "without the tokens 0 the others fall into 4 pieces" in str(proof)


def test_a_walk_finds_a_shuffled_path() -> None:
    order = np.random.RandomState(1).permutation(300)
    graph = AttentionGraph.from_networkx(networkx.path_graph(order.tolist()))
    shuffled = AttentionGraph.from_sparse(
        graph.to_sparse()[np.argsort(order)][:, np.argsort(order)]
    )
    assert isinstance(hamiltonian_path(shuffled), np.ndarray)


SEARCH = """
import numpy as np
from samapprox.attention.graphs import AttentionGraph, build, hamilton
import networkx
graph = build("random-keys:r=7,seed=3", 60).union
path = hamilton._searched(graph, 30.0)
assert hamilton.is_hamiltonian_path(graph, path), path
cube = AttentionGraph.from_networkx(networkx.hypercube_graph(4))
assert isinstance(hamilton._searched(cube, 30.0), np.ndarray)
lopsided = networkx.complete_bipartite_graph(4, 6)
assert "not checked" in str(hamilton._searched(AttentionGraph.from_networkx(lopsided), 30.0))
assert "too many" in str(hamilton._searched(build("full", 200).union, 1.0))
assert hamilton._searched(build("full", 1).union, 1.0).tolist() == [0]
"""


def test_cp_sat() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SEARCH], capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------- stars


@given(graphs)
def test_stars(graph: AttentionGraph) -> None:
    """Definition 1 of Zaheer et al. (2020)."""
    n, attends = graph.n, steps(graph)
    centres = [
        c
        for c in range(n)
        if all((c, i) in attends and {(i, c), (i, i)} <= attends for i in range(n) if i != c)
    ]
    assert star_centre((graph,)) == (centres[0] if centres else None)


def test_a_star_must_be_in_every_pattern() -> None:
    star, other = build("star", 9).union, build("bigbird:g=1,r=1", 9).union
    assert star_centre((star, star)) == 8
    assert star_centre((star, other)) is None


# ---------------------------------------------------------------- the theorems


@pytest.mark.parametrize(
    ("spec", "star", "layers"),
    [
        ("full", 0, 1),
        ("star:w=2", 35, 2),
        ("window:w=3", None, 35),
        ("longformer:w=3,g=1", 0, 2),
        ("bigbird", 0, 2),
        ("bigbird-block:b=3", 0, 2),
        ("strided:w=6", None, 3),
        ("strided:w=6,heads=union", None, 3),
        ("fixed:w=6", None, 2),
    ],
)
def test_what_the_papers_prove_universal(spec: str, star: int | None, layers: int) -> None:
    """Yun et al. (2020), 3.4 (but for STRIDED's s), and Zaheer et al. (2020), Theorem 1."""
    found = universality(build(spec, 36))
    assert found.universal is True
    assert found.assumption_1 is True
    assert found.path.tolist() == list(range(36))
    assert (found.star, found.layers.lower, found.layers.upper) == (star, layers, layers)


def test_the_counterexample_of_yun() -> None:
    """Section 3.2: token 0 attends to itself alone, so nothing of token 1 reaches its output."""
    graph = AttentionGraph.from_csr([0, 1, 3], [0, 0, 1])
    found = universality(SparseAttention((graph,)))
    assert (found.universal, found.unreachable) == (False, (0, 1))
    assert (found.assumption_1, found.layers) == (False, None)


@pytest.mark.parametrize("name", GRAPHS)
def test_causal_masks_are_not_universal(name: str) -> None:
    spec = f"{name}:causal=1" if name != "bigbird-block" else f"{name}:b=2,causal=1"
    found = universality(build(spec, 36))
    assert found.universal is False
    assert found.unreachable is not None


def test_what_neither_theorem_tells() -> None:
    assert universality(build("fixed:w=6,heads=multihead", 36)).universal is None
    bare = AttentionGraph.from_networkx(networkx.cycle_graph(5))
    found = universality(SparseAttention((bare,)))
    assert (found.universal, found.assumption_1, found.layers) == (None, False, None)
    assert [tokens.tolist() for tokens in found.without_loop] == [[0, 1, 2, 3, 4]]
    star = networkx.star_graph(9)
    star.add_edges_from((i, i) for i in range(1, 10))
    found = universality(SparseAttention((AttentionGraph.from_networkx(star),)))
    assert (found.assumption_1, found.star, found.universal) == (False, 0, True)


@given(st.integers(2, 40), st.integers(1, 9))
def test_bounds_on_s_hold(n: int, w: int) -> None:
    exact = universality(build(f"strided:w={w}", n)).layers
    bounds = universality(build(f"strided:w={w}", n), most_steps=0).layers
    assert exact.exact
    assert bounds.lower <= exact.lower <= bounds.upper


# ---------------------------------------------------------------- the command


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["graph", "check", *arguments], prog_name="samapprox")


def test_check() -> None:
    assert run("bigbird", "--n", "40").stdout.splitlines() == [
        "1.1 self-loops: all",
        "1.2 Hamiltonian path: 0 1 2 3 4 5 6 7 8 9 10 11 ..",
        "1.3 layers until all have heard of all: s = 2 (token 2 hears of token 4 last)",
        "star: centred at token 0",
        "universal: YES, by Theorem 1 of Yun et al. and of Zaheer et al.",
    ]
    text = run("strided:w=4,causal=1,pattern=1", "--n", "9").stdout
    assert "none: neither of the tokens " in text
    assert "universal: NO: the output of token 0 never depends on token 1" in text
    text = run("random:sparsity=0.5", "--n", "12").stdout
    assert "missing at" in text
    assert "not sought without all self-loops" in text
    assert "UNKNOWN: the conditions are sufficient, not necessary" in text
    assert "UNKNOWN: the theorems speak" in run("fixed:w=4,heads=multihead", "--n", "8").stdout


def test_check_as_json() -> None:
    document = json.loads(run("star", "--n", "6", "--json").stdout)
    assert document["universal"] is True
    assert document["hamiltonian_path"] == [0, 1, 2, 3, 4, 5]
    assert document["layers"]["upper"] == 2
    document = json.loads(run("dilated", "--n", "6", "--json").stdout)
    assert document["no_path"]["kind"] == "apart"
    assert document["no_path"]["tokens"] == [0, 1]
    assert document["universal"] is False


def test_bad_time_limit() -> None:
    done = run("star", "--n", "6", "--time-limit", "0")
    assert done.exit_code == 2
    assert "time limit must be above 0" in done.stderr
