"""Calls that must end in time, on machines that may be busy with other work."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from samapprox.support.clock import search_clock

__all__ = ["ended_within"]

Found = TypeVar("Found")

ATTEMPTS = 3


def ended_within(
    seconds: float, call: Callable[[], Found], clock: Callable[[], float] = search_clock.now
) -> Found:
    """Return what `call` returns, once a call took less than `seconds`.

    A busy machine may stall a call for a second or two, but hardly three in a row; code that does
    not watch its time is late each time.
    """
    took = []
    for _ in range(ATTEMPTS):
        started = clock()
        found = call()
        took.append(clock() - started)
        if took[-1] < seconds:
            return found
    raise AssertionError(f"{ATTEMPTS} calls took {took} seconds, not less than {seconds}")
