"""CP-SAT in a thread: what stops it, and when."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from ortools.sat.python import cp_model

from samapprox.solvers.engine.search import Search
from samapprox.support import cp_sat as cp
from samapprox.support.cp_sat import Infeasible, solve


class Late(cp_model.CpSolver):
    """A solver that has not begun when it is first told to stop."""

    told = 0
    heard = Event()

    def solve(self, *_: Any) -> Any:
        """Go on until somebody is heard."""
        self.heard.wait(60)
        return cp_model.UNKNOWN

    def stop_search(self) -> None:
        """Nothing, at first."""
        Late.told += 1
        if Late.told > 1:
            self.heard.set()


@pytest.fixture(autouse=True)
def forgetful() -> None:
    """Nobody has been told yet."""
    Late.told, Late.heard = 0, Event()


def interrupted(*_: Any) -> Any:
    """Ctrl-C."""
    raise KeyboardInterrupt


def test_an_interrupt_is_heard_even_before_it_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cp_model, "CpSolver", Late)
    waiting: list[Callable[..., Any]] = [cp.wait, interrupted]
    monkeypatch.setattr(cp, "wait", lambda *of: (waiting.pop() if waiting[1:] else waiting[0])(*of))
    with pytest.raises(KeyboardInterrupt):
        solve(cp_model.CpModel(), Search())
    assert Late.heard.is_set()


def test_what_another_thread_has_settled_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cp_model, "CpSolver", Late)
    search = Search()
    glance = cp.wait

    def settled(*of: Any) -> Any:
        search.stop()
        return glance(*of)

    monkeypatch.setattr(cp, "wait", settled)
    assert solve(cp_model.CpModel(), search) is None
    assert Late.heard.is_set()


def test_what_has_no_solution_and_what_has_no_time() -> None:
    model = cp_model.CpModel()
    x = model.new_int_var(0, 9, "x")
    model.add(3 * x == 20)
    with pytest.raises(Infeasible):
        solve(model, Search())
    assert solve(model, Search(deadline=0.0)) is None
