"""The task evaluate for runs: each judgement set with the run of its name, as `fit --run` does."""

from __future__ import annotations

import gzip
import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.commands import refused
from helpers.commands import run as run_command
from helpers.schemas import schema

from samapprox import InputError
from samapprox.batch import Question, Store, run
from samapprox.batch.report import Report, make_report
from samapprox.batch.report.page import show_answer
from samapprox.batch.results.outcome import Outcome, unpacked_answer

QRELS = "q1 0 d1 2\nq1 0 d2 1\nq2 0 d2 1\nq2 0 d3 0\nq3 0 d3 1\n"
RUN = """\
q1 Q0 d2 1 9 x
q1 Q0 d1 2 8 x
q2 Q0 d3 1 9 x
q2 Q0 elsewhere 2 8 x
q2 Q0 d2 3 7 x
"""
"""Right for q1, right at 3 for q2 (one document above it is not in the judgements), and no q3."""

ANSWERS = "SELECT answer FROM evidence WHERE answer IS NOT NULL"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sets of judgements with a plain run, with a compressed one, and without any."""
    monkeypatch.chdir(tmp_path)
    sets, runs = tmp_path / "sets", tmp_path / "bm25"
    for place in (sets, runs):
        place.mkdir()
    for name in ("none", "plain"):
        (sets / f"{name}.qrels").write_text(QRELS)
    (sets / "zipped.qrels.gz").write_bytes(gzip.compress(QRELS.encode()))
    (runs / "plain.run").write_text(RUN + "q9 Q0 d1 1 9 x\n")
    (runs / "zipped.trec.gz").write_bytes(gzip.compress(RUN.encode()))
    return tmp_path


def answers(folder: Path, **asked: object) -> dict[str, Outcome]:
    question = Question("evaluate", runs=str(folder / "bm25"), **asked)  # type: ignore[arg-type]
    done = run([str(folder / "sets")], question, folder / "r.sqlite", jobs=1)
    with Store(folder / "r.sqlite") as store:
        return {one.name: one for one in store.outcomes(done.question, evidence=True)}


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [({}, 2), ({"at": 2}, 2), ({"at": 3}, 1), ({"at": 2, "unjudged": "unspecified"}, 1)],
)
def test_wrong_queries_are_counted(folder: Path, asked: dict[str, object], wrong: int) -> None:
    found = answers(folder, **asked)
    bounds = {name: (one.verdict, one.lower, one.upper) for name, one in found.items()}
    counted = ("EXACT", wrong, wrong)
    none = ("NONE", 0, 3)
    assert bounds == {"none.qrels": none, "plain.qrels": counted, "zipped.qrels.gz": counted}


@pytest.mark.parametrize("relevant", [1, 2])
def test_figures_are_those_of_the_command_for_one_run(folder: Path, relevant: int) -> None:
    stored = unpacked_answer(answers(folder, relevant=relevant)["plain.qrels"].answer)
    asked = ("sets/plain.qrels", "--run", "bm25/plain.run", "--relevant", str(relevant))
    one = run_command("fit", *asked, "--skip-missing", "--json")
    (document,) = json.loads(one.stdout)["evaluations"]
    assert stored == {name: document[name] for name in stored or {}}
    assert stored["queries"] == (3 if relevant == 1 else 1)
    assert (stored["unasked"], stored["measures"] is None) == (1, find_spec("ir_measures") is None)
    words = show_answer(stored, picture=False)["words"]
    assert f"first for {document['right']} of {stored['queries']} quer" in words
    assert "1 query of the run without judgements left out." in words


def test_figures_need_no_ir_measures(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = folder / "hidden"
    (hidden / "ir_measures").mkdir(parents=True)
    (hidden / "ir_measures" / "__init__.py").write_text("raise ImportError\n")
    monkeypatch.syspath_prepend(hidden)
    monkeypatch.setenv("PYTHONPATH", str(hidden))
    found = answers(folder)["plain.qrels"]
    assert found.verdict == "EXACT"
    assert (unpacked_answer(found.answer) or {})["measures"] is None
    with Store(folder / "r.sqlite") as store:
        assert "mean nDCG" not in make_report(store, Report())


def test_the_command_and_the_report(folder: Path) -> None:
    done = run_command("batch", "sets", "--task", "evaluate", "--runs", "bm25", "--quiet")
    assert done.exit_code == 0
    assert done.stdout.startswith("evaluate runs bm25, 60 s, seed 0: 3 instances: 2 EXACT, 1 NONE")
    done = run_command("batch", "sets", "--task", "evaluate", "--runs", "bm25", "--json")
    document = json.loads(done.stdout)
    schema("batch").validate(document)
    assert document["question"]["runs"] == str(folder / "bm25")
    with Store(folder / "results.sqlite") as store:
        page = make_report(store, Report())
    assert "share of rows right" in page
    with Store(folder / "results.sqlite") as store:
        (first, second) = (json.loads(row[0]) for row in store.query(ANSWERS).fetchall())
    if first["measures"] is not None:
        mean = (first["measures"]["nDCG@10"] + second["measures"]["nDCG@10"]) / 2
        assert f"<b>{mean:.4f}</b>mean nDCG@10" in page


def test_unusable_runs_are_errors(folder: Path) -> None:
    (folder / "bm25" / "none.run").write_text("q8 Q0 d1 1 9 x\n")
    (folder / "bm25" / "plain.trec").write_text(RUN)
    (folder / "bm25" / "zipped.trec.gz").write_bytes(gzip.compress(b"q1 d1\n"))
    (folder / "bm25" / "pattern.run").write_text(RUN)
    (folder / "sets" / "pattern.txt").write_text("10\n01\n")
    found = answers(folder)
    assert {one.verdict for one in found.values()} == {"ERROR"}
    reasons = {name: one.error or "" for name, one in found.items()}
    assert "no query of this run has judgements" in reasons["none.qrels"]
    assert reasons["plain.qrels"] == "several runs: plain.run, plain.trec; keep one"
    assert "line 1 has 2 fields" in reasons["zipped.qrels.gz"]
    assert "hold patterns, not judgements" in reasons["pattern.txt"]


def test_unusable_questions(folder: Path) -> None:
    with pytest.raises(InputError, match=r"one with runs \(runs, --runs\), not both"):
        Question("evaluate", embeddings="v", runs="r")
    for other in ({"similarity": "l2"}, {"causal": True}):
        with pytest.raises(InputError, match="take no similarity"):
            Question("evaluate", runs="r", **other)  # type: ignore[arg-type]
    missing = Question("evaluate", runs=str(folder / "nothing"))
    with pytest.raises(InputError, match=r"nothing: no folder; runs of NAME are in NAME.run"):
        run([str(folder / "sets")], missing, folder / "r.sqlite", jobs=1)
    asked = run_command("batch", "sets", "--task", "dim", "--runs", "bm25")
    refused(asked, "the task dim does not take runs (--runs)")


def test_families_have_no_judgements(folder: Path) -> None:
    (folder / "bm25" / "line:columns=4,rows=3,seed=0.run").write_text(RUN)
    question = Question("evaluate", runs=str(folder / "bm25"))
    done = run(["line:rows=3,columns=4"], question, folder / "r.sqlite", jobs=1)
    with Store(folder / "r.sqlite") as store:
        (found,) = store.outcomes(done.question)
    assert (found.verdict, "need a file of judgements" in (found.error or "")) == ("ERROR", True)
