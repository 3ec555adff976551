"""Results before the question is answered: bounds of the shape, known facts, errors in one line."""

from __future__ import annotations

from typing import Any

import pytest

from samapprox import Fact, InputError, Instance, Pattern
from samapprox.batch import TASKS, Question
from samapprox.batch.results.known_tasks import KNOWN_TASKS, NOTHING_YET
from samapprox.batch.results.outcome import unpacked_pattern
from samapprox.batch.sets.entry import Entry, Unreadable
from samapprox.batch.workers.answer import about, as_error, bare

PATTERN = Pattern.from_text("1000\n0100\n0010\n0001\n11**")
ENTRY = Entry("set/L03_H11.npz", "stamp", Unreadable("never loaded here"))

QUESTIONS: dict[str, dict[str, Any]] = {
    "decide": {"d": 2},
    "dim": {},
    "evaluate": {"embeddings": "folder"},
    "fit": {"d": 1, "unit": "rows"},
    "margin": {},
    "rank": {"kind": "sign"},
    "verify": {"certificates": "folder"},
}


def test_every_task_about_patterns_is_asked() -> None:
    """Sets of vectors have tests of their own in tests/batch/test_vectors.py."""
    assert set(QUESTIONS) == {task for task in TASKS if not KNOWN_TASKS[task].about_vectors}


@pytest.mark.parametrize("task", QUESTIONS)
def test_results_of_loaded_entries_state_what_the_shape_proves(task: Any) -> None:
    found = about(ENTRY, Question(task, **QUESTIONS[task]), Instance(PATTERN))
    assert found.verdict == NOTHING_YET[task]
    assert found.verdict in (*KNOWN_TASKS[task].verdicts, "ERROR")
    assert (found.name, found.stamp, found.layer, found.head) == (ENTRY.name, "stamp", 3, 11)
    assert (found.rows, found.columns, found.ones) == (5, 4, PATTERN.count)
    assert found.sha256 == PATTERN.sha256
    assert unpacked_pattern(found.pattern) == PATTERN
    assert (found.yes, found.no, found.error) == (None, None, None)
    assert found.lower is None or found.upper is None or found.lower <= found.upper


def test_the_bounds_of_every_pattern_of_the_shape() -> None:
    """min(m, n - 1) dimensions suffice, and min(m, n) for the sign-rank."""
    wrong = {"evaluate": (0, 5), "fit": (0, 5)}
    for task, bounds in {"dim": (1, 3), "rank": (1, 4), "margin": (0, 1), **wrong}.items():
        found = about(ENTRY, Question(task, **QUESTIONS[task]), Instance(PATTERN))  # type: ignore[arg-type]
        assert (found.lower, found.upper) == bounds, task


def test_known_facts_come_with_the_result() -> None:
    facts = (Fact(1, None, "NO", "Radon"), Fact(3, None, "YES", "trivial"))
    found = about(ENTRY, Question("dim"), Instance(PATTERN, facts))
    assert (found.known_lower, found.known_upper) == (2, 3)
    found = about(ENTRY, Question("decide", d=1), Instance(PATTERN, facts))
    assert found.known == "NO"
    assert about(ENTRY, Question("decide", d=2), Instance(PATTERN, facts)).known is None


def test_entries_that_are_not_loaded_have_their_name_alone() -> None:
    found = bare(ENTRY)
    assert (found.name, found.layer, found.head, found.verdict) == (ENTRY.name, 3, 11, "ERROR")
    assert (found.rows, found.sha256, found.pattern, found.lower) == (None, None, None, None)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (InputError("p.npz: row 0\thas  no 1"), "p.npz: row 0 has no 1"),
        (InputError("a\nb.npz: row 0 has no 1"), "a\\nb.npz: row 0 has no 1"),
        (MemoryError(), "not enough memory"),
        (KeyError("S"), "internal error, please report it: KeyError: 'S'"),
        (OSError("\udcff.npz"), "internal error, please report it: OSError: "),
        (OSError("a\n\tb"), "internal error, please report it: OSError: a b"),
    ],
)
def test_errors_are_one_line_that_can_be_written(error: Exception, message: str) -> None:
    before = about(ENTRY, Question("dim"), Instance(PATTERN))
    found = as_error(before, error)
    assert found.verdict == "ERROR"
    assert found.error is not None
    assert found.error.startswith(message)
    assert found.error.encode("utf-8").count(b"\n") == 0  # no lone surrogate is left
    assert found._replace(verdict=before.verdict, error=None) == before
