"""The tasks of a batch: the library's answers, with facts, certificates and reports of each."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import (
    InputError,
    Pattern,
    decide,
    dimension_in_arithmetic,
    fit,
    margin,
    rank,
    save,
    weak_dimension,
)
from samapprox.batch import TASKS, Question, Store, judge, open_set, run
from samapprox.batch.report import Report, make_report
from samapprox.batch.report.evidence import detail
from samapprox.batch.report.heads import Interval
from samapprox.batch.report.page import show_answer
from samapprox.batch.results.known_tasks import KNOWN_TASKS
from samapprox.batch.results.outcome import (
    packed_certificate,
    unpacked_answer,
    unpacked_certificate,
)
from samapprox.batch.results.trivial_bounds import trivial_bounds
from samapprox.batch.sets.facts import known_answer, known_bounds
from samapprox.batch.workers.answer import answer
from samapprox.instance import Fact
from samapprox.proofs.certificate import Certificate

pytestmark = pytest.mark.usefixtures("_in_process")

SET = "random:rows=5,columns=5,count=2,seed=4"


def margin_in(pattern: Pattern, d: int) -> SimpleNamespace:
    found = margin(pattern, dimensions=[d])
    (there,) = found.dimensions
    upper = inf if there.upper is None else there.upper  # None: every row is constant
    return SimpleNamespace(lower=there.lower, upper=upper)


SHORT_FIT = Question("fit", d=1, time_limit=20)
"""The bounds soon meet, but searches for rows that are right at K take a share of the limit."""

fit_shortly = partial(fit, d=1, time_limit=20)


def dimension_in_int8(pattern: Pattern) -> SimpleNamespace:
    found = dimension_in_arithmetic(pattern, "int8", time_limit=10)
    return SimpleNamespace(lower=found.lower, upper=found.d)


QUESTIONS: list[tuple[Question, Callable[[Pattern], Any]]] = [
    (SHORT_FIT, fit_shortly),
    (replace(SHORT_FIT, similarity="l2"), partial(fit_shortly, similarity="l2")),
    (replace(SHORT_FIT, unit="entries"), partial(fit_shortly, unit="entries")),
    (replace(SHORT_FIT, at=4), partial(fit_shortly, at=4)),
    (Question("rank"), rank),
    (Question("rank", kind="global"), lambda pattern: rank(pattern, kind="global")),
    (Question("rank", kind="row"), lambda pattern: rank(pattern, kind="row")),
    (
        Question("dim", similarity="cosine"),
        lambda pattern: weak_dimension(pattern, similarity="cosine"),
    ),
    (Question("dim", similarity="l2"), lambda pattern: weak_dimension(pattern, similarity="l2")),
    (
        Question("dim", similarity="binary", time_limit=5),
        lambda pattern: weak_dimension(pattern, similarity="binary", time_limit=5),
    ),
    (
        Question("dim", arithmetic="int8", time_limit=10),
        dimension_in_int8,
    ),
    (Question("margin"), margin),
    (Question("margin", d=1), partial(margin_in, d=1)),
    (Question("margin", d=2), partial(margin_in, d=2)),
    (Question("margin", d=9), partial(margin_in, d=5)),
]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result file with the answers to all of these questions."""
    path = tmp_path_factory.mktemp("tasks") / "r.sqlite"
    entries = [entry for some in open_set([SET]) for entry in some]
    with Store(path, write=True) as store:
        for question, _ in QUESTIONS:
            outcomes = [answer(entry, question, lambda _so_far: None) for entry in entries]
            store.save(store.question(question), outcomes)
    return path


@pytest.mark.parametrize("number", range(len(QUESTIONS)), ids=lambda k: str(QUESTIONS[k][0]))
def test_the_answers_of_the_library(results: Path, number: int) -> None:
    question, solve = QUESTIONS[number]
    with Store(results) as store:
        assert store.questions()[number + 1] == question
        rows = store.query(
            "SELECT id, name, verdict, lower, upper FROM result WHERE question = ?", (number + 1,)
        ).fetchall()
        assert len(rows) == 2
        for row, name, verdict, lower, upper in rows:
            evidence = store.evidence(row)
            assert evidence.pattern is not None, name
            found = solve(evidence.pattern)
            if question.task == "margin":
                assert lower <= found.lower <= found.upper <= upper
                assert upper - lower < found.upper - found.lower + Fraction(1, 10**9)
            else:
                assert (lower, upper) == (found.lower, found.upper)
                assert verdict == ("EXACT" if lower == upper else "INTERVAL")
            for side, certificate in (("YES", evidence.yes), ("NO", evidence.no)):
                assert certificate is None or certificate.answer == side
                assert certificate is None or certificate.verify(evidence.pattern)
            if question.at is not None:
                assert evidence.answer == {
                    "least_recall": found.least_recall,
                    "most_recall": found.most_recall,
                    "recall_exact": found.recall.exact,
                }
                theirs = (found.recall.yes_certificate, found.recall.no_certificate)
                own = (evidence.recall_yes, evidence.recall_no)
                for one, other in zip(own, theirs, strict=True):
                    assert (one and one.terms) == (other and other.terms)
                    assert one is None or one.verify(evidence.pattern)
            least, most = trivial_bounds(question, evidence.pattern)
            assert most is not None
            assert least <= lower <= upper <= most


