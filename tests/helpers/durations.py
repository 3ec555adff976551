"""Calls that must end in time, on machines that may be busy with other work."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TypeVar
from unittest.mock import patch

from samapprox.support.limits import search_clock

__all__ = ["ended_within", "processor_time"]

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


@contextmanager
def processor_time() -> Iterator[None]:
    """Have time limits of searches in this process count its processor time.

    A search then gets as far on a busy machine as on an idle one. Compilation counts for no limit,
    however many kernels the process has compiled.
    """
    processor = SimpleNamespace(monotonic=time.process_time)
    with (
        patch("samapprox.support.limits.time", processor),
        patch.object(search_clock, "_most_paused", math.inf),
    ):
        yield
