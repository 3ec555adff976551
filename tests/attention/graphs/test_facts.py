"""Distances, components and pictures of attention graphs, and their forms as arrays and files."""

from __future__ import annotations

import json
from pathlib import Path

import networkx
import numpy as np
import pytest
import scipy.sparse
from click.testing import CliRunner, Result
from helpers.attention.attention_graphs import random_graph, reached
from helpers.attention.masks import edges, graph
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError, Pattern, load, save
from samapprox.attention.graphs import AttentionGraph, build
from samapprox.attention.graphs.distance import (
    components,
    diameter,
    graph_facts,
    layers_needed,
    unreachable,
)
from samapprox.attention.graphs.picture import bin_edges, draw_graph
from samapprox.attention.graphs.pieces import self_loops
from samapprox.cli.main import cli

graphs = st.builds(random_graph, st.integers(1, 14), st.integers(0, 90), st.integers(0, 2**32 - 1))


@given(graphs, st.sampled_from([0, 10**9]))
def test_diameters(graph: AttentionGraph, most_steps: int) -> None:
    plain = graph.to_networkx()
    connected = networkx.is_strongly_connected(plain)
    assert components(graph).max() + 1 == networkx.number_strongly_connected_components(plain)
    missing = unreachable(graph)
    assert (missing is None) == connected
    found = diameter(graph, most_steps)
    assert (found is None) == (not connected)
    if missing is not None:
        assert not networkx.has_path(plain, *missing)
    if found is not None:
        exact = networkx.diameter(plain)
        assert found.lower <= exact <= found.upper
        assert found.exact or most_steps == 0
        assert networkx.shortest_path_length(plain, *found.pair) == found.lower


@pytest.mark.parametrize("spec", ["fixed:w=8", "window:w=9", "bigbird:g=0,w=5", "dilated:w=5,d=1"])
def test_both_ways_to_the_diameter_agree(spec: str) -> None:
    graph = build(spec, 96).union
    looped = graph.union(self_loops(96))
    assert diameter(graph).lower == layers_needed((looped,)).lower
    assert diameter(graph).lower == networkx.diameter(graph.to_networkx())


