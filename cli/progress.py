"""What a decision is at, on standard error, once it takes longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samapprox.solvers.decision import Progress

__all__ = ["shown"]

_DELAY = 2.0


@contextmanager
def shown(time_limit: float) -> Iterator[Progress | None]:
    """A bar of the time used, with the strategy that runs and what the last one said.

    None where standard error is no terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar(time_limit)
    try:
        yield bar.progress
    finally:
        bar.close()


class _Bar:
    """Made when it is first worth the import."""

    def __init__(self, time_limit: float) -> None:
        self._limit = time_limit
        self._started = time.monotonic()
        self._said = ""
        self._bar: Any = None

    def progress(self, strategy: str, outcome: str | None) -> None:
        """Told when a strategy begins and ends."""
        if outcome is not None:
            self._said = f"; {strategy}: {outcome}"
        elapsed = time.monotonic() - self._started
        if elapsed < _DELAY:
            return
        if self._bar is None:
            from tqdm import tqdm

            form = "{l_bar}{bar}| {n:.0f} of {total:.0f} s{postfix}"
            self._bar = tqdm(total=self._limit, leave=False, bar_format=form)
        self._bar.set_postfix_str(f"{strategy}{self._said}", refresh=False)
        self._bar.update(min(self._limit, elapsed) - self._bar.n)

    def close(self) -> None:
        """Take it off the screen."""
        if self._bar is not None:
            self._bar.close()
