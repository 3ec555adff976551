"""The JSON of `samapprox graph info` and `check` fits the published schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx
import pytest
from click.testing import CliRunner
from helpers.schemas import assert_tight, schema

from samapprox import save
from samapprox.attention.graphs import GRAPHS, AttentionGraph
from samapprox.cli.main import cli

pytestmark = pytest.mark.usefixtures("_no_cp_sat")


def printed(command: str, *arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(cli, ["graph", command, *arguments, "--json"])
    assert done.exit_code == 0, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


BLOCKS = {"bigbird-block": ":b=2"}


@pytest.mark.parametrize("name", GRAPHS)
def test_every_graph_fits(name: str) -> None:
    mask = name + BLOCKS.get(name, "")
    assert_tight(schema("graph-info"), printed("info", mask, "--n", "24"))
    assert_tight(schema("graph-check"), printed("check", mask, "--n", "24"))


@pytest.mark.parametrize("kind", ["walk", "trees"])
def test_both_witnesses_fit_and_are_verified(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "trees":
        monkeypatch.setattr("samapprox.attention.graphs.walks.MOST_VISITS", 0)
    mask = "random-keys:r=9,seed=1"
    document = printed("check", mask, "--n", "30", "--d", "1", "--delta", "1/2")
    assert document["witness"]["kind"] == kind
    assert_tight(schema("graph-check"), document)
    for name in document["witness"]:
        less = {key: value for key, value in document["witness"].items() if key != name}
        assert not schema("graph-check").is_valid({**document, "witness": less})
    steps = [count["blocks"] for count in document["depth"]["along_walk"]]
    assert (steps[0] == steps[1]) == (kind == "walk")
    (tmp_path / "check.json").write_text(json.dumps(document))
    arguments = ["graph", "verify", mask, str(tmp_path / "check.json"), "--n", "30"]
    assert CliRunner().invoke(cli, arguments).stdout == "VALID: universal: YES\n"


@pytest.mark.parametrize("rho", ["softmax", "topk-softmax:k=3", "sparselin-gen", "entmax:alpha=3"])
def test_scales_and_depths_fit(rho: str) -> None:
    arguments = ["--map", rho, "--zeta", "0.5", "--eta", "0.1", "--d", "40", "--delta", "0.125"]
    document = printed("check", "strided:w=4", "--n", "20", *arguments)
    assert_tight(schema("graph-check"), document)
    assert document["assumption_2"]["confirmed"] is True
    assert document["depth"]["quantization"]["blocks"] == 40 * 20 * 8
    assert document["depth"]["contextual"][0]["blocks"] is None
    for part in ("assumption_2", "depth"):
        for name in document[part]:
            less = {key: value for key, value in document[part].items() if key != name}
            assert not schema("graph-check").is_valid({**document, part: less})


@pytest.mark.parametrize(("mask", "keys"), [("window:w=1", 1), ("full", 3)])
def test_scales_below_one_fit(mask: str, keys: int) -> None:
    """Without other keys every t will do; with a large zeta, small ones."""
    document = printed("check", mask, "--n", "3", "--zeta", "100", "--eta", "0.5")
    assert_tight(schema("graph-check"), document)
    scale = document["assumption_2"]
    assert scale["keys"] == keys
    assert (scale["least"] == 0) == (keys == 1)
    assert scale["least"] <= scale["published"] < 1


@pytest.mark.parametrize(
    ("kind", "graph"),
    [
        ("apart", networkx.empty_graph(3)),
        ("crowded", networkx.star_graph(5)),
        ("pieces", networkx.windmill_graph(3, 3)),
        ("uncrossable", networkx.DiGraph([(0, 1), (0, 2), (2, 1), (2, 3), (3, 2)])),
    ],
)
def test_every_proof_of_no_path_fits(kind: str, graph: networkx.Graph, tmp_path: Path) -> None:
    looped = networkx.DiGraph()
    looped.add_nodes_from(sorted(graph))
    looped.add_edges_from(networkx.DiGraph(graph).edges)
    looped.add_edges_from((token, token) for token in graph)
    save(AttentionGraph.from_networkx(looped).pattern(), tmp_path / "mask.npz")
    document = printed("check", str(tmp_path / "mask.npz"), "--path")
    assert document["no_path"]["kind"] == kind
    assert_tight(schema("graph-check"), document)
    for name in document["no_path"]:
        less = {key: value for key, value in document["no_path"].items() if key != name}
        assert not schema("graph-check").is_valid({**document, "no_path": less})
