"""Progress on standard error: only at a terminal, from two seconds on, and gone at the end."""

from __future__ import annotations

import io
import sys
import time
from types import SimpleNamespace

import pytest

from samapprox.cli import terminal as module
from samapprox.cli.terminal import count_items, show_progress
from samapprox.support.progress import Progress


class Screen(io.StringIO):
    """Standard error that may be a terminal; knows what can be seen on its last line."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def line(self) -> str:
        seen = ""
        for part in self.getvalue().split("\r"):
            seen = part + seen[len(part) :]
        return seen.rstrip()


def open_screen(monkeypatch: pytest.MonkeyPatch, delay: float = 0.05) -> Screen:
    """Called by tests themselves: pytest sets its own standard error after fixtures."""
    monkeypatch.setattr(module, "_DELAY", delay)
    monkeypatch.setattr(module, "_EVERY", 0.05)
    found = Screen(terminal=True)
    monkeypatch.setattr(sys, "stderr", found)
    return found


def wait_for(screen: Screen, text: str) -> None:
    end = time.monotonic() + 60
    while text not in screen.line():
        assert time.monotonic() < end, screen.getvalue()
        time.sleep(0.01)


def test_an_activity_shows_its_time_and_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)
    with show_progress("checking the certificate") as show:
        assert show is not None
        wait_for(screen, "0 s: checking the certificate")
        show(Progress("part two"))
        wait_for(screen, "s: part two")
        assert "certificate" not in screen.line()
    assert screen.getvalue()
    assert not screen.line()


def test_a_search_is_shown_before_its_first_report(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)
    with show_progress(time_limit=60.0) as show:
        assert show is not None
        wait_for(screen, "0 of 60 s: starting")
        show(Progress("d = 3", so_far=SimpleNamespace(lower=2, upper=7), share=0.25))
        wait_for(screen, "of 60 s: 25% | 2..7 | d = 3")
    assert not screen.line()


def test_the_last_outcome_stays_in_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)
    with show_progress(time_limit=2.5) as progress:
        assert progress is not None
        progress(Progress("line"))
        progress(Progress("line", outcome="gave up"))
        progress(Progress("radon"))
        wait_for(screen, "0 of 2.5 s: radon; line: gave up")
    assert not screen.line()


def test_a_line_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)
    monkeypatch.setenv("COLUMNS", "20")
    with show_progress("long " * 20):
        wait_for(screen, "long")
        assert len(screen.line()) < 20


def test_what_is_quick_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch, delay=60.0)
    with show_progress("reading"):
        time.sleep(0.1)
    assert screen.getvalue().strip() == ""


def test_pipes_get_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DELAY", 0.01)
    pipe = Screen(terminal=False)
    monkeypatch.setattr(sys, "stderr", pipe)
    with show_progress("reading") as show, count_items("abc", "letter") as letters:
        assert show is None
        assert list(letters) == ["a", "b", "c"]
        time.sleep(0.1)
    assert pipe.getvalue() == ""


def test_items_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)
    with count_items(range(4), "part", 4) as parts:
        wait_for(screen, "0 of 4 parts")
        for part in parts:
            wait_for(screen, f"{part} of 4 parts")
    assert not screen.line()


def test_items_with_lines_of_their_own_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)
    monkeypatch.setattr(sys, "stdout", Screen(terminal=True))
    with count_items(range(4), "part", prints=True) as parts:
        assert list(parts) == [0, 1, 2, 3]
        time.sleep(0.1)
    assert screen.getvalue() == ""


def test_lines_are_printed_above(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)
    with show_progress("running") as show:
        assert show is not None
        wait_for(screen, "running")
        show.write("lost: p.npz")
        assert screen.getvalue().endswith("\rlost: p.npz\n")


def test_an_error_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)

    def draw() -> None:
        with show_progress("drawing"):
            wait_for(screen, "drawing")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        draw()
    assert not screen.line()
