"""Limits on time and memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from samapprox.errors import InputError
from samapprox.support.clock import search_clock
from samapprox.support.text import plural

if TYPE_CHECKING:
    from samapprox.support.child import Child

__all__ = [
    "LOOK",
    "Excess",
    "Limits",
    "deadline_in",
    "require_memory_limit",
    "require_time_limit",
]


_MOST = 1e9  # seconds, some thirty years: JSON knows no infinity, nor do clocks that wait


def require_time_limit(seconds: float) -> None:
    """Refuse an invalid time limit before any work.

    Raises InputError: not above 0, or above 10^9.

    >>> require_time_limit(0)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: the time limit must be above 0 and at most 1e9 seconds, not 0
    """
    if not 0 < seconds <= _MOST:
        raise InputError(f"the time limit must be above 0 and at most 1e9 seconds, not {seconds}")


def deadline_in(seconds: float) -> float:
    """Return the value of `search_clock` in so many seconds.

    `seconds`: see `require_time_limit`. Raises InputError: no time limit.

    >>> 9 < deadline_in(10) - search_clock.now() <= 10
    True
    """
    require_time_limit(seconds)
    return search_clock.now() + seconds


LOOK = 0.02
"""Seconds between two looks at a process."""

_GRACE = 0.5  # seconds after the time limit, in which a process that keeps it itself can answer
_MEGABYTE = 1 << 20
_LEAST_MEMORY = 100 * _MEGABYTE  # an idle process takes 40 MB, one with numba loaded 100 MB


def require_memory_limit(memory: int | None) -> None:
    """Refuse a memory limit that the interpreter and its libraries exceed by themselves.

    `memory`: bytes; None: no limit. Raises InputError: below 100 MB.

    >>> require_memory_limit(1 << 20)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: the memory limit must be at least 100 MB, not 1 MB
    """
    if memory is not None and memory < _LEAST_MEMORY:
        given = f"{memory / _MEGABYTE:.3g} MB" if memory >= _MEGABYTE else plural(memory, "byte")
        raise InputError(
            f"the memory limit must be at least {_LEAST_MEMORY // _MEGABYTE} MB, not {given}"
        )


@dataclass(frozen=True, slots=True)
class Excess:
    """A limit that a process exceeds.

    `reason`: for people, as ``stopped: exceeded the time limit of 60 s``.
    """

    limit: Literal["time", "memory"]
    reason: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits that a parent enforces by stopping the process.

    `seconds`: wall-clock time of a task without compilation (see `samapprox.support.clock`); half a
    second more is tolerated, in which a process that keeps the limit itself can still answer.
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