@pytest.mark.parametrize("similarity", ["cosine", "binary"])
def test_other_similarities_are_decided(similarity: str, tmp_path: Path) -> None:
    save(Pattern.from_array(np.eye(4, dtype=int)), tmp_path / "eye.npz")
    question = Question("decide", d=1, similarity=similarity)
    done = run([str(tmp_path / "eye.npz")], question, tmp_path / "r.sqlite", jobs=1)
    with Store(tmp_path / "r.sqlite") as store:
        (outcome,) = store.outcomes(done.question, evidence=True)
    assert outcome.verdict == decide(np.eye(4), 1, similarity=similarity).status.value == "NO"
    certificate = unpacked_certificate(outcome.no)
    assert certificate is not None
    assert certificate.terms["similarity"] == similarity


def test_fits_are_not_about_sets_of_values() -> None:
    with pytest.raises(InputError, match="the task fit does not take sets of values"):
        Question("fit", d=1, similarity="binary")


def test_the_recall_of_fits_is_reported_and_verified(tmp_path: Path) -> None:
    save(Pattern.from_array(np.eye(3, dtype=int)), tmp_path / "eye.npz")
    done = run(
        [str(tmp_path / "eye.npz")],
        Question("fit", d=1, at=1, time_limit=3),
        tmp_path / "r.sqlite",
        jobs=1,
    )
    with Store(tmp_path / "r.sqlite") as store:
        page = make_report(store, Report())
        (outcome,) = store.outcomes(done.question, evidence=True)
        shown = show_answer(unpacked_answer(outcome.answer) or {}, picture=False)["words"]
        proofs = detail(store.evidence(1), pictures=False)["proofs"]
    assert "<b>66.7 %</b>greatest mean recall at 1, on average" in page
    stopped = outcome._replace(name="stopped", verdict="INTERVAL", answer=None)
    with Store(tmp_path / "r.sqlite", write=True) as store:
        store.save(done.question, [stopped])
        page = make_report(store, Report(pictures=0))
    assert "<b>33.3..83.4 %</b>greatest mean recall at 1, on average" in page
    assert shown == "The greatest mean recall at K: 66.7 %."
    titles = [proof["title"] for proof in proofs]
    assert sum("recall" in title for title in titles) == 2, titles
    checking = Question("verify", certificates=str(tmp_path / "r.sqlite"))
    checked = run([str(tmp_path / "eye.npz")], checking, tmp_path / "v.sqlite", jobs=1)
    certificate = unpacked_certificate(outcome.recall_no)
    assert certificate is not None
    document = certificate.to_json()
    document["problem"]["numerator"] = 1  # of 3: less than what an embedding reaches
    packed = packed_certificate(Certificate.from_json(document))
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as connection:
        connection.execute("UPDATE evidence SET recall_no = ?", (packed,))
        connection.commit()
    wrong = run([str(tmp_path / "eye.npz")], checking, tmp_path / "w.sqlite", jobs=1)
    for place, ended, verdict in (("v", checked, "VALID"), ("w", wrong, "INVALID")):
        with Store(tmp_path / f"{place}.sqlite") as store:
            assert [one.verdict for one in store.outcomes(ended.question)] == [verdict]


# ---------------------------------------------------------------- certificates


def test_certificates_of_every_task_are_verified(results: Path, tmp_path: Path) -> None:
    question = Question("verify", certificates=str(results))
    done = run([SET], question, tmp_path / "v.sqlite", jobs=1)
    with Store(tmp_path / "v.sqlite") as store:
        outcomes = list(store.outcomes(done.question))
    assert [outcome.verdict for outcome in outcomes] == ["VALID"] * 2
    # The embeddings in int8 and the missing margins in d = 1 are about dot products in a dimension.
    assert {(outcome.lower, outcome.upper) for outcome in outcomes} == {(2, 2)}


@pytest.mark.parametrize("task", ["fit", "margin", "rank"])
def test_certificates_of_another_pattern_are_invalid(
    results: Path, tmp_path: Path, task: str
) -> None:
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(results.read_bytes())
    with closing(sqlite3.connect(copy)) as connection:
        other = (
            "SELECT yes FROM evidence JOIN results ON results.id = evidence.result "
            "WHERE task = ? AND yes IS NOT NULL ORDER BY name DESC LIMIT 1"
        )
        (certificate,) = connection.execute(other, (task,)).fetchone()
        first = "SELECT id FROM results WHERE task = ? ORDER BY name LIMIT 1"
        (row,) = connection.execute(first, (task,)).fetchone()
        connection.execute("UPDATE evidence SET yes = ? WHERE result = ?", (certificate, row))
        connection.commit()
    question = Question("verify", certificates=str(copy))
    done = run([SET], question, tmp_path / "v.sqlite", jobs=1)
    with Store(tmp_path / "v.sqlite") as store:
        verdicts = [outcome.verdict for outcome in store.outcomes(done.question)]
    assert verdicts == ["INVALID", "VALID"]


