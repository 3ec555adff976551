"""`samapprox fit --embeddings`: words, documents, and refusals in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
        "This is no better than chance: random orders of the keys get 1 rows right on average "
        "(standard deviation 0.82). Do the vectors belong to these queries and documents?",
        "Rows with all ones among the first k keys: 66.7 % at 1, 100.0 % at 2.",
        "The lowest one of a row has rank 1 in the median and 2 at most.",
        "Wrong rows, the largest gaps first (0 ties among them):",
        "row 2: column 1 (a zero) beats column 2 (a one) by 0.359; 1 zero above",
    ]


@pytest.mark.usefixtures("folder")
def test_rows_right_at_k() -> None:
    np.savez("line.npz", queries=[[-1.0], [1.0], [1.0]], keys=[[-1.0], [1.0], [2.0]])
    arguments = ("fit", "p.txt", "--embeddings", "line.npz", "--at", "2")
    words = run(*arguments).stdout.splitlines()
    line = (
        "At K = 2: 3 of 3 rows right (100.0 %); the best embedding with d = 1 gets 100.0 % right."
    )
    assert words[2] == line
    (found,) = json.loads(run(*arguments, "--json").stdout)["evaluations"]
    assert_tight(schema("evaluation"), found)
    assert found["at"] == {"depth": 2, "right": 3, "possible": {"least": 3, "most": 3}}
    table = run(*arguments, "--similarity", "all").stdout.splitlines()
    assert table[0].split("  ")[-2:] == ["possible", "possible at 2"]


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


# ---------------------------------------------------------------- ids

JUDGEMENTS = "q1 0 a 1\nq1 0 c 0\nquery-2 0 b 1\n"


@pytest.fixture
def judged(folder: Path) -> Path:
    """Vectors in another order than the judgements, with a document that nobody judged."""
    (folder / "my.qrels").write_text(JUDGEMENTS)
    np.save("queries.npy", np.array([[0.0, 1.0], [1.0, 0.0]]))
    np.save("documents.npy", np.array([[0.1, 0.1], [0.0, 1.0], [0.2, 0.3], [1.0, 0.0]]))
    (folder / "queries.txt").write_text("query-2\nq1\n")
    (folder / "documents.json").write_text('["new", "b", "c", "a"]')
    return folder


GIVEN = ("fit", "my.qrels", "--embeddings", "queries.npy,documents.npy")
NAMED = (*GIVEN, "--query-ids", "queries.txt", "--document-ids", "documents.json")


@pytest.mark.usefixtures("judged")
def test_ids() -> None:
    result = run(*NAMED)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("These embeddings (d = 2) get 2 of 2 rows right (100.0 %)")
    assert "1 document that nobody judged counts as zeros." in lines
    (found,) = json.loads(run(*NAMED, "--json").stdout)["evaluations"]
    assert_tight(schema("evaluation"), found)
    assert found["coverage"]["unjudged"] == 1
    assert found["pattern"]["columns"] == 4


@pytest.mark.usefixtures("judged")
def test_a_file_of_both_with_ids() -> None:
    queries, documents = np.load("queries.npy"), np.load("documents.npy")
    ids = {"query_ids": ["query-2", "q1"], "document_ids": ["new", "b", "c", "a"]}
    np.savez("both.npz", queries=queries, documents=documents, **ids)
    result = run("fit", "my.qrels", "--embeddings", "both.npz")
    assert "get 2 of 2 rows right" in result.stdout


@pytest.mark.usefixtures("judged")
def test_positions() -> None:
    refused(run(*GIVEN), "the rows of the pattern have ids, but the queries have none")
    np.save("documents.npy", np.array([[1.0, 0.0], [0.2, 0.3], [0.0, 1.0]]))
    result = run(*GIVEN, "--by-position")
    assert result.exit_code == 0, result.output
    assert "get 0 of 2 rows right" in result.stdout
    assert "no better than chance" in result.stdout


@pytest.mark.usefixtures("judged")
def test_show_prints_the_order() -> None:
    result = run("show", "my.qrels", "--ids")
    lines = ["row\t0\tq1", "row\t1\tquery-2", "column\t0\ta", "column\t1\tc", "column\t2\tb"]
    assert result.stdout.splitlines() == lines
    document = json.loads(run("show", "my.qrels", "--ids", "--json").stdout)
    assert_tight(schema("ids"), document)
    assert document["columns"] == ["a", "c", "b"]
    refused(run("show", "p.txt", "--ids"), "neither rows nor columns have ids")


@pytest.mark.parametrize("between", ["\n", "\t", "\u2028"])
def test_ids_that_lines_cannot_hold_are_shown_as_json(tmp_path: Path, between: str) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text(json.dumps({"q1": [f"a{between}row"]}))
    refused(run("show", str(path), "--ids"), "has a tab or a line break; give --json")
    document = json.loads(run("show", str(path), "--ids", "--json").stdout)
    assert document["columns"] == [f"a{between}row"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--query-ids", "documents.json"), "error: documents.json: 4 ids for 2 queries"),
        (("--query-ids", "none.txt"), "none.txt: No such file"),
        (("--query-ids", "twice.txt"), "twice.txt: the queries have the id 'q1' twice"),
        (("--document-ids", "few.txt"), "1 of 3 columns of the pattern have no vector"),
        (("--by-position",), "do not stand by position"),
    ],
)
@pytest.mark.usefixtures("judged")
def test_refusals_of_ids(arguments: tuple[str, ...], message: str) -> None:
    Path("twice.txt").write_text("q1\nq1\n")
    Path("few.txt").write_text("new\nb\nc\nd\n")
    refused(run(*NAMED, *arguments), message)


@pytest.mark.usefixtures("judged")
def test_missing_documents_are_left_out() -> None:
    Path("few.txt").write_text("new\nb\nc\nd\n")
    result = run(*NAMED, "--document-ids", "few.txt", "--skip-missing")
    assert "get 1 of 1 row right" in result.stdout, result.output
    for line in (
        "2 documents that nobody judged count as zeros.",
        "1 document without a vector is left out.",
        "1 query whose relevant documents have no vectors is left out.",
    ):
        assert line in result.stdout.splitlines()


@pytest.mark.parametrize("option", ["--by-position", "--skip-missing"])
@pytest.mark.usefixtures("judged")
def test_options_of_the_join_need_embeddings(option: str) -> None:
    refused(run("fit", "my.qrels", option), "needs --embeddings")


@pytest.mark.usefixtures("judged")
def test_an_interrupt_prints_the_queries_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    from samapprox.solvers.questions.evaluation import evaluate as module

    def stop(count: int, work: Any, **_: Any) -> None:
        work(0, 0)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "run_tasks", stop)
    result = run(*NAMED)
    assert "get 2 of 2 rows right" in result.stdout
    assert "interrupted, the answer is about 2 queries alone" in result.stderr
    assert result.exit_code != 0
