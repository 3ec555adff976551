"""Progress of a command: a line on a terminal's standard error, from two seconds on."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, TypeVar

from samapprox.cli.terminal import is_terminal, make_visible
from samapprox.support.progress import Progress

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["COMPILING", "StatusLine", "count_items", "show_progress"]

COMPILING = "starting; the first run on a machine compiles its kernels"
"""The activity of commands whose compiled kernels may not be in the cache."""

_DELAY = 2.0  # seconds; quicker commands show nothing
_EVERY = 1.0  # seconds between two versions of the line

Item = TypeVar("Item")


class StatusLine:
    """A line that a thread rewrites every second: the time used, and what was reported last.

    The time counts from the creation of the line, or from the given reading of `time.monotonic`.
    """

    def __init__(
        self, text: str, time_limit: float | None = None, started: float | None = None
    ) -> None:
        self._text = text
        self._limit = "" if time_limit is None else f" of {time_limit:g}"
        self._bounds = self._outcome = ""
        self._started = time.monotonic() if started is None else started
        self._width = 0  # of the line on the screen
        self._lock = Lock()  # of the screen
        self._closed = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def __call__(self, report: Progress) -> None:
        """Show a report, beside the last outcome and the last bounds."""
        if report.outcome is not None:
            self._outcome = f"; {report.what}: {report.outcome}"
        share = "" if report.share is None else f"{report.share:.0%} | "
        lower, upper = (getattr(report.so_far, name, None) for name in ("lower", "upper"))
        if lower is not None:  # reports without a result leave the last bounds as they are
            self._bounds = "..".join(map(_in_short, (lower, upper))) + " | "
        self._text = f"{share}{self._bounds}{report.what}{self._outcome}"

    def write(self, line: str) -> None:
        """Print a line above this one."""
        with self._lock, suppress(OSError, ValueError):
            self._draw("")
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    def close(self) -> None:
        """Remove the line from the screen."""
        self._closed.set()
        self._thread.join()

    def _run(self) -> None:
        pause = max(0.0, self._started + _DELAY - time.monotonic())
        with suppress(OSError, ValueError):  # standard error was closed
            while not self._closed.wait(pause):
                pause = _EVERY
                seconds = f"{time.monotonic() - self._started:.0f}{self._limit} s"
                with self._lock:
                    self._draw(f"{seconds}: {make_visible(self._text)}")
            with self._lock:
                self._draw("")

    def _draw(self, line: str) -> None:
        from shutil import get_terminal_size

        line = line[: get_terminal_size().columns - 1]
        if self._width or line:
            sys.stderr.write("\r" + line.ljust(self._width) + "\r" * (not line))
            sys.stderr.flush()
        self._width = len(line)


def _in_short(bound: float | Fraction | None) -> str:
    """Write a bound: whole numbers as they are, others with four digits."""
    if bound is None:
        return ""
    return str(bound) if isinstance(bound, int) else f"{float(bound):.4g}"


@contextmanager
def show_progress(
    text: str = COMPILING, time_limit: float | None = None
) -> Iterator[StatusLine | None]:
    """Show the time used, and a text until a function reports its progress.

    Yields what to pass as `progress`: None where standard error is no terminal.
    """
    if not is_terminal(err=True):
        yield None
        return
    line = StatusLine(text, time_limit)
    try:
        yield line
    finally:
        line.close()


@contextmanager
def count_items(
    items: Iterable[Item], unit: str, total: int | None = None, *, prints: bool = False
) -> Iterator[Iterable[Item]]:
    """Show how many of some items were taken; yields the items.

    If the command prints a line for each item, these lines show the progress at a terminal.
    """
    if prints and is_terminal():
        yield items
        return
    of = "" if total is None else f" of {total}"

    def count(show: StatusLine | None) -> Iterator[Item]:
        for number, item in enumerate(items, start=1):
            yield item
            if show is not None:
                show(Progress(f"{number}{of} {unit}s"))

    with show_progress(f"0{of} {unit}s") as show:
        yield count(show)
