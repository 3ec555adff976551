"""Reports of a question's progress, with better bounds as they are found."""

from __future__ import annotations

from collections.abc import Callable

from samapprox.support.clock import search_clock
from samapprox.support.progress import OnProgress, Progress

__all__ = ["Reporter"]

# Better bounds wait for this multiple of the time that reporting the last ones took, so that at
# most a tenth of the time goes into it.
_PAUSE = 10.0


class Reporter:
    """Calls a user's `progress`; results are made for it only when their bounds are better."""

    def __init__(self, progress: OnProgress | None) -> None:
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