@settings(max_examples=60)
@given(st.integers(1, 12), st.integers(1, 3), st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_layers_needed(n: int, p: int, edges: int, seed: int) -> None:
    loops = self_loops(n)
    patterns = tuple(random_graph(n, edges, (seed + i) % 2**32).union(loops) for i in range(p))
    if unreachable(patterns[0].union(*patterns[1:])) is not None:
        return
    found = layers_needed(patterns)
    everything = set(range(n))
    assert found.exact
    assert all(keys == everything for keys in reached(patterns, found.lower))
    query, key = found.pair
    if n > 1:
        assert key not in reached(patterns, found.lower - 1)[query]


def test_layers_needed_of_many_words() -> None:
    """Keys are followed 512 at a time."""
    patterns = build("fixed:w=30", 1200).patterns
    assert layers_needed(patterns).lower == 2
    assert layers_needed(patterns[::-1]).lower == 3
    ring = AttentionGraph.from_networkx(networkx.cycle_graph(700, networkx.DiGraph))
    found = layers_needed((ring.union(self_loops(700)),))
    assert found.lower == 699
    assert (found.pair[0] - found.pair[1]) % 700 == 1


def test_two_hops_do_not_always_do_for_strided() -> None:
    """Yun et al. (2020), 3.4, say s = 2 for all w; at the ends of the sequence it takes three."""
    patterns = build("strided:w=16", 256).patterns
    assert layers_needed(patterns).lower == 3
    sets = reached(patterns, 2)
    assert [k for k in range(256) if 0 not in sets[k]] == [k for k in range(256) if k % 16 > 8]


def test_no_hops_do_for_fixed_where_a_segment_has_no_end() -> None:
    """The other segments never hear of a last, shorter segment."""
    assert layers_needed(build("fixed:w=16", 256).patterns).lower == 2
    facts = graph_facts(build("fixed:w=16", 250))
    assert facts.diameter is None
    query, key = facts.unreachable
    assert query // 16 < key // 16 == 250 // 16


def test_facts() -> None:
    facts = graph_facts(build("star:w=1", 10))
    assert (facts.tokens, facts.edges, facts.union_edges) == (10, (46,), 46)
    assert (facts.keys_a_query.least, facts.keys_a_query.greatest) == (4, 10)
    assert facts.keys_a_query.mean == facts.queries_a_key.mean == 4.6
    assert (facts.components, facts.largest_component, facts.diameter.upper) == (1, 10, 2)
    causal = graph_facts(build("full:causal=1", 10))
    assert (causal.components, causal.largest_component, causal.diameter) == (10, 1, None)
    assert causal.unreachable == (0, 1)
    bare = graph_facts(build("strided:w=3,pattern=1,causal=1", 9))
    assert bare.without_loop == (0,)
    full, alone = graph_facts(build("full", 5)).diameter, graph_facts(build("full", 1)).diameter
    assert (full.lower, full.upper) == (1, 1)
    assert (alone.lower, alone.upper) == (0, 0)


def test_a_relay_token_settles_a_million_tokens() -> None:
    facts = graph_facts(build("star", 10**6))
    assert (facts.diameter.lower, facts.diameter.upper) == (2, 2)
    window = graph_facts(build("window:w=3", 3000), most_steps=10**6).diameter
    assert window.lower < 2999 < window.upper


# ---------------------------------------------------------------- pictures


@given(graphs, st.integers(1, 20))
def test_squares_share_out_the_edges(graph: AttentionGraph, most: int) -> None:
    mask = graph.to_sparse().toarray()
    size = -(-graph.n // most)
    parts = [np.arange(i, min(i + size, graph.n)) for i in range(0, graph.n, size)]
    wanted = [[mask[np.ix_(rows, keys)].mean() for keys in parts] for rows in parts]
    assert np.allclose(bin_edges(graph, most), wanted)


def test_a_picture_of_each_pattern() -> None:
    small = draw_graph(build("strided:w=3", 20), title="t").get_axes()
    assert len(small) == 4
    for axes, mask in zip(small, build("strided:w=3", 20).patterns, strict=False):
        shown = np.asarray(axes.get_images()[0].get_array()) > 0
        assert (shown == mask.to_sparse().toarray()).all()
    lines = small[2].collections[0].get_segments()
    near = build("strided:w=3", 20).patterns[0]
    assert len(lines) == len({frozenset(e) for e in near.to_networkx().edges if e[0] != e[1]})
    (large,) = draw_graph(build("bigbird", 10**5)).get_axes()
    assert large.get_images()[0].get_array().shape == (1000, 1000)


# ---------------------------------------------------------------- the command


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["graph", *arguments], prog_name="samapprox")


def test_info() -> None:
    done = run("info", "strided:w=16", "--n", "256")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "tokens: 256",
        "edges: 4280, 4096 (union: 8120)",
        "sparsity: 93.61 %",
        "keys per query: 24..32, 31.72 on average",
        "queries per key: 24..32, 31.72 on average",
        "self-loops: all, all",
        "strongly connected components: 1",
        "diameter: 3 (token 0 to token 249)",
    ]
    assert (
        "infinite: token 0 never reaches token 1" in run("info", "block-sparse", "--n", "9").stdout
    )
    long = run("info", "window", "--n", "60000").stdout
    assert "diameter: at least 59998 (token 59999 to token 1), at most 119996" in long


def test_info_as_json() -> None:
    document = json.loads(run("info", "star", "--n", "50", "--json").stdout)
    assert document["tokens"] == 50
    assert document["diameter"] == {"lower": 2, "upper": 2, "pair": [0, 2]}
    assert document["unreachable"] is None


