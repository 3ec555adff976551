"""Progress of long computations, as every function with a parameter `progress` reports it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from samapprox.errors import require_callback
from samapprox.support.limits import search_clock

# Better bounds wait for this multiple of the time that reporting the last ones took, so that at
# most a tenth of the time goes into it.
_PAUSE = 10.0


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a computation.

    Functions with a parameter `progress` call it with such records, from any of their threads. An
    exception that it raises stops the computation.

    Parameters
    ----------
    what : str
        What is tried or computed: a strategy, "d = 3", a method.
    so_far : object or None
        The result with the bounds that are proven so far, of the type that the function returns;
        None where there are none yet.
    share : float or None
        The share of the work that is done, from 0 to 1; None where it is unknown.
    outcome : str or None
        What came of it: "YES", "NO", or why it gave up; None while it lasts.

    Examples
    --------
    >>> seen = []
    >>> report: OnProgress = seen.append
    >>> report(Progress("line", outcome="NO"))
    >>> seen[0].what, seen[0].outcome, seen[0].share
    ('line', 'NO', None)
    """

    what: str
    so_far: Any = None
    share: float | None = None
    outcome: str | None = None


OnProgress = Callable[[Progress], None]
"""The type of the callback `progress`."""


class Reporter:
    """Calls a user's `progress`; results are made for it only when their bounds are better."""

    def __init__(self, progress: OnProgress | None) -> None:
        require_callback("progress", progress)
        self._progress = progress
        self._reported: object = None
        self._pause_ends = 0.0

    def report(
        self, what: str, bounds: object = None, make: Callable[[], object] | None = None
    ) -> None:
        """Report what is tried next, and the result so far if its bounds are new and not None."""
        if self._progress is None:
            return
        started = search_clock.now()
        if make is None or bounds in (None, self._reported) or started < self._pause_ends:
            self._progress(Progress(what))
            return
        self._reported = bounds
        self._progress(Progress(what, make()))
        ended = search_clock.now()
        self._pause_ends = ended + _PAUSE * (ended - started)
