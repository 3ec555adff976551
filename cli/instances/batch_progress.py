"""Progress of a batch run on standard error: a bar on a terminal, otherwise lines, or JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from functools import partial

import click

from samapprox.batch import Failure, Outcome, failures_of
from samapprox.cli.terminal import StatusLine, echo, is_terminal, make_visible
from samapprox.support.progress import Progress
from samapprox.support.text import plural

_EVERY = 10.0  # seconds between two lines
_NAME = 16  # characters of a name, its end, so that all fits into 80 columns


@contextmanager
def follow_run(*, log_json: bool, quiet: bool) -> Iterator[Follower]:
    """Show the progress of a run on standard error."""
    if log_json:
        yield _Log()
    elif quiet or not is_terminal(err=True):
        yield _Lines(quiet)
    else:
        with closing(_Line()) as shown:
            yield shown


class Follower:
    """A listener that shows the progress of a run."""

    def __init__(self) -> None:
        self.printed: set[Failure] = set()
        """The failures printed so far."""
        self._started = time.monotonic()  # also the start of the time that a status line shows
        self._before: int | None = None

    def so_far(self, outcome: Outcome) -> None:
        """Ignore instances in progress."""

    def finished(self, outcomes: Sequence[Outcome], done: int, total: int) -> None:
        """Show results, and the numbers of finished and of all instances."""
        raise NotImplementedError

    def seconds_left(self, done: int, news: int, total: int) -> float | None:
        """Return the time left at the speed of this run; None before its first result."""
        if self._before is None:
            self._before = done - news
        own = done - self._before
        return (total - done) * (time.monotonic() - self._started) / own if own else None

    def print_failures(self, outcomes: Sequence[Outcome], write: Callable[[str], object]) -> None:
        """Print each failure as one line."""
        for failure in _failures(outcomes):
            self.printed.add(failure)
            write(make_visible(f"samapprox: {failure}"))


class _Lines(Follower):
    """Failures as they occur, and a line every ten seconds."""

    def __init__(self, quiet: bool) -> None:
        super().__init__()
        self._quiet = quiet
        self._last = time.monotonic()

    def finished(self, outcomes: Sequence[Outcome], done: int, total: int) -> None:
        """Print failures, and every ten seconds the number of finished instances."""
        self.print_failures(outcomes, partial(echo, err=True))
        left = self.seconds_left(done, len(outcomes), total)
        if not self._quiet and time.monotonic() - self._last >= _EVERY:
            self._last = time.monotonic()
            rest = "" if left is None else f", {left:.0f} s left"
            failures = plural(len(self.printed), "failure")
            echo(f"samapprox: {done} of {total}, {failures}{rest}", err=True)


class _Line(Follower):
    """A line with the remaining time and the latest bounds; failures above it."""

    def __init__(self) -> None:
        super().__init__()
        self._line: StatusLine | None = None
        self._counts = "0 finished"

    def so_far(self, outcome: Outcome) -> None:
        """Show the bounds of an instance in progress."""
        self._show(outcome)

    def finished(self, outcomes: Sequence[Outcome], done: int, total: int) -> None:
        """Show the numbers of finished and of all instances."""
        left = self.seconds_left(done, len(outcomes), total)
        self._counts = f"{done} of {total}" + ("" if left is None else f", {left:.0f} s left")
        self.print_failures(outcomes, self._open(self._counts).write)
        self._show(outcomes[-1])

    def _open(self, text: str) -> StatusLine:
        """The line, with a text at first, whose thread starts with the first message of a process.

        Then all processes have started: a program with threads is not forked.
        """
        if self._line is None:
            self._line = StatusLine(text, started=self._started)
        return self._line

    def _show(self, outcome: Outcome) -> None:
        """Show the counts and the bounds of an instance."""
        ends = ("" if end is None else str(round(end, 6)) for end in (outcome.lower, outcome.upper))
        bounds = "" if outcome.lower is None else f"{'..'.join(ends)} "
        failures = plural(len(self.printed), "failure")
        text = f"{self._counts} | {failures} | {bounds}{outcome.name[-_NAME:]}"
        self._open(text)(Progress(text))

    def close(self) -> None:
        """Remove the line from the screen."""
        if self._line is not None:
            self._line.close()


class _Log(Follower):
    """Every event as one line of JSON; the command prints failures at the end."""

    def so_far(self, outcome: Outcome) -> None:
        """Write the bounds of an instance in progress, once there are any."""
        if outcome.lower is not None:
            self._write("so far", **_as_json(outcome))

    def finished(self, outcomes: Sequence[Outcome], done: int, total: int) -> None:
        """Write results, failures and the progress of the run."""
        for outcome in outcomes:
            self._write("result", **_as_json(outcome), seconds=outcome.seconds)
        for failure in _failures(outcomes):
            self._write("failure", **asdict(failure))
        left = self.seconds_left(done, len(outcomes), total)
        self._write("progress", done=done, total=total, seconds_left=left)

    def _write(self, event: str, **members: object) -> None:
        click.echo(json.dumps({"event": event, "time": time.time(), **members}), err=True)


def _as_json(outcome: Outcome) -> dict[str, object]:
    return {name: getattr(outcome, name) for name in ("name", "verdict", "lower", "upper")}


def _failures(outcomes: Sequence[Outcome]) -> Iterator[Failure]:
    for outcome in outcomes:
        yield from failures_of(outcome)
