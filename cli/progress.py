"""Progress of a command on standard error, from two seconds on."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING

from samapprox.cli.terminal import is_terminal, make_visible

if TYPE_CHECKING:
    from samapprox import WeakDimension
    from samapprox.solvers.engine.interval import Bounds
    from samapprox.solvers.engine.turns import Progress

__all__ = ["COMPILING", "show_activity", "show_bounds", "show_parts", "show_progress", "show_words"]

COMPILING = "starting; the first run on a machine compiles its kernels"
"""The activity of commands whose compiled kernels may not be in the cache."""

_DELAY = 2.0


@contextmanager
def show_progress(time_limit: float) -> Iterator[Progress | None]:
    """Show the time used, the strategy that runs and the outcome of the one before.

    Yields None where standard error is no terminal.
    """
    with show_words(time_limit) as show:
        said = ""

        def progress(strategy: str, outcome: str | None) -> None:
            nonlocal said
            if outcome is not None:
                said = f"; {strategy}: {outcome}"
            assert show is not None
            show(f"{strategy}{said}")

        yield None if show is None else progress


@contextmanager
def show_bounds(time_limit: float) -> Iterator[Bounds | None]:
    """Show the time used, the bounds so far and the current attempt.

    Yields None where standard error is no terminal.
    """
    with show_words(time_limit) as show:

        def progress(so_far: WeakDimension, what: str) -> None:
            assert show is not None
            show(f"{so_far.lower}..{so_far.upper} | {what}")

        yield None if show is None else progress


@contextmanager
def show_words(time_limit: float) -> Iterator[Callable[[str], None] | None]:
    """Show the time used of the limit, and the words of the last report.

    Yields None where standard error is no terminal.
    """
    if not is_terminal(err=True):
        yield None
        return
    activity = _Activity(COMPILING, time_limit)
    try:
        yield activity.show
    finally:
        activity.close()


@contextmanager
def show_activity(text: str) -> Iterator[Callable[[str], None]]:
    """Show the time that an activity without measured progress takes."""
    activity = _Activity(text)
    try:
        yield activity.show
    finally:
        activity.close()


@contextmanager
def show_parts(text: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar of the parts that are done; before the first report, only the time used."""
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

    def __init__(self, text: str, time_limit: float | None = None) -> None:
        self._text = text
        self._limit = "" if time_limit is None else f" of {time_limit:g}"
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
                seconds = f"{time.monotonic() - self._started:.0f}{self._limit} s"
                line = f"{seconds}: {make_visible(self._text)}"
                line = line[: shutil.get_terminal_size().columns - 1]
                sys.stderr.write("\r" + line.ljust(used))
                sys.stderr.flush()
                used = len(line)
            if used:
                sys.stderr.write("\r" + " " * used + "\r")
                sys.stderr.flush()
