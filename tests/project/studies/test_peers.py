"""The race against other people's solvers counts rightly, and each of them is asked rightly."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dimensions import peers
from dimensions.peer_questions import Question, questions, sample
from dimensions.peer_solvers import PEERS, ask
from helpers.paths import ROOT
from shared.paths import MEASURED

from samapprox import Fact, Instance, Pattern, Problem

NEEDS = {"Z3": "z3", "cvc5": "cvc5", "SCIP": "pyscipopt", "CP-SAT": "ortools"}

NO = Question("made", "no", Problem(Pattern.from_array(np.eye(3, dtype=int)), 1), "NO")
YES = Question("made", "yes", Problem(Pattern.from_text("1*00\n0110\n0011\n1001\n1111"), 2), "YES")


def run(peer: str, question: str, answer: str, seconds: float, **more: Any) -> peers.Run:
    fields = {"kind": "made", "rows": 3, "columns": 3, "limit": 10.0, "known": "", "proven": False}
    return peers.Run(
        **{**fields, "note": "", **more},
        peer=peer,
        question=question,
        answer=answer,
        seconds=seconds,
    )


@pytest.mark.parametrize("peer", PEERS)
def test_each_peer_in_its_own_process(peer: str) -> None:
    if peer in NEEDS and find_spec(NEEDS[peer]) is None:
        pytest.skip(f"{NEEDS[peer]} is not installed (extra: peers)")
    said = peers.put(YES, peer, 20.0)
    assert (said.answer, said.proven, said.note) == ("YES", True, "")
    assert (said.rows, said.columns, said.known) == (5, 4, "YES")


@pytest.mark.parametrize("peer", ["samapprox", "Z3", "cvc5"])
def test_who_can_say_no(peer: str) -> None:
    if peer in NEEDS and find_spec(NEEDS[peer]) is None:
        pytest.skip(f"{NEEDS[peer]} is not installed (extra: peers)")
    said = peers.put(NO, peer, 20.0)
    assert (said.answer, said.proven) == ("NO", peer == "samapprox")


def test_who_cannot_say_no() -> None:
    said = ask("Adam", NO.problem.pattern, 1, 0.2)
    assert said.answer == "UNKNOWN"
    assert said.seconds >= 0.2


def test_who_overruns_is_killed_and_who_crashes_is_named() -> None:
    sleeper = [sys.executable, "-c", "import time; print('{}'); time.sleep(60)"]
    assert peers._ended(sleeper, 0.5)["note"] == "killed"
    crash = [sys.executable, "-c", "raise SystemExit('out of luck')"]
    assert peers._ended(crash, 20.0)["note"] == "failed: out of luck"


def test_the_count() -> None:
    runs = [
        run("samapprox", "a", "YES", 1.0, proven=True),
        run("samapprox", "b", "NO", 2.0, proven=True),
        run("samapprox", "c", "UNKNOWN", 10.0, known="NO"),
        run("Z3", "a", "NO", 1.0),  # wrong, says a proof
        run("Z3", "b", "NO", 4.0),
        run("Z3", "c", "YES", 1.0),  # wrong, says a fact
        run("SCIP", "a", "YES", 11.0),  # too late
        run("SCIP", "d", "NO", 1.0),  # nobody knows
    ]
    assert list(peers.table(runs))[2:] == [
        "| samapprox | 2 of 3 | 1 | 1 | 0 | 7.67 |",
        "| Z3 | 1 of 3 | 0 | 1 | 2 | 14.7 |",
        "| SCIP | 1 of 2 | 0 | 1 | 0 | 10.5 |",
    ]
    assert list(peers.by_kind(runs))[2:] == ["| made (4) | 2 | 1 | 1 |"]


def test_two_proofs_that_disagree_are_not_counted_away() -> None:
    runs = [run("samapprox", "a", "YES", 1.0, proven=True), run("Adam", "a", "NO", 1, proven=True)]
    with pytest.raises(AssertionError):
        peers.truth(runs)


def test_runs_are_written_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    assert peers.read(path) == []
    runs = [
        run("Z3", "a, d = 2", "YES", 0.1234567, note='killed, "why"'),
        run("Adam", "b", "NO", 1),
    ]
    for one in runs:
        peers.append(path, one)
    assert peers.read(path) == runs
    peers.cactus(runs).savefig(tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_questions_differ_and_are_the_same_every_time() -> None:
    every = questions()
    names = [question.name for question in every]
    assert len(set(names)) == len(names) > 90
    assert names == [question.name for question in questions()]
    assert {question.known for question in every} == {"YES", "NO", None}
    kinds = {question.kind for question in every}
    few = sample(every, 25)
    assert len(few) == 25
    assert {question.kind for question in few} == kinds
    assert sample(every, len(every)) == every


def test_a_question_knows_what_its_instance_does() -> None:
    instance = Instance(NO.problem.pattern, (Fact(1, None, "NO", "Radon"),))
    assert Question.about("made", "x", instance, 1).known == "NO"
    assert Question.about("made", "x", instance, 2).known is None


def test_the_published_table_is_what_the_published_runs_say() -> None:
    runs = peers.read(MEASURED / "peers.csv")
    page = (ROOT / "docs" / "studies" / "peers.md").read_text(encoding="utf-8")
    for line in (*peers.table(runs), *peers.by_kind(runs)):
        assert line in page
