"""`samapprox fit --truncate`: right rows, ceilings and measures at each length."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import refused, run
from helpers.schemas import assert_tight, schema

ir_measures = pytest.importorskip("ir_measures")

QUERIES = ["q 1", "q2", "q3"]
DOCUMENTS = ["a", "b", "c", "d"]
JUDGEMENTS = [("q2", "b", 2), ("q2", "a", 1), ("q 1", "a", 1), ("q3", "c", 3), ("q3", "b", 0)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [
        json.dumps({"query-id": query, "corpus-id": document, "score": grade})
        for query, document, grade in JUDGEMENTS
    ]
    Path("my.jsonl").write_text("\n".join(lines))
    random = np.random.default_rng(1)
    names = {"query_ids": QUERIES, "document_ids": DOCUMENTS}
    vectors = {
        "queries": random.integers(-2, 3, (3, 4)),
        "documents": random.integers(-2, 3, (4, 4)),
    }
    np.savez("v.npz", **{name: part * 1.0 for name, part in vectors.items()}, **names)
    return tmp_path


GIVEN = ("fit", "my.jsonl", "--embeddings", "v.npz", "--time-limit", "5")


def test_figures_equal_those_of_single_lengths() -> None:
    result = run(*GIVEN, "--truncate", "4,1,2", "--measures", "R@2 nDCG@3 RR AP", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert_tight(schema("truncation"), document)
    assert [one["length"] for one in document["lengths"]] == [1, 2, 4]
    qrels: dict[str, dict[str, int]] = {}
    for query, name, grade in JUDGEMENTS:
        qrels.setdefault(query, {})[name] = grade
    measures = [ir_measures.parse_measure(name) for name in ("R@2", "nDCG@3", "RR", "AP")]
    with np.load("v.npz") as file:
        queries, documents = file["queries"], file["documents"]
    for found in document["lengths"]:
        length = found["length"]
        names = {"query_ids": QUERIES, "document_ids": DOCUMENTS}
        cut = {"queries": queries[:, :length], "documents": documents[:, :length]}
        np.savez("cut.npz", **cut, **names)
        alone = run("fit", "my.jsonl", "--embeddings", "cut.npz", "--time-limit", "5", "--json")
        (evaluation,) = json.loads(alone.stdout)["evaluations"]
        assert (evaluation["right"], evaluation["d"]) == (found["right"], length)
        assert found["possible"]["least"] >= found["right"]
        scores = cut["queries"] @ cut["documents"].T  # whole numbers, so ties are ties
        ranked = {
            query: dict(zip(DOCUMENTS, row.tolist(), strict=True))
            for query, row in zip(QUERIES, scores, strict=True)
        }
        wanted = ir_measures.calc_aggregate(measures, qrels, ranked)
        assert found["measures"] == {str(one): wanted[one] for one in measures}


def test_words_and_picture() -> None:
    result = run(*GIVEN, "--truncate", "1,4", "-o", "t.svg", "--by-position")
    refused(result, "do not stand by position")
    result = run(*GIVEN, "--truncate", "1,4", "-o", "t.svg")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Cut from 4 coordinates to 1, these embeddings get ")
    assert lines[1].split() == ["length", "right", "rows", "share", "possible", "R@10", "nDCG@10"]
    assert "1 document that nobody judged counts as zeros." in lines
    assert Path("t.svg").read_text().startswith("<?xml")


def test_rows_that_break_first() -> None:
    np.savez(
        "v.npz",
        queries=np.array([[1.0, 0], [0, 1], [1, 1]]),
        documents=np.array([[2.0, -2], [0, 2], [1.8, 1.5], [-1, -1]]),
        query_ids=QUERIES,
        document_ids=DOCUMENTS,
    )
    Path("my.jsonl").write_text('{"q 1": ["a"]}\n{"q2": ["b"]}\n{"q3": ["c"]}\n')
    document = json.loads(run(*GIVEN, "--truncate", "1,2", "--json").stdout)
    shorter, longer = document["lengths"]
    assert (shorter["right"], longer["right"]) == (1, 3)
    assert [one["row_id"] for one in shorter["broken"]] == ["q2", "q3"]
    assert longer["broken"] == []
    words = run(*GIVEN, "--truncate", "1,2").stdout
    assert "wrong at 1: 2 rows (row 1 ('q2'), row 2 ('q3'))" in words


def test_patterns_and_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("p.txt").write_text("100\n010\n")
    np.save("q.npy", np.eye(2, 3))
    np.save("k.npy", np.eye(3))
    result = run("fit", "p.txt", "--embeddings", "q.npy,k.npy", "--truncate", "1,3")
    assert "1.0000" in result.stdout
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    result = run("fit", "p.txt", "--embeddings", "q.npy,k.npy", "--truncate", "1,3", "--json")
    assert json.loads(result.stdout)["lengths"][0]["measures"] is None
    assert "samapprox[retrieval]" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--truncate", "5"), "vectors of dimension 4 cannot be cut to length 5"),
        (("--truncate", "0"), "cannot be cut to length 0"),
        (("--truncate", "2,2"), "give different lengths"),
        (("--truncate", "2,x"), "'2,x' are no lengths"),
        (("--truncate", ""), "are no lengths"),
        (("--truncate", "2", "--similarity", "all"), "--truncate takes one similarity"),
        (("--truncate", "2", "--measures", "no@2"), "is no measure of ir_measures"),
        (("-o", "t.svg"), "--output and --measures need --truncate"),
        (("--truncate", "2", "-d", "2"), "--embeddings does not go with -d"),
    ],
)
def test_refusals(arguments: tuple[str, ...], message: str) -> None:
    refused(run(*GIVEN, *arguments), message)


def test_zero_vectors_of_a_length_are_refused() -> None:
    np.save("k.npy", np.eye(3))
    Path("p.txt").write_text("100\n010\n001\n")
    arguments = ("--truncate", "1", "--similarity", "cosine")
    refused(
        run("fit", "p.txt", "--embeddings", "k.npy,k.npy", *arguments),
        "length 1: query 1 is zero and has no cosine",
    )
