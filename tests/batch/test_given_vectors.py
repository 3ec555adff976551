"""The task evaluate: vectors of each instance in a folder, with ids, at K, and in a report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.commands import refused
from helpers.commands import run as run_command

from samapprox import InputError
from samapprox.batch import Question, Store, run
from samapprox.batch.report import Report, make_report

pytestmark = pytest.mark.usefixtures("_in_process")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three sets of judgements: with good vectors, with bad ones, and without any."""
    monkeypatch.chdir(tmp_path)
    sets, vectors = tmp_path / "sets", tmp_path / "vectors"
    for place in (sets, vectors):
        place.mkdir()
    for name in ("bad", "good", "none"):
        (sets / f"{name}.qrels").write_text("q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 1\n")
    keys = np.eye(3)
    documents, queries = ["d1", "d2", "d3"], ["q3", "q2", "q1"]
    both = {"documents": keys, "document_ids": documents, "query_ids": queries}
    np.savez(vectors / "good.npz", queries=keys[::-1], **both)
    np.savez(vectors / "bad.npz", queries=keys, **both)
    return tmp_path


def count_wrong(folder: Path, at: int | None) -> dict[str, tuple[str, float | None]]:
    question = Question("evaluate", embeddings=str(folder / "vectors"), at=at)
    done = run([str(folder / "sets")], question, folder / "r.sqlite", jobs=1)
    with Store(folder / "r.sqlite") as store:
        return {one.name: (one.verdict, one.upper) for one in store.outcomes(done.question)}


def test_rows_are_counted(folder: Path) -> None:
    counted = {"good.qrels": ("EXACT", 0), "bad.qrels": ("EXACT", 2), "none.qrels": ("NONE", 3)}
    assert count_wrong(folder, None) == counted
    assert count_wrong(folder, 3)["bad.qrels"] == ("EXACT", 0)


def test_the_command_and_the_report(folder: Path) -> None:
    done = run_command("batch", "sets", "--task", "evaluate", "--embeddings", "vectors", "--quiet")
    assert done.exit_code == 0
    assert done.stdout.startswith("evaluate vectors vectors, 60 s, seed 0: 3 instances: 2 EXACT")
    with Store(folder / "results.sqlite") as store:
        page = make_report(store, Report())
    assert "share of rows right" in page


def test_vectors_of_other_ids_are_an_error(folder: Path) -> None:
    np.savez(folder / "vectors" / "none.npz", queries=np.eye(3), documents=np.eye(3))
    np.savez(folder / "vectors" / "good.npz", vectors=np.eye(3))
    counted = count_wrong(folder, None)
    assert counted["none.qrels"][0] == counted["good.qrels"][0] == "ERROR"


def test_unusable_questions(folder: Path) -> None:
    with pytest.raises(InputError, match="the task evaluate needs a folder with vectors"):
        Question("evaluate")
    missing = Question("evaluate", embeddings=str(folder / "nothing"))
    with pytest.raises(InputError, match="nothing: no folder; vectors of NAME"):
        run([str(folder / "sets")], missing, folder / "r.sqlite", jobs=1)
    asked = run_command("batch", "sets", "--task", "fit", "-d", "1", "--embeddings", "vectors")
    refused(asked, "the task fit does not take embeddings (--embeddings)")
