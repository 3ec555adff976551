"""The clock of searches stands still during pauses, for a bounded time, in both processes."""

from __future__ import annotations

import ast
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
from helpers.paths import ROOT
from hypothesis import given
from hypothesis import strategies as st

from samapprox.solvers.engine.search import Search
from samapprox.support.limits import Change, Clock

STEPS = st.lists(st.tuples(st.integers(0, 50), st.sampled_from(["pause", "resume", "look"])))
MOST = 100


@pytest.fixture(name="moment")
def _moment(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, in a list that a test may change."""
    now = [1000.0]
    time = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr("samapprox.support.limits.time", time)
    return now


@given(steps=STEPS)
def test_pauses_are_not_counted_up_to_a_bound(steps: list[tuple[int, str]]) -> None:
    """Second by second; overlapping pauses count once."""
    with pytest.MonkeyPatch.context() as patch:
        now = [1000.0]
        patch.setattr("samapprox.support.limits.time", SimpleNamespace(monotonic=lambda: now[0]))
        clock = Clock(MOST)
        start = clock.now()
        open_pauses = paused = 0
        for seconds, step in steps:
            now[0] += seconds
            paused += seconds if open_pauses else 0
            assert clock.now() - start == now[0] - 1000.0 - min(paused, MOST)
            if step == "pause":
                clock.pause()
                open_pauses += 1
            elif step == "resume" and open_pauses:
                clock.resume()
                open_pauses -= 1
            assert clock.now() - start == now[0] - 1000.0 - min(paused, MOST)


def test_a_clock_that_hears_late_shows_the_same(moment: list[float]) -> None:
    changes: list[Change] = []
    clock, follower = Clock(), Clock()
    clock.report = changes.append
    for step in (clock.pause, clock.pause, clock.resume, clock.resume, clock.pause):
        moment[0] += 3.0
        step()
    assert [change.paused for change in changes] == [True, False, True]
    moment[0] += 5.0
    for change in changes:
        follower.follow(change)
        moment[0] += 0.5
    assert follower.now() == clock.now()


def test_pauses_of_several_threads(moment: list[float]) -> None:
    clock = Clock()

    def pause_often() -> None:
        for _ in range(2000):
            clock.pause()
            clock.now()
            clock.resume()

    threads = [Thread(target=pause_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    before = clock.now()
    moment[0] += 7.0
    assert clock.now() == before + 7.0


def test_a_search_loses_no_time_in_a_pause(
    moment: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()  # the common one stops for two minutes in all, which tests before may have used
    for module in ("solvers.engine.search", "support.limits"):
        monkeypatch.setattr(f"samapprox.{module}.search_clock", clock)
    search = Search.within(10.0, 0)
    moment[0] += 4.0
    clock.pause()
    try:
        part = search.slice(0.5, 0)
        left = search.remaining
        moment[0] += 60.0
        assert (search.remaining, part.remaining) == pytest.approx((left, 0.5))
    finally:
        clock.resume()
    moment[0] += 1.0
    assert search.remaining == pytest.approx(left - 1.0)
    assert part.out_of_time


def test_searches_read_no_other_clock() -> None:
    """Deadlines of two clocks cannot be compared once one of them has paused."""
    readers = {
        str(path.relative_to(ROOT))
        for folder in ("solvers", "attention", "reductions")
        for path in Path(ROOT, folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == "monotonic"
    }
    assert not readers
