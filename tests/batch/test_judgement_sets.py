"""Judgement sets in a batch: read by the rule of the question, kept and resumed with it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from samapprox import Fact, InputError, InputWarning, Pattern, load, save, weak_dimension
from samapprox.batch import Question, Store, open_set, run
from samapprox.batch.sets.entry import Entry, Generated
from samapprox.batch.sets.facts import Informant
from samapprox.instance import Grading, Unjudged

pytestmark = pytest.mark.usefixtures("_in_process")

QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 b 2\nq2 0 c 1\nq3 0 c 2\nq3 0 a 0\n"
SETS = {
    "one.qrels": QRELS,
    "two.tsv": "query-id\tcorpus-id\tscore\nq1\ta1\t1\nq2\tb1\t2\nq2\ta1\t-1\n",
    "three.jsonl": '{"q1": ["a"]}\n{"q2": {"b": 2, "a": 0}}\n',
}
RULES: list[tuple[int, Unjudged]] = [(1, "zero"), (2, "zero"), (1, "unspecified")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "sets"
    place.mkdir()
    for name, text in SETS.items():
        (place / name).write_text(text)
    return place


@pytest.mark.filterwarnings("ignore::samapprox.InputWarning")  # forked workers inherit filters
def test_every_rule_has_results_of_its_own(folder: Path, tmp_path: Path) -> None:
    results = tmp_path / "r.sqlite"
    for relevant, unjudged in RULES:
        question = Question("dim", relevant=relevant, unjudged=unjudged, time_limit=20.0)
        assert run([str(folder)], question, results, jobs=1).skipped == 0
        assert run([str(folder)], question, results, jobs=1).skipped == 3
    with Store(results) as store:
        rows = store.query(
            "SELECT name, relevant, unjudged, rows, columns, ones, lower, upper, sha256 "
            "FROM results"
        ).fetchall()
    assert len(rows) == len(RULES) * len(SETS)
    for name, relevant, unjudged, *found, sha256 in rows:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            pattern = load(folder / name, relevant=relevant, unjudged=unjudged)
        bounds = weak_dimension(pattern)
        assert found == [*pattern.shape, pattern.count, bounds.lower, bounds.upper]
        assert sha256 == pattern.sha256
    assert len({row[-1] for row in rows if row[0] == "one.qrels"}) == len(RULES)


@pytest.mark.filterwarnings("ignore::samapprox.InputWarning")
def test_certificates_are_checked_against_the_pattern_of_their_rule(
    folder: Path, tmp_path: Path
) -> None:
    found = tmp_path / "found.sqlite"
    for relevant, unjudged in RULES:
        question = Question("dim", relevant=relevant, unjudged=unjudged, time_limit=20.0)
        run([str(folder)], question, found, jobs=1)
    for relevant, unjudged in RULES:
        question = Question("verify", relevant=relevant, unjudged=unjudged, certificates=str(found))
        done = run([str(folder)], question, tmp_path / "checked.sqlite", jobs=1)
        with Store(tmp_path / "checked.sqlite") as store:
            verdicts = {one.name: one.verdict for one in store.outcomes(done.question)}
        assert verdicts["one.qrels"] == "VALID"
        assert "INVALID" not in verdicts.values()


def test_a_folder_lists_judgement_sets_packed_or_not(folder: Path) -> None:
    for name in ("packed.qrels.gz", "packed.tsv.gz", "notes.md.gz", "notes.md"):
        (folder / name).touch()
    names = [entry.name for some in open_set([str(folder)]) for entry in some]
    assert names == ["one.qrels", "packed.qrels.gz", "packed.tsv.gz", "three.jsonl", "two.tsv"]


def test_a_rule_is_for_judgements_alone(folder: Path, tmp_path: Path) -> None:
    save(Pattern.from_text("10\n01"), folder / "p.npz")
    sources = [str(folder), "line:rows=3,columns=4,count=1"]
    done = run(sources, Question("decide", d=1, relevant=2), tmp_path / "r.sqlite", jobs=1)
    with Store(tmp_path / "r.sqlite") as store:
        errors = {one.name: one.error for one in store.outcomes(done.question) if one.error}
    assert any("npz files have no grades" in error for error in errors.values())
    assert any("families and stacks have no grades" in error for error in errors.values())
    with pytest.raises(InputError, match="have no grades"):
        Entry("a", "", Generated("line", {})).graded(Grading(2))


@pytest.mark.parametrize(
    ("relevant", "unjudged", "known"),
    [(1, "zero", ("YES", "NO")), (1, "unspecified", ("YES",)), (2, "zero", ())],
)
def test_facts_hold_for_the_pattern_they_are_about(
    tmp_path: Path, relevant: int, unjudged: Unjudged, known: tuple[str, ...]
) -> None:
    """A manifest's facts are about all positive grades, with zeros for what nobody judged."""
    facts = (Fact(2, None, "YES", "planted"), Fact(1, None, "NO", "Radon"))
    listed = [{"d": fact.d, "d_hid": None, "answer": fact.answer} for fact in facts]
    (tmp_path / "one.qrels").write_text(QRELS)
    sets = [{"name": "s", "kind": "pattern", "files": [{"file": "one.qrels", "facts": listed}]}]
    manifest = {"format": "samapprox-manifest", "version": 1, "sets": sets}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    entries = [entry for some in open_set([str(tmp_path / "manifest.json")]) for entry in some]
    instance = entries[0].graded(Grading(relevant, unjudged)).load()
    assert tuple(fact.answer for fact in instance.facts) == known
    question = Question("dim", relevant=relevant, unjudged=unjudged)
    with Store(tmp_path / "r.sqlite", write=True):
        pass
    done = run([str(tmp_path / "one.qrels")], question, tmp_path / "r.sqlite", jobs=1)
    with Store(tmp_path / "r.sqlite") as store:
        (outcome,) = store.outcomes(done.question)
    informed = Informant({"one.qrels": facts}, question)(outcome)
    assert (informed.known_lower, informed.known_upper) == (
        2 if "NO" in known else None,
        2 if "YES" in known else None,
    )
