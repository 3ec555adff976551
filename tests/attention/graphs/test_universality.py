"""The conditions of the universality theorems, against enumeration; every witness checked anew."""

from __future__ import annotations

import json
from pathlib import Path

import networkx
import pytest
from click.testing import CliRunner, Result
from helpers.attention.attention_graphs import pairs_of, small_graphs
from hypothesis import given
from hypothesis import strategies as st

from samapprox import save
from samapprox.attention.graphs import GRAPHS, AttentionGraph, Heads, SparseAttention, build
from samapprox.attention.graphs.distance import layers_needed
from samapprox.attention.graphs.hamilton_refutations import (
    Crowded,
    Pieces,
)
from samapprox.attention.graphs.universality import star_centre, universality
from samapprox.attention.graphs.walks import Trees, Walk, is_covering_walk
from samapprox.cli.graph.check import deep
from samapprox.cli.main import cli

pytestmark = pytest.mark.usefixtures("_no_cp_sat")


# ---------------------------------------------------------------- stars


@given(small_graphs)
def test_stars(graph: AttentionGraph) -> None:
    """Definition 1 of Zaheer et al. (2020)."""
    n, attends = graph.n, pairs_of(graph)
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


def test_several_heads_are_universal() -> None:
    found = universality(build("fixed:w=6,heads=multihead", 36))
    assert (found.universal, found.mixed_heads, len(found.without_loop)) == (True, True, 2)
    one_deaf = universality(build("fixed:w=5,heads=multihead", 36))  # 5 does not divide 36
    assert one_deaf.universal is False


def test_each_pattern_of_several_heads_needs_its_loops() -> None:
    loops = build("window:w=1", 4).union
    ring = AttentionGraph.from_networkx(networkx.cycle_graph(4, networkx.DiGraph))
    for heads, universal in ((Heads.MULTIHEAD, None), (Heads.UNION, True)):
        assert universality(SparseAttention((loops, ring), heads)).universal is universal
    attention = SparseAttention((loops, loops.union(ring)), Heads.MULTIHEAD)
    assert universality(attention).universal is True


def test_missing_loops_leave_it_open_but_for_a_star() -> None:
    bare = AttentionGraph.from_networkx(networkx.cycle_graph(5))
    found = universality(SparseAttention((bare,)))
    assert (found.universal, found.assumption_1, found.layers) == (None, False, None)
    assert [tokens.tolist() for tokens in found.without_loop] == [[0, 1, 2, 3, 4]]
    star = networkx.star_graph(9)
    star.add_edges_from((i, i) for i in range(1, 10))
    found = universality(SparseAttention((AttentionGraph.from_networkx(star),)))
    assert (found.assumption_1, found.star, found.universal) == (False, 0, True)


def test_full_patterns_in_turn_need_one_layer() -> None:
    full = build("full", 5).union
    found = universality(SparseAttention((full, full)))
    assert (found.star, found.layers.lower, found.layers.upper) == (0, 1, 1)


def test_depth_of_several_heads_counts_their_patterns_in_turn() -> None:
    """An all-max-shift follows one pattern a layer, so s of the union is too small."""
    star, window = build("star:w=1", 12).union, build("window:w=3", 12).union
    attention = SparseAttention((window, star), Heads.MULTIHEAD)
    found = universality(attention)
    depth = deep(attention, found, 1, "1/2")
    assert depth is not None
    assert found.layers.upper == 2
    assert depth.s == (layers_needed((window, star)).upper,) * 2 == (4, 4)
    assert depth.along_walk == (15, 15)


def test_heads_that_share_the_union_need_its_star_alone() -> None:
    half = AttentionGraph.from_csr([0, 1, 3, 4], [1, 0, 1, 0])
    rest = AttentionGraph.from_csr([0, 1, 1, 2], [2, 2])
    for heads, star, universal in ((Heads.UNION, 0, True), (Heads.MULTIHEAD, None, None)):
        found = universality(SparseAttention((half, rest), heads))
        assert (found.star, found.universal) == (star, universal)


