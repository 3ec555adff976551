"""Limits on time and memory, and a clock that can be paused: compilation counts for no limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from threading import Lock
from typing import TYPE_CHECKING, Literal, NamedTuple

from samapprox.errors import InputError, abridge
from samapprox.support.text import plural

if TYPE_CHECKING:
    from samapprox.support.child import Child


_MOST_PAUSED = 120.0
"""Seconds of pauses, after which a clock goes on, so that processes that hang still end."""

_MOST = 1e9  # seconds, some thirty years: JSON knows no infinity, nor do clocks that wait


class Change(NamedTuple):
    """The begin or the end of a pause.

    `paused`: whether a pause begins. `moment`: the value of `time.monotonic`, which all processes
    of a machine share.
    """

    paused: bool
    moment: float


def _ignore(_change: Change) -> None:
    """Drop the report."""


class Clock:
    """The seconds of `time.monotonic` without those of pauses.

    `most_paused`: seconds of all pauses together; the clock does not stop for longer. `report`:
    receives every `Change`, so that another process can `follow`.

    Any thread may use it. Pauses may overlap: the clock stops with the first and goes on after the
    last.
    """

    def __init__(self, most_paused: float = _MOST_PAUSED) -> None:
        self.report: Callable[[Change], None] = _ignore
        self._most_paused = most_paused
        self._lock = Lock()
        self._pauses = 0
        self._state: tuple[float, float | None] = 0.0, None  # read and written in one step

    def now(self) -> float:
        """Return the seconds since an arbitrary moment, without pauses."""
        paused, since = self._state
        moment = time.monotonic()
        if since is not None:
            paused += moment - since
        return moment - min(paused, self._most_paused)

    def pause(self) -> None:
        """Begin a pause."""
        self._count(1)

    def resume(self) -> None:
        """End a pause."""
        self._count(-1)

    def follow(self, change: Change) -> None:
        """Stop or go on at the moment at which the clock of another process did.

        `change`: what that clock reports.
        """
        paused, since = self._state
        if change.paused:
            self._state = paused, change.moment
        elif since is not None:
            self._state = paused + change.moment - since, None

    def _count(self, step: int) -> None:
        with self._lock:
            before = self._pauses
            self._pauses += step
            if bool(before) != bool(self._pauses):
                change = Change(self._pauses > 0, time.monotonic())
                self.follow(change)
                self.report(change)


search_clock = Clock()
"""The clock of all searches of this process, which pauses while numba compiles or loads kernels.

A kernel takes seconds to compile on the first run, and tenths of a second to load on the next. A
search whose limit passed meanwhile would have no time left, and a process stopped while it compiles
keeps nothing for the next run.
"""


def _is_number(value: object) -> bool:
    """Return whether a limit can be compared with numbers, numpy's among them."""
    return isinstance(value, Real)


def require_time_limit(seconds: float) -> None:
    """Refuse an invalid time limit before any work.

    Raises InputError: no number, not above 0, or above 10^9.

    >>> require_time_limit(0)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: the time limit must be above 0 and at most 1e9 seconds, not 0
    """
    if not _is_number(seconds) or not 0 < seconds <= _MOST:
        given = abridge(seconds)
        raise InputError(f"the time limit must be above 0 and at most 1e9 seconds, not {given}")


def deadline_in(seconds: float) -> float:
    """Return the value of `search_clock` in so many seconds.

    `seconds`: see `require_time_limit`. Raises InputError: no time limit.

    >>> 9 < deadline_in(10) - search_clock.now() <= 10
    True
    """
    require_time_limit(seconds)
    return search_clock.now() + float(seconds)


LOOK = 0.02
"""Seconds between two looks at a process."""

# Seconds after the time limit, in which a process that keeps it itself can still answer. On a busy
# machine its last step may take them. If it is stopped, it loses what it has not yet reported.
_GRACE = 2.0
_MEGABYTE = 1 << 20
_LEAST_MEMORY = 100 * _MEGABYTE  # an idle process takes 40 MB, one with numba loaded 100 MB


def require_memory_limit(memory: int | None) -> None:
    """Refuse a memory limit that the interpreter and its libraries exceed by themselves.

    `memory`: bytes; None: no limit. Raises InputError: no number, or below 100 MB.

    >>> require_memory_limit(1 << 20)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: the memory limit must be at least 100 MB, not 1 MB
    """
    if memory is None:
        return
    if not _is_number(memory):
        raise InputError(f"the memory limit must be a number of bytes, not {abridge(memory)}")
    if not memory >= _LEAST_MEMORY:
        given = f"{memory / _MEGABYTE:.3g} MB" if memory >= _MEGABYTE else plural(memory, "byte")
        raise InputError(
            f"the memory limit must be at least {_LEAST_MEMORY // _MEGABYTE} MB, not {given}"
        )


@dataclass(frozen=True, slots=True)
class Excess:
    """A limit that a process exceeds.

    `reason`: a message, such as ``stopped: exceeded the time limit of 60 s``.
    """

    limit: Literal["time", "memory"]
    reason: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits that a parent enforces by stopping the process.

    `seconds`: wall-clock time of a task without compilation (see `Clock`); two seconds more are
    tolerated, in which a process that keeps the limit itself can still answer.
    `memory`: bytes of resident memory; None: no limit. Raises InputError: see
    `samapprox.support.limits.require_time_limit` and `require_memory_limit`.

    >>> Limits(60.0, 1 << 30)
    Limits(seconds=60.0, memory=1073741824)
    """

    seconds: float
    memory: int | None = None

    def __post_init__(self) -> None:
        require_time_limit(self.seconds)
        require_memory_limit(self.memory)

    def excess(self, child: Child, seconds: float) -> Excess | None:
        """Return the limit that a process exceeds; None as long as it keeps both.

        `seconds`: the seconds since its task began, without those in which it compiled.
        """
        if seconds > self.seconds + _GRACE:
            return Excess("time", f"stopped: exceeded the time limit of {self.seconds:g} s")
        if self.memory is not None and child.resident() > self.memory:
            megabytes = f"{self.memory / _MEGABYTE:.0f} MB"
            return Excess("memory", f"stopped: exceeded the memory limit of {megabytes}")
        return None
