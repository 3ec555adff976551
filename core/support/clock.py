"""A clock that can be paused: the time limits of searches do not count compilation."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

__all__ = ["Change", "Clock", "search_clock"]

_MOST_PAUSED = 120.0
"""Seconds of pauses, after which a clock goes on, so that whatever hangs still ends."""


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
