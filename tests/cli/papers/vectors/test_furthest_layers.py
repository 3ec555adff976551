"""`samapprox furthest --graph`, its JSON and its picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from helpers.schemas import schema

from samapprox import InputError
from samapprox.attention.graphs import build
from samapprox.attention.vectors.layers import furthest_layers
from samapprox.cli.main import cli
from samapprox.cli.papers.furthest import family_vectors
from samapprox.formats import save_vectors
from samapprox.reductions.vectors import generate
from samapprox.vectors import VectorSet

FAMILY = ["--family", "furthest-planted:n=60,d=8,seed=2"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["furthest", *arguments])


def document(*arguments: str) -> dict[str, Any]:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    schema("furthest-layers").validate(found)
    for name in found:
        assert not schema("furthest-layers").is_valid({k: found[k] for k in found if k != name})
    return found


def test_the_document_says_what_the_library_finds() -> None:
    found = document(*FAMILY, "--graph", "bigbird:w=3,g=1,r=2", "--layers", "3", "--threads", "2")
    (graph,) = found["graphs"]
    vectors = generate("furthest-planted", n=60, d=8, seed=2).first
    expected = furthest_layers(vectors, build("bigbird:w=3,g=1,r=2", 60).patterns, layers=3)
    for row, figures in zip(graph["layers"], expected.layers, strict=True):
        assert row == {key: getattr(figures, key) for key in row}
    assert graph["bound"] == expected.bound == 60 * 59 / (2 * graph["edges"][0])
    assert (found["n"], found["d"], found["threads"]) == (60, 8, 2)
    assert found["orthogonal"] is False


def test_several_graphs_each_on_its_own_or_in_turn() -> None:
    both = ["--graph", "window:w=5", "--graph", "star"]
    apart, cycle = document(*FAMILY, *both), document(*FAMILY, *both, "--cycle")
    assert [graph["graph"] for graph in apart["graphs"]] == ["window:w=5", "star"]
    (graph,) = cycle["graphs"]
    assert graph["edges"] == [edges for each in apart["graphs"] for edges in each["edges"]]
    assert graph["layers"][0] == apart["graphs"][0]["layers"][0]
    assert graph["layers"][1]["pairs"] > graph["layers"][0]["pairs"]
    twice = document(*FAMILY, *both[:2], *both[:2], "--cycle")["graphs"][0]
    assert len(twice["edges"]) == 2


def test_heads_take_turns_or_unite() -> None:
    turns = document(*FAMILY, "--graph", "strided:w=4")["graphs"][0]
    united = document(*FAMILY, "--graph", "strided:w=4,heads=union")["graphs"][0]
    assert (len(turns["edges"]), len(united["edges"])) == (2, 1)


def test_new_places_reach_all() -> None:
    found = document(*FAMILY, "--graph", "window:w=7", "--layers", "500", "--relabel", "4")
    graph = found["graphs"][0]
    assert graph["layers"][-1]["recall"] == 1
    assert [entry["recall"] for entry in graph["needed"]] == [0.5, 0.9, 0.99, 1.0]
    for entry in graph["needed"]:
        at = entry["layers"]
        assert graph["layers"][at - 1]["recall"] >= entry["recall"]
        assert at == 1 or graph["layers"][at - 2]["recall"] < entry["recall"]


@pytest.mark.parametrize("two_sets", [False, True])
def test_an_orthogonal_pair_is_found(tmp_path: Path, two_sets: bool) -> None:
    made = generate("orthogonal-planted", n=40, seed=3, two_sets=two_sets)
    save_vectors(made, tmp_path / "bits.npz")
    found = document(str(tmp_path / "bits.npz"), "--graph", "full", "--layers", "1")
    (graph,) = found["graphs"]
    assert found["orthogonal"] is True
    assert graph["pair"] == made.known["pair"]
    assert graph["layers"][-1]["reached"] is True
    assert found["n"] == 80 if two_sets else 40


def test_without_an_orthogonal_pair() -> None:
    found = document("--family", "orthogonal-none:n=30", "--graph", "full", "--layers", "1")
    assert found["graphs"][0]["pair"] is None
    assert found["graphs"][0]["layers"][0]["reached"] is False
    done = run("--family", "orthogonal-none:n=30", "--graph", "full")
    assert "no orthogonal pair found" in done.stdout


def test_a_mask_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "mask.txt").write_text("0110\n1001\n1001\n0110\n")
    (tmp_path / "vectors.txt").write_text("0\n1\n3\n7\n")
    found = document(str(tmp_path / "vectors.txt"), "--graph", str(tmp_path / "mask.txt"))
    assert found["graphs"][0]["edges"] == [8]
    done = run(str(tmp_path / "vectors.txt"), "--graph", str(tmp_path / "mask.txt"))
    assert "settled: further layers change nothing" in done.stdout


def test_many_layers_are_not_all_printed() -> None:
    done = run(*FAMILY, "--graph", "window:w=3", "--layers", "100", "--relabel", "1")
    assert "60 layers left out; --json prints all" in done.stdout
    assert len(done.stdout.splitlines()) == 2 + 40 + 1 + 1 + 1


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_picture(tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"layers.{ending}"
    done = run(*FAMILY, "--graph", "star", "--graph", "window:w=5", "--plot", str(target))
    assert done.exit_code == 0, done.stderr
    assert target.stat().st_size > 5000
    if ending == "svg":
        assert "recall" in target.read_text()


def test_curves_are_named_as_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    masks = ["_ring.txt", "$x_{$.txt"]
    for mask in masks:
        Path(mask).write_text("110\n011\n101\n")
    np.savetxt("v.txt", [[0, 1], [1, 0], [2, 2]])
    done = run("v.txt", "--graph", masks[0], "--graph", masks[1], "--plot", "l.svg")
    assert done.exit_code == 0, done.stderr
    # Letters are drawn as paths; what they spell stays as a comment.
    assert all(f"<!-- {mask} -->" in Path("l.svg").read_text() for mask in masks)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give VECTORS or --family, one of the two"),
        (["x.npy", *FAMILY], "give VECTORS or --family, one of the two"),
        ([*FAMILY, "--cycle"], "need a --graph"),
        ([*FAMILY, "--plot", "x.png"], "need a --graph"),
        ([*FAMILY, "--graph", "nosuch"], "known graphs: full, window"),
        ([*FAMILY, "--graph", "window:w=0"], "w (the window's width)"),
        ([*FAMILY, "--graph", "window:w=1"], "token 0 has no neighbour but itself"),
        (
            [*FAMILY, "--graph", "star", "--kernel", "numpy"],
            "--kernel applies only to full attention",
        ),
        ([*FAMILY, "--graph", "star", "--plot", "x.gif"], "pictures are written as"),
        ([*FAMILY, "--graph", "star", "--relabel", "-1"], "seed must be in"),
        (["--family", "nosuch", "--graph", "star"], "unknown family of vectors 'nosuch'"),
        (["--family", "furthest-planted:m=3"], "no parameter 'm'; there are: n, d, gap"),
        (["--family", "furthest-planted:n=x"], "n must be a whole number, not 'x'"),
        (["--family", "furthest-planted:n=" + "9" * 99], "n must be a whole number"),
        (["--family", "furthest-planted:gap=nan"], "gap must be a number"),
        (["--family", "furthest-planted:double=2"], "double must be 0 or 1"),
        (["--family", "furthest-planted:n=4,n=4"], "n is given twice"),
        (["--family", "furthest-planted:n"], "must look like key=value"),
        (["--family", "furthest-planted:n=3"], "n must be even"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_graph_and_vectors_must_agree(tmp_path: Path) -> None:
    (tmp_path / "mask.txt").write_text("11\n11\n")
    done = run(*FAMILY, "--graph", str(tmp_path / "mask.txt"))
    assert done.exit_code == 2
    assert "the graph has 2 tokens, but there are 60 vectors" in done.stderr
    two = VectorSet(np.eye(3), np.eye(3))
    save_vectors(two, tmp_path / "two.npz")
    done = run(str(tmp_path / "two.npz"), "--graph", "star")
    assert "a graph needs one set of vectors" in done.stderr


def test_a_family_without_a_graph() -> None:
    done = run(*FAMILY, "--json")
    assert json.loads(done.stdout)["agrees"] is True
    with pytest.raises(InputError, match="at least 2"):
        family_vectors("furthest-simplex:n=1")
