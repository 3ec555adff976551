"""`samapprox fit --run`: the order of trec_eval, and measures equal to those of ir_measures."""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections import Counter
from pathlib import Path

import pytest
from helpers.commands import refused, run
from helpers.schemas import assert_tight, schema

ir_measures = pytest.importorskip("ir_measures")

JUDGEMENTS = "q1 0 a 2\nq1 0 b 1\nq1 0 c 0\nq2 0 a 1\nq2 0 ä 1\nq3 0 c 0\n"
RUN = """q1 Q0 a 1 3 mine
q1 Q0 b 2 2 mine
q1 Q0 c 3 1 mine
q2 Q0 c 1 2.0 mine
q2 Q0 a 2 2.0 mine
q2 Q0 ä 3 2.0 mine
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("my.qrels").write_text(JUDGEMENTS, encoding="utf-8")
    Path("my.run").write_text(RUN, encoding="utf-8")
    Path("my.run.gz").write_bytes(gzip.compress(RUN.encode()))
    return tmp_path


def test_words() -> None:
    result = run("fit", "my.qrels", "--run", "my.run", "--measures", "R@1, nDCG@10 RR")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "my.run ranks all relevant documents first for 1 of 2 queries (50.0 %)."
    assert [line.split("\t")[0] for line in lines[1:4]] == ["R@1", "nDCG@10", "RR"]
    assert lines[4] == (  # q3 counts there as 0, and not in the first line
        "The measures are means over 3 judged queries, 1 of them without a relevant document."
    )
    assert lines[-1] == "query 'q2': 2 relevant documents, all by rank 3"
    assert "50.0 % at 2, 100.0 % at 5" in result.stdout


def test_documents_and_runs_side_by_side() -> None:
    result = run("fit", "my.qrels", "--run", "my.run", "--run", "my.run.gz", "--json")
    document = json.loads(result.stdout)
    assert_tight(schema("run-evaluations"), document)
    first, second = document["evaluations"]
    assert_tight(schema("run-evaluation"), first)
    assert first | {"source": "my.run.gz"} == second
    words = run("fit", "my.qrels", "--run", "my.run", "--run", "my.run.gz").stdout
    assert words.count("50.0 %") >= 2
    assert "nDCG@10" in words


@pytest.mark.parametrize("seed", range(100))
def test_random_runs_with_ties(seed: int) -> None:
    """Figures equal those of the library alone; ranks follow from its recall at each depth."""
    chance = random.Random(seed)
    documents = chance.sample([*"abcdefgh", "B", "é", "日", "a1", "a10", "a2"], 10)
    queries = [f"q{number}" for number in range(chance.randint(1, 6))]
    lines = [
        f"{query} 0 {document} {chance.choice([0, 1, 1, 2])}\n"
        for query in queries
        for document in chance.sample(documents, chance.randint(2, 8))
    ]
    lines.append("q0 0 sure 1\n")
    Path("random.qrels").write_text("".join(lines), encoding="utf-8")
    ranked = [
        f"{query} Q0 {document} 0 {chance.choice(['1', '2.5', '2.5000000001', '1e300', '-1'])} x\n"
        for query in queries
        if chance.random() < 0.9
        for document in chance.sample([*documents, "sure", "new"], chance.randint(1, 12))
    ]
    Path("random.run").write_text("".join(ranked) or "q0 Q0 sure 1 1 x\n", encoding="utf-8")
    names = ["R@1", "R@5", "R@10", "nDCG@3", "nDCG@10", "RR"]
    result = run(
        "fit", "random.qrels", "--run", "random.run", "--measures", " ".join(names), "--json"
    )
    (found,) = json.loads(result.stdout)["evaluations"]
    measures = [ir_measures.parse_measure(name) for name in names]
    qrels = list(ir_measures.read_trec_qrels("random.qrels"))
    scores = list(ir_measures.read_trec_run("random.run"))
    wanted = ir_measures.calc_aggregate(measures, qrels, scores)
    assert found["measures"] == {str(measure): wanted[measure] for measure in measures}
    relevant = {one.query_id for one in qrels if one.relevance > 0}
    depths = dict.fromkeys(relevant, None)
    recalls = [ir_measures.R @ depth for depth in range(12, 0, -1)]
    for metric in ir_measures.iter_calc(recalls, qrels, scores):
        if metric.query_id in relevant and metric.value == 1:
            known = depths[metric.query_id]
            cutoff = metric.measure.params["cutoff"]
            depths[metric.query_id] = cutoff if known is None else min(known, cutoff)
    counts = Counter(one.query_id for one in qrels if one.relevance > 0)
    wrong = {one["query_id"]: one["depth"] for one in found["wrong"]}
    assert wrong == {query: at for query, at in depths.items() if at != counts[query]}
    assert found["right"] == len(depths) - len(wrong)


def test_grades() -> None:
    result = run("fit", "my.qrels", "--run", "my.run", "--relevant", "2", "--json")
    (found,) = json.loads(result.stdout)["evaluations"]
    assert found["queries"] == found["right"] == 1
    assert "R(rel=2)@10" in found["measures"]


def test_unjudged_documents() -> None:
    Path("my.qrels").write_text("q1 0 a 1\nq1 0 b 1\n")
    Path("my.run").write_text("q1 Q0 new 1 9 x\nq1 Q0 a 2 8 x\nq1 Q0 b 3 7 x\n")
    right = []
    for unjudged in ("zero", "unspecified"):
        result = run("fit", "my.qrels", "--run", "my.run", "--unjudged", unjudged, "--json")
        right.append(json.loads(result.stdout)["evaluations"][0]["right"])
    assert right == [0, 1]


def test_queries_without_judgements_are_left_out_on_request() -> None:
    Path("my.run").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\nq9 Q0 a 1 1 x\n")
    result = run("fit", "my.qrels", "--run", "my.run", "--skip-missing")
    assert "1 query of the run without judgements left out." in result.stdout
    assert "The run has no document at all for 1 query." in result.stdout


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("", (), "the run is empty"),
        ("q1 0 a 1\n", (), "line 1 has 4 fields; TREC runs have 6"),
        ("q1 Q0 a 1 nan x\n", (), "line 1: the score 'nan' is not a finite number"),
        ("q1 Q0 a 1 x x\n", (), "line 1: the score 'x' is not a finite number"),
        ("q1 Q0 a 1 1 x\nq1 Q0 a 2 0 x\n", (), "line 2: query 'q1' has the document 'a' twice"),
        ("q9 Q0 a 1 1 x\n", (), "1 of 1 query have no judgement: 'q9'"),
        (RUN, ("--measures", "foo@10"), "--measures: 'foo@10' is no measure of ir_measures"),
        (
            RUN,
            ("--measures", "RBP(p=0.8)"),
            "cannot compute this: Unsupported measures {RBP}",
        ),
        (RUN, ("--run", "none.run"), "none.run: No such file"),
        (RUN, ("-d", "2"), "--run does not go with -d"),
        (RUN, ("--embeddings", "a,b"), "--embeddings and --run are two questions"),
        (RUN, ("--by-position",), "--by-position needs --embeddings"),
        (RUN, ("--causal",), "which --causal and --key do not apply to"),
    ],
)
def test_refusals(text: str, arguments: tuple[str, ...], message: str) -> None:
    Path("my.run").write_text(text, encoding="utf-8")
    refused(run("fit", "my.qrels", "--run", "my.run", *arguments), message)


def test_patterns_and_measures_alone_are_refused() -> None:
    Path("p.npz").write_bytes(b"PK\3\4")
    refused(run("fit", "p.npz", "--run", "my.run"), "hold patterns, not judgements")
    refused(run("fit", "my.qrels", "--measures", "RR"), "--measures needs --run")


def test_without_ir_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    result = run("fit", "my.qrels", "--run", "my.run")
    assert result.exit_code == 0
    assert "for 1 of 2 queries" in result.stdout
    assert result.stderr.count("\n") == 1
    assert "pip install 'samapprox[retrieval]'" in result.stderr
    refused(run("fit", "my.qrels", "--run", "my.run", "--measures", "RR"), "samapprox[retrieval]")
