"""`samapprox fit --embeddings`: words, documents, and refusals in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import refused, run
from helpers.schemas import assert_tight, schema

from samapprox.similarities import SIMILARITIES

PATTERN = "100\n010\n001\n"
VECTORS = np.array([[1, 0], [0.5, 0.75], [-0.25, 1]], dtype=np.float32)
"""Each is nearest to itself; a quarter of the third has the smaller dot product with it."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.txt").write_text(PATTERN)
    np.save("q.npy", VECTORS)
    np.save("k.npy", VECTORS * np.array([[1], [1], [0.25]]))
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_words() -> None:
    result = run("fit", "p.txt", "--embeddings", "q.npy,k.npy")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "These embeddings (d = 2) get 2 of 3 rows right (66.7 %) by dot product.",
        "The best embedding with d = 2 gets 100.0 % right.",
        "Rows with all ones among the first k keys: 66.7 % at 1, 100.0 % at 2.",
        "The lowest one of a row has rank 1 in the median and 2 at most.",
        "Wrong rows, the largest gaps first (0 ties among them):",
        "row 2: column 1 (a zero) beats column 2 (a one) by 0.359; 1 zero above",
    ]


@pytest.mark.usefixtures("folder")
def test_all_similarities() -> None:
    arguments = ("fit", "p.txt", "--embeddings", "q.npy,k.npy", "--similarity", "all")
    words = run(*arguments).stdout.splitlines()
    assert [line.split()[:2] for line in words[1:]] == [["dot", "2"], ["cosine", "3"], ["l2", "3"]]
    document = json.loads(run(*arguments, "--json").stdout)
    assert_tight(schema("evaluations"), document)
    for similarity, found in zip(SIMILARITIES, document["evaluations"], strict=True):
        assert_tight(schema("evaluation"), found)
        assert found["similarity"] == similarity
        assert found["possible"] == {"least": 3, "most": 3}
    assert document["embeddings"] == ["q.npy", "k.npy"]


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.usefixtures("folder")
def test_the_dimension_is_the_limit(similarity: str) -> None:
    """On a line, two of three keys can be first in a row, or all are nearest; cosines tell one."""
    np.savez("line.npz", queries=[[-1.0], [1.0], [1.0]], keys=[[-1.0], [1.0], [2.0]])
    result = run("fit", "p.txt", "--embeddings", "line.npz", "--similarity", similarity, "--json")
    (found,) = json.loads(result.stdout)["evaluations"]
    assert found["d"] == 1
    assert found["right"] <= found["possible"]["least"] <= found["possible"]["most"]
    assert found["possible"]["most"] == {"dot": 2, "cosine": 1, "l2": 3}[similarity]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--embeddings", ""], "a name is empty; give Q,K or one file of both"),
        (["--embeddings", "q.npy"], "q.npy: one set of vectors; give two files"),
        (["--embeddings", "q.npy,none.npy"], "none.npy: No such file"),
        (["--embeddings", "q.npy,k.npy,k.npy"], "3 files of embeddings"),
        (["--embeddings", "q.npy,short.npy"], "there are 2 keys, but the pattern has 3 columns"),
        (["--embeddings", "q.npy,flat.npy"], "different dimensions, 2 and 1"),
        (["--embeddings", "q.npy,nan.npy"], "keys: the entry at row 1, column 0 is nan"),
        (
            ["--embeddings", "q.npy,zero.npy", "--similarity", "cosine"],
            "key 2 is zero and has no cosine",
        ),
        (["--embeddings", "q.npy,objects.npy"], "objects.npy: the array: holds object values"),
        (["--embeddings", "q.npy,cut.npy"], "cut.npy: the array: damaged"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_refusals(arguments: list[str], message: str) -> None:
    np.save("short.npy", VECTORS[:2])
    np.save("flat.npy", VECTORS[:, :1])
    np.save("nan.npy", VECTORS * np.array([[1], [np.nan], [1]]))
    np.save("zero.npy", VECTORS * np.array([[1], [1], [0]]))
    np.save("objects.npy", np.array([[{}]]), allow_pickle=True)
    Path("cut.npy").write_bytes(Path("k.npy").read_bytes()[:-1])
    refused(run("fit", "p.txt", *arguments), message)


@pytest.mark.parametrize(
    "arguments", [["--similarity", "all"], ["--embeddings", "q.npy,k.npy", "-d", "2"]]
)
@pytest.mark.usefixtures("folder")
def test_options_that_do_not_go_together(arguments: list[str]) -> None:
    result = run("fit", "p.txt", *arguments)
    assert result.exit_code == 2
    assert "--embeddings" in result.stderr
