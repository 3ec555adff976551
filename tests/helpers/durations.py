"""Calls that must end in time, or find something, on machines that may be busy with other work."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TypeVar
from unittest.mock import patch

from samapprox.errors import Interrupted
from samapprox.support.progress import OnProgress, Progress

__all__ = ["ended_within", "processor_time", "stopped_when", "takes_less_than"]

Found = TypeVar("Found")

ATTEMPTS = 3

STALLED, STARVED = 2.0, 60.0
"""Seconds that a call may wait without computing: on a quiet machine, and on a busy one."""


def may_wait() -> float:
    """Return how long a call may wait: a machine is busy with more processes than processors."""
    return STARVED if os.getloadavg()[0] > (os.cpu_count() or 1) else STALLED


class Stopwatch:
    """A stopwatch for what this process and its children, once they have ended, compute.

    A busy machine lets a process wait, but gives it no more to compute; code that does not watch
    its time computes on.
    """

    def __init__(self) -> None:
        self._computed, self._begun = sum(os.times()[:4]), time.monotonic()

    def excess(self, seconds: float) -> str | None:
        """Say how long it took if so many seconds did not suffice to compute, or it waited long."""
        computed, took = sum(os.times()[:4]) - self._computed, time.monotonic() - self._begun
        if computed < seconds and took < seconds + may_wait():
            return None
        return f"it computed for {computed:.2f} s of {took:.2f} s, not for less than {seconds} s"


@contextmanager
def takes_less_than(seconds: float) -> Iterator[None]:
    """Refuse what computes for longer, or waits long: see `Stopwatch` and `may_wait`."""
    watch = Stopwatch()
    yield
    excess = watch.excess(seconds)
    assert excess is None, excess


def ended_within(seconds: float, call: Callable[[], Found]) -> Found:
    """Return what `call` returns, once a call took less than `seconds`: see `Stopwatch`.

    The first call may compile kernels and import modules; code that does not watch its time is late
    each time.
    """
    late: list[str] = []
    for _ in range(ATTEMPTS):
        watch = Stopwatch()
        found = call()
        excess = watch.excess(seconds)
        if excess is None:
            return found
        late.append(excess)
    raise AssertionError("; ".join(late))


@contextmanager
def processor_time() -> Iterator[None]:
    """Have time limits of searches in this process count its processor time.

    A search then gets as far on a busy machine as on an idle one.
    """
    processor = SimpleNamespace(monotonic=time.process_time)
    with patch("samapprox.support.limits.time", processor):
        yield


def stopped_when(
    suffices: Callable[[Found], object], search: Callable[[OnProgress], Found]
) -> Found:
    """Return what a search has found as soon as it suffices, or at its end.

    Its limit can then be generous for busy machines, and costs nothing on others. `search`: starts
    the search with a function to report its progress to.
    """

    def stop(moment: Progress) -> None:
        if moment.so_far is not None and suffices(moment.so_far):
            raise KeyboardInterrupt

    try:
        return search(stop)
    except Interrupted as ended:
        found: Found = ended.so_far
        return found