def spider() -> AttentionGraph:
    """Three legs of two tokens each: no Hamiltonian path."""
    graph = networkx.Graph([(0, 1), (1, 2), (0, 3), (3, 4), (0, 5), (5, 6)])
    graph.add_edges_from((token, token) for token in range(7))
    return AttentionGraph.from_networkx(graph)


def test_a_path_is_sought_on_request_alone() -> None:
    attention = SparseAttention((spider(),))
    found = universality(attention)
    assert (found.universal, found.assumption_1, found.path) == (True, None, None)
    assert isinstance(found.witness, Walk)
    assert is_covering_walk(attention.selectable, found.witness)
    found = universality(attention, path=True)
    assert (found.universal, found.assumption_1) == (True, False)
    assert isinstance(found.path, Crowded | Pieces)


def test_the_trees_of_a_large_mask() -> None:
    large = build("bigbird:w=1,g=1,r=0", 140_000)
    found = universality(large)
    assert isinstance(found.witness, Trees)
    assert found.witness.depths == (1, 1)
    assert found.witness.most_steps == 2 * 139_999


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
        "1.3 layers until every token can reach every other: s = 2 (the last pair is 4 to 2)",
        "walk: 0 1 2 3 4 5 6 7 8 9 10 11 .. (39 steps)",
        "star: centred at token 0",
        "universal: YES, by Theorem 1 of Yun et al. and of Zaheer et al.",
    ]
    text = run("strided:w=4,causal=1,pattern=1", "--n", "9", "--path").stdout
    assert "none: neither of the tokens " in text
    assert "universal: NO: the output of token 0 never depends on token 1" in text
    text = run("random:sparsity=0.5", "--n", "12").stdout
    assert "missing at" in text
    assert "not computed, since self-loops are missing" in text
    assert "UNKNOWN: the conditions are sufficient, not necessary, and self-loops are" in text
    text = run("fixed:w=4,heads=multihead", "--n", "8").stdout
    assert "universal: YES, by the walk, as every token attends to itself" in text


def test_check_without_a_hamiltonian_path(tmp_path: Path) -> None:
    save(spider().pattern(), tmp_path / "spider.npz")
    depth = ["--d", "1", "--delta", "1/2"]
    assert run(str(tmp_path / "spider.npz"), *depth).stdout.splitlines() == [
        "1.1 self-loops: all",
        "1.2 Hamiltonian path: not sought (--path seeks one)",
        "1.3 layers until every token can reach every other: s = 4 (the last pair is 4 to 2)",
        "walk: 2 1 0 3 4 3 0 5 6 (8 steps)",
        "star: none",
        "universal: YES, by the walk, as every token attends to itself",
        "depth: 14 blocks for quantization, no count for the contextual mapping as printed, since "
        "no Hamiltonian path is known, 12 along the walk (full attention: 15), "
        "7 * 2^7 = 10^3.0 for values",
    ]
    text = run(str(tmp_path / "spider.npz"), "--path", *depth).stdout
    assert "1.2 Hamiltonian path: none: " in text
    assert "as printed, since there is no path, 12 along the walk" in text


def test_check_as_json() -> None:
    document = json.loads(run("star", "--n", "6", "--json").stdout)
    assert document["universal"] is True
    assert document["hamiltonian_path"] == [0, 1, 2, 3, 4, 5]
    assert document["layers"]["upper"] == 2
    document = json.loads(run("dilated", "--n", "6", "--json", "--path").stdout)
    assert document["no_path"]["kind"] == "apart"
    assert document["no_path"]["tokens"] == [0, 1]
    assert document["universal"] is False


def test_bad_time_limit() -> None:
    done = run("star", "--n", "6", "--time-limit", "0")
    assert done.exit_code == 2
    assert "time limit must be above 0" in done.stderr