# ---------------------------------------------------------------- facts


@given(
    st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=2, max_size=4),
    st.sampled_from(QUESTIONS[:-1]),
)
@settings(max_examples=20, deadline=None)
def test_facts_about_dimensions_never_contradict_an_answer(
    entries: list[list[int]], asked: tuple[Question, Callable[[Pattern], Any]]
) -> None:
    question, solve = asked
    pattern = Pattern.from_array([[1, *row] for row in entries])
    d = weak_dimension(pattern).upper
    facts = [Fact(d, None, "YES", ""), *(Fact(k, None, "NO", "") for k in range(1, d))]
    answer = solve(pattern)
    lower, upper = known_bounds(facts, question)
    assert upper is None or answer.lower <= upper
    assert lower is None or answer.upper >= lower


@pytest.mark.parametrize(
    ("question", "bounds"),
    [
        (Question("dim"), (3, 3)),
        (Question("dim", similarity="cosine"), (3, 4)),
        (Question("dim", similarity="l2"), (2, 3)),
        (Question("dim", similarity="binary"), (3, None)),
        (Question("dim", arithmetic="int8"), (3, None)),
        (Question("rank"), (3, 4)),
        (Question("rank", kind="global"), (3, 4)),
        (Question("rank", kind="row"), (3, 3)),
        (Question("fit", d=2), (1, None)),
        (Question("fit", d=3, unit="entries"), (None, 0)),
        (Question("fit", d=2, at=2), (None, None)),
        (Question("fit", d=3, at=2), (None, None)),
        (Question("fit", d=3, similarity="cosine"), (None, None)),
        (Question("fit", d=4, similarity="cosine"), (None, 0)),
        (Question("margin"), (None, None)),
    ],
    ids=str,
)
def test_the_consequences_of_a_dimension(
    question: Question, bounds: tuple[int | None, int | None]
) -> None:
    facts = [Fact(2, None, "NO", ""), Fact(3, None, "YES", "")]
    assert known_bounds(facts, question) == bounds


def test_answers_for_other_similarities_follow_from_facts() -> None:
    facts = [Fact(2, None, "NO", ""), Fact(3, None, "YES", "")]
    answers = {
        similarity: [
            known_answer(facts, Question("decide", d=d, similarity=similarity)) for d in range(1, 5)
        ]
        for similarity in ("cosine", "l2")
    }
    assert answers["cosine"] == ["NO", "NO", None, "YES"]
    assert answers["l2"] == ["NO", None, "YES", "YES"]


def test_a_fact_that_contradicts_a_fit_is_a_failure(results: Path) -> None:
    with Store(results) as store:
        outcomes = [
            one._replace(known_upper=0) for one in store.outcomes(1) if one.lower not in (None, 0)
        ]
    assert outcomes
    for outcome, failures in judge(outcomes):
        assert [failure.kind for failure in failures] == ["contradiction"]
        assert f"proven to be {outcome.lower}" in failures[0].reason


def test_better_bounds_before_are_lost_now(results: Path) -> None:
    with Store(results) as store:
        before = list(store.outcomes(1))
    now = [one._replace(verdict="INTERVAL", lower=0, upper=5) for one in before]
    for (_, failures), earlier in zip(judge(now, before), before, strict=True):
        assert [one.kind for one in failures] == ["lost"] * (earlier.verdict == "EXACT")


# ---------------------------------------------------------------- reports


@pytest.fixture(scope="module")
def page(results: Path) -> str:
    with Store(results) as store:
        return make_report(store, Report(pictures=0))


def test_a_report_shows_intervals_of_every_task(page: str) -> None:
    for words in (
        "Share of rows right: the proven interval of each result",
        "Wrong entries: the proven interval of each result",
        "Margin: the proven interval of each result",
        "Bounds on the least dimension (cosine)",
        "Bounds on the least rank",
        "of all rows can be right",
        "least margin",
    ):
        assert words in page, words
    data = json.loads(page.partition('id="data"')[2].partition(">")[2].partition("</script>")[0])
    assert list(data["bounds"].values()) == [
        *["wrong"] * 4,
        *["rank"] * 3,
        *["least d"] * 4,
        *["margin"] * 4,
    ]


def test_the_share_of_rows_is_that_of_all_rows_together(results: Path, page: str) -> None:
    with Store(results) as store:
        outcomes = list(store.outcomes(1))
    rows = sum(one.rows or 0 for one in outcomes)
    ends = [1 - sum(getattr(one, side) for one in outcomes) / rows for side in ("upper", "lower")]
    shown = Interval(*ends).in_percent()
    assert shown.endswith(" %")
    assert f"<b>{shown}</b>of all rows can be right" in page


def test_every_task_is_tested() -> None:
    about_vectors = {task for task, known in KNOWN_TASKS.items() if known.about_vectors}
    assert about_vectors == {"orthogonal", "furthest"}  # test_vectors.py
    patterns = {question.task for question, _ in QUESTIONS} | {"decide", "evaluate", "verify"}
    assert patterns | about_vectors == set(TASKS)
