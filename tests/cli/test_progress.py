"""Progress on standard error: only at a terminal, from two seconds on, and gone at the end."""

from __future__ import annotations

import io
import sys
import time
from contextlib import AbstractContextManager
from typing import Any

import pytest

from samapprox.cli import progress as module
from samapprox.cli.progress import show_activity, show_parts, show_progress, show_words


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
    found = Screen(terminal=True)
    monkeypatch.setattr(sys, "stderr", found)
    return found


def wait_for(screen: Screen, text: str) -> None:
    end = time.monotonic() + 20
    while text not in screen.line():
        assert time.monotonic() < end, screen.getvalue()
        time.sleep(0.01)


def test_an_activity_shows_its_time_and_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)
    with show_activity("checking the certificate") as show:
        wait_for(screen, "0 s: checking the certificate")
        show("part two")
        wait_for(screen, "s: part two")
        assert "certificate" not in screen.line()
    assert screen.getvalue()
    assert not screen.line()


def test_a_search_is_shown_before_its_first_report(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)
    with show_words(60.0) as show:
        assert show is not None
        wait_for(screen, "0 of 60 s: starting")
        show("2..7")
        wait_for(screen, "of 60 s: 2..7")
    assert not screen.line()


def test_the_last_outcome_stays_in_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)
    with show_progress(2.5) as progress:
        assert progress is not None
        progress("line", None)
        progress("line", "gave up")
        progress("radon", None)
        wait_for(screen, "0 of 2.5 s: radon; line: gave up")
    assert not screen.line()


def test_a_line_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)
    monkeypatch.setenv("COLUMNS", "20")
    with show_activity("long " * 20):
        wait_for(screen, "long")
        assert len(screen.line()) < 20


@pytest.mark.parametrize("shown", [show_activity, show_parts])
def test_what_is_quick_shows_nothing(shown: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch, delay=60.0)
    with shown("reading"):
        time.sleep(0.1)
    assert screen.getvalue().strip() == ""


@pytest.mark.parametrize("shown", [show_activity, show_parts])
def test_pipes_get_nothing(shown: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DELAY", 0.01)
    pipe = Screen(terminal=False)
    monkeypatch.setattr(sys, "stderr", pipe)
    context: AbstractContextManager[Any] = shown("reading")
    with context:
        time.sleep(0.1)
    assert pipe.getvalue() == ""


def test_searches_report_nothing_to_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Screen(terminal=False))
    with show_words(60.0) as words, show_progress(60.0) as progress:
        assert words is None
        assert progress is None


def test_parts_take_over_from_the_activity(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)
    with show_parts("compiling kernels") as show:
        wait_for(screen, "compiling kernels")
        show(1, 4)
        assert "compiling" not in screen.line()
        time.sleep(0.2)
        show(2, 4)
        assert "2/4" in screen.line()
    assert not screen.line()


def test_an_error_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_screen(monkeypatch)

    def draw() -> None:
        with show_activity("drawing"):
            wait_for(screen, "drawing")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        draw()
    assert not screen.line()
