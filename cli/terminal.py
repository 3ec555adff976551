"""The terminal: lines, answers in colour, tables, JSON documents, and the line of progress."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, TypeVar

import click

from samapprox.support.text import fit_tables, lay_out

if TYPE_CHECKING:
    from fractions import Fraction

    from samapprox.support.progress import Progress


_ANSWER_COLORS = {
    "YES": "green",
    "NO": "red",
    "UNKNOWN": "yellow",
    "VALID": "green",
    "NOT VALID": "red",
}
_ANSWER = re.compile(r"^( *)(NOT VALID|VALID|YES|NO|UNKNOWN)\b", re.MULTILINE)

_COLOR = re.compile(r"(\x1b\[(?:3[123]|0)m)")  # the codes of `paint`
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # all but tabs and ends of lines
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"  # these turn the order of letters around
)

COMPILING = "starting; the first run on a machine compiles its kernels"
"""The activity of commands whose compiled kernels may not be in the cache."""

_DELAY = 2.0  # seconds; quicker commands show nothing
_EVERY = 1.0  # seconds between two versions of the line

Item = TypeVar("Item")


def is_terminal(*, err: bool = False) -> bool:
    """Return whether standard output, or standard error, is a terminal."""
    return (sys.stderr if err else sys.stdout).isatty()


def terminal_width(*, err: bool = False) -> int | None:
    """Return the columns of the terminal that text goes to; None where there is no terminal."""
    if not is_terminal(err=err):
        return None
    from shutil import get_terminal_size  # its import takes 10 ms

    return get_terminal_size().columns


@contextmanager
def fit_terminal(*, err: bool = False) -> Iterator[None]:
    """Lay out the tables of proofs for the width of the terminal; in pipes as wide as needed."""
    with fit_tables(terminal_width(err=err)):
        yield


def _wants_color() -> bool | None:
    """Return whether the environment forbids or demands colour; None leaves it to the terminal.

    NO_COLOR forbids it; FORCE_COLOR and CLICOLOR_FORCE demand it, other than empty or 0.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if any(
        os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")
    ):
        return True
    return False if os.environ.get("TERM") == "dumb" else None


def paint(answer: str) -> str:
    r"""Return an answer in its colour, for `echo_answer`; other words stay as they are.

    >>> paint("YES"), paint("EXACT")
    ('\x1b[32mYES\x1b[0m', 'EXACT')
    """
    color = _ANSWER_COLORS.get(answer)
    return answer if color is None else click.style(answer, fg=color)


def paint_first(text: str) -> str:
    """Return text, for `echo_answer`, with the answer that begins a line in its colour."""
    return _ANSWER.sub(lambda match: match[1] + paint(match[2]), text)


def make_visible(text: str) -> str:
    r"""Return text whose control characters are escaped as in Python's strings.

    Names of files, arrays and documents come from elsewhere: without this, the escape sequences in
    them could rewrite the screen, or the title of the window.

    >>> make_visible("cat\x1b[2J\n") == r"cat\x1b[2J" + "\n"
    True
    """
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def echo(text: str = "", *, err: bool = False) -> None:
    """Print text, with control characters escaped."""
    click.echo(make_visible(text), err=err)


def echo_answer(text: str, *, err: bool = False) -> None:
    """Print text as `echo` does; on a terminal, an answer that begins a line is in colour."""
    parts = _COLOR.split(text)
    parts[::2] = map(make_visible, parts[::2])
    click.echo(paint_first("".join(parts)), err=err, color=_wants_color())


_NUMBER = re.compile(r"[~<>]? ?-?[\d.,]+(e[+-]?\d+)?( ?%)?|\.\.|")


def print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str | None = None,
    err: bool = False,
) -> None:
    """Print a table; on a terminal, it fits the width and answers are in colour.

    Columns of numbers are aligned to the right. Elsewhere than on a terminal the table is plain
    text, as wide as it comes.

    >>> print_table(["head", "least d"], [["L0 H1", "2"], ["L0 H12", "11"]])
    head    least d
    L0 H1         2
    L0 H12       11
    """
    header, *rows = ([make_visible(cell) for cell in row] for row in (header, *rows))
    right = [all(map(_NUMBER.fullmatch, column)) for column in zip(*rows, strict=True)]
    right = right or [False] * len(header)
    if title is not None:
        echo(title, err=err)
    if is_terminal(err=err):
        _print_rich(header, rows, right, err)
        return
    for line in lay_out([header, *rows], right):
        echo(line, err=err)


def _print_rich(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], err: bool
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="", pad_edge=False, padding=(0, 2, 0, 0))
    for name, numbers in zip(header, right, strict=True):
        table.add_column(Text(name), justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, style=_ANSWER_COLORS.get(cell, "")) for cell in row))
    Console(stderr=err, no_color=_wants_color() is False, highlight=False).print(table)


def print_json(document: object) -> None:
    """Print a document on one line of standard output."""
    from samapprox.support.documents import dump_json

    click.echo(dump_json(document))


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
        from samapprox.support.progress import Progress  # few commands count

        for number, item in enumerate(items, start=1):
            yield item
            if show is not None:
                show(Progress(f"{number}{of} {unit}s"))

    with show_progress(f"0{of} {unit}s") as show:
        yield count(show)
