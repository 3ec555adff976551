"""Searches for embeddings share the time of a fit with decisions."""

from __future__ import annotations

import numpy as np
import pytest

from samapprox import Pattern
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.fits.items import Items
from samapprox.proofs.questions import Fit
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits import turns as search_turns
from samapprox.solvers.questions.fits.remainders import leave_out_wrong
from samapprox.solvers.questions.fits.turns import FitBounds, SearchTurns

SECONDS = 3.0  # of each turn, by the clock of the test


class Clock:
    """A clock that moves by hand."""

    def __init__(self) -> None:
        self.moment = 100.0

    def now(self) -> float:
        return self.moment


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(search_turns, "search_clock", clock)
    return clock


def embed(right_rows: int) -> Embedding:
    """An embedding on a line of the first rows of the identity, at most two."""
    size = 4
    queries = np.array([[row < right_rows] for row in range(size)], dtype=np.int64)
    keys = np.array([[1], [-1], [0], [0]])
    return Embedding(queries * [[1], [-1], [1], [1]], keys, np.zeros(size, dtype=np.int64))


def make_turns(monkeypatch: pytest.MonkeyPatch, clock: Clock, *answers: object) -> SearchTurns:
    """Turns of a search that gives these answers, one a turn."""
    question = Fit(Pattern(np.eye(4)), 1, 0)
    items = Items.of(question.pattern, "rows")
    waiting = list(answers)

    def find_embedding(_question: Fit, _search: Search) -> object:
        clock.moment += SECONDS
        return waiting.pop(0)

    monkeypatch.setattr(search_turns, "look_up", lambda *_names: find_embedding)
    start = leave_out_wrong(question.pattern, items, embed(1))
    return SearchTurns(items, FitBounds(question, start))


def find_next_turn(turns: SearchTurns, clock: Clock) -> float:
    """Return the seconds of other work after which the next turn is due."""
    started = clock.moment
    while not turns.seconds_due:
        clock.moment += 0.5
    return clock.moment - started


def test_turns_without_success_become_rarer(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    answers = "nothing", "nothing", embed(2), embed(1)
    turns = make_turns(monkeypatch, clock, *answers)
    pauses = []
    for _ in answers:
        turns.ask("placement", 0, 1.0, Search())
        pauses.append(find_next_turn(turns, clock))
        assert turns.seconds_due >= SECONDS
    assert pauses == [4 * SECONDS, 8 * SECONDS, 2 * SECONDS, 4 * SECONDS]


def test_the_search_that_succeeds_is_the_most_promising_one(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    turns = make_turns(monkeypatch, clock, embed(2), "nothing", embed(1))
    assert turns.promising == "robust"
    turns.ask("placement", 0, 1.0, Search())
    assert turns.promising == "placement"
    for _ in range(2):  # a failure, and an embedding that is no better
        turns.ask("robust", 0, 1.0, Search())
        assert turns.promising == "placement"
