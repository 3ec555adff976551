"""Progress of a command on standard error, from two seconds on."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from samapprox.cli.terminal import is_terminal, make_visible

if TYPE_CHECKING:
    from samapprox import WeakDimension
    from samapprox.solvers.interval import Bounds
    from samapprox.solvers.turns import Progress

__all__ = ["COMPILING", "show_activity", "show_bounds", "show_parts", "show_progress", "show_words"]

COMPILING = "starting; the first run on a machine compiles its kernels"
"""The activity of commands whose compiled kernels may not be in the cache."""

_DELAY = 2.0


@contextmanager
def show_progress(time_limit: float) -> Iterator[Progress | None]:
    """Show a bar of the time used, the strategy that runs and the outcome of the one before.

    Yields None where standard error is no terminal.
    """
    with _bar(time_limit) as bar:
        said = ""

        def progress(strategy: str, outcome: str | None) -> None:
            nonlocal said
            if outcome is not None:
                said = f"; {strategy}: {outcome}"
            assert bar is not None
            bar.show(f"{strategy}{said}")

        yield None if bar is None else progress


@contextmanager
def show_bounds(time_limit: float) -> Iterator[Bounds | None]:
    """Show a bar of the time used, the bounds so far and the current attempt.

    Yields None where standard error is no terminal.
    """
    with _bar(time_limit) as bar:

        def progress(so_far: WeakDimension, what: str) -> None:
            assert bar is not None
            bar.show(f"{so_far.lower}..{so_far.upper} | {what}")

        yield None if bar is None else progress


@contextmanager
def show_words(time_limit: float) -> Iterator[Callable[[str], None] | None]:
    """Show a bar of the time used, with words beside it.

    Yields None where standard error is no terminal.
    """
    with _bar(time_limit) as bar:
        yield None if bar is None else bar.show


@contextmanager
def show_activity(text: str) -> Iterator[Callable[[str], None]]:
    """Show the time that an activity without measured progress takes.

    Parameters
    ----------
    text : str
        The activity, such as "checking the certificate".

    Yields
    ------
    callable
        Changes the text.
    """
    activity = _Activity(text)
    try:
        yield activity.show
    finally:
        activity.close()


@contextmanager
def show_parts(text: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar of the parts that are done; before the first report, only the time used.

    Parameters
    ----------
    text : str
        The activity until the first report.

    Yields
    ------
    callable
        Takes the number of parts that are done, and that of all parts.
    """
    from samapprox.cli.bars import tqdm

    activity = _Activity(text)
    with tqdm(delay=_DELAY, disable=None, leave=False, unit="part") as bar:

        def show(done: int, count: int) -> None:
            activity.close()
            bar.total = count
            bar.update(done - bar.n)

        try:
            yield show
        finally:
            activity.close()


class _Activity:
    """A line with the time used, which a thread writes once a second from two seconds on."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._started = time.monotonic()
        self._done = Event()
        self._thread: Thread | None = None
        if is_terminal(err=True):
            self._thread = Thread(target=self._run, daemon=True)
            self._thread.start()

    def show(self, text: str) -> None:
        """Change the text."""
        self._text = text

    def close(self) -> None:
        """Remove the line from the screen."""
        if self._thread is not None:
            self._done.set()
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        used, pause = 0, _DELAY
        with suppress(OSError, ValueError):  # standard error was closed
            while not self._done.wait(pause):
                pause = 1.0
                line = f"{time.monotonic() - self._started:.0f} s: {make_visible(self._text)}"
                line = line[: shutil.get_terminal_size().columns - 1]
                sys.stderr.write("\r" + line.ljust(used))
                sys.stderr.flush()
                used = len(line)
            if used:
                sys.stderr.write("\r" + " " * used + "\r")
                sys.stderr.flush()


@contextmanager
def _bar(time_limit: float) -> Iterator[_Bar | None]:
    if not is_terminal(err=True):
        yield None
        return
    bar = _Bar(time_limit)
    try:
        yield bar
    finally:
        bar.close()


class _Bar:
    """A bar that imports tqdm only after two seconds."""

    def __init__(self, time_limit: float) -> None:
        self._limit = time_limit
        self._started = time.monotonic()
        self._bar: Any = None

    def show(self, text: str) -> None:
        """Advance the bar to the present time, with this text beside it."""
        elapsed = time.monotonic() - self._started
        if elapsed < _DELAY:
            return
        if self._bar is None:
            from samapprox.cli.bars import tqdm

            form = "{l_bar}{bar}| {n:.0f} of {total:.0f} s {postfix}"
            self._bar = tqdm(total=self._limit, leave=False, bar_format=form)
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(min(self._limit, elapsed) - self._bar.n)

    def close(self) -> None:
        """Remove the bar from the screen."""
        if self._bar is not None:
            self._bar.close()