def test_masks_from_files(tmp_path: Path) -> None:
    save(build("bigbird", 30).union.pattern(), tmp_path / "mask.npz")
    named = run("info", "bigbird", "--n", "30").stdout
    assert run("info", str(tmp_path / "mask.npz")).stdout == named
    assert run("info", str(tmp_path / "mask.npz"), "--n", "30").stdout == named


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_draw(tmp_path: Path, kind: str) -> None:
    for name in ("a", "b"):
        target = tmp_path / f"{name}.{kind}"
        done = run("draw", "bigbird:r=2", "--n", "24", "--output", str(target))
        assert (done.exit_code, done.stdout) == (0, f"{target}\n")
        assert target.stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["info", "ring"], "ring: neither a file nor a known graph; known graphs: full, window"),
        (["info", "window"], "window: give the number of tokens with --n"),
        (["info", "window:w=x", "--n", "3"], "w must be a whole number, not 'x'"),
        (["info", "window", "--n", "0"], "number of tokens n must be in"),
        (["info", "full", "--n", "1000000"], "edges; at most"),
        (["info", "wide.csv"], "wide.csv: the mask is 1 x 2; a graph on tokens needs"),
        (["info", "free.csv"], "free.csv: the mask has don't-care entries"),
        (["info", "alone.csv"], "alone.csv: row 1 has no 1"),
        (["info", "two.csv", "--n", "3"], "two.csv: has 2 tokens, but --n is 3"),
        (["draw", "full", "--n", "3", "--output", "p.xyz"], "p.xyz: pictures are written as"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"wide": "10", "free": "1*\n01", "alone": "10\n00", "two": "10\n01"}
    for name, text in texts.items():
        Path(f"{name}.csv").write_text(text)
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_seeds_are_frozen() -> None:
    """The same graphs on every machine, for ever."""
    assert build("bigbird:seed=5", 12).union.keys(7).tolist() == [0, 1, 2, 6, 7, 8, 9, 11]
    assert build("random:seed=5", 9).union.indices.tolist() == [8, 7, 0, 3, 7, 8, 1, 6]
    keys = build("random-keys:r=2,seed=5", 9).union.indices[:12].tolist()
    assert keys == [0, 4, 8, 1, 7, 8, 2, 4, 6, 0, 3, 7]


random_masks = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n)
)


@given(random_masks)
def test_there_and_back(rows: list[list[bool]]) -> None:
    mask = np.array(rows)
    made = AttentionGraph.from_sparse(scipy.sparse.coo_array(mask))
    assert edges(made) == {tuple(pair) for pair in np.argwhere(mask).tolist()}
    assert AttentionGraph.from_sparse(made.to_sparse()) == made
    assert (made.to_sparse().toarray() == mask).all()
    assert AttentionGraph.from_networkx(made.to_networkx()) == made
    assert edges(made.causal()) == {(i, j) for i, j in edges(made) if j <= i}
    assert edges(made.reverse()) == {(j, i) for i, j in edges(made)}
    assert made.out_degrees.tolist() == mask.sum(axis=1).tolist()
    assert made.in_degrees.tolist() == mask.sum(axis=0).tolist()
    assert made.without_loop.tolist() == np.flatnonzero(~mask.diagonal()).tolist()
    if mask.any(axis=1).all():
        assert made.pattern() == Pattern.from_array(mask)
        assert AttentionGraph.from_pattern(made.pattern()) == made
    else:
        first = int(np.flatnonzero(~mask.any(axis=1))[0])
        with pytest.raises(InputError, match=f"token {first} attends to no token"):
            made.pattern()


def test_masks_in_files(tmp_path: object) -> None:
    made = graph("bigbird", 40)
    for ending in ("npz", "csv"):
        save(made.pattern(), f"{tmp_path}/mask.{ending}")
        assert AttentionGraph.from_pattern(load(f"{tmp_path}/mask.{ending}")) == made


def test_undirected_edges_go_both_ways() -> None:
    star = AttentionGraph.from_networkx(networkx.star_graph(3))
    assert edges(star) == {(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)}


@pytest.mark.parametrize("spec", ["bigbird:r=2", "strided:w=3", "star:w=1", "block-sparse:b=3"])
def test_causal_versions(spec: str) -> None:
    for whole, causal in zip(
        build(spec, 15).patterns, build(f"{spec},causal=1", 15).patterns, strict=True
    ):
        assert causal == whole.causal()


def test_graphs_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        graph("window", 4).indices[0] = 3
