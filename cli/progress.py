"""Progress of a decision on standard error, from two seconds on."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samapprox import WeakDimension
    from samapprox.solvers.interval import Bounds
    from samapprox.solvers.turns import Progress

__all__ = ["show_bounds", "show_progress"]

_DELAY = 2.0


@contextmanager
def show_progress(time_limit: float) -> Iterator[Progress | None]:
    """Show a bar of the time used, the strategy that runs and the outcome of the one before.

    Yields None where standard error is no terminal.
    """
    with _bar(time_limit) as bar:
        said = ""

        def progress(strategy: str, outcome: str | None) -> None:
            nonlocal said
            if outcome is not None:
                said = f"; {strategy}: {outcome}"
            assert bar is not None
            bar.show(f"{strategy}{said}")

        yield None if bar is None else progress


@contextmanager
def show_bounds(time_limit: float) -> Iterator[Bounds | None]:
    """Show a bar of the time used, the bounds so far and the current attempt.

    Yields None where standard error is no terminal.
    """
    with _bar(time_limit) as bar:

        def progress(so_far: WeakDimension, what: str) -> None:
            assert bar is not None
            bar.show(f"{so_far.lower}..{so_far.upper} | {what}")

        yield None if bar is None else progress


@contextmanager
def _bar(time_limit: float) -> Iterator[_Bar | None]:
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar(time_limit)
    try:
        yield bar
    finally:
        bar.close()


class _Bar:
    """A bar that imports tqdm only after two seconds."""

    def __init__(self, time_limit: float) -> None:
        self._limit = time_limit
        self._started = time.monotonic()
        self._bar: Any = None

    def show(self, text: str) -> None:
        """Advance the bar to the present time, with this text beside it."""
        elapsed = time.monotonic() - self._started
        if elapsed < _DELAY:
            return
        if self._bar is None:
            from samapprox.cli.bars import tqdm

            form = "{l_bar}{bar}| {n:.0f} of {total:.0f} s {postfix}"
            self._bar = tqdm(total=self._limit, leave=False, bar_format=form)
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(min(self._limit, elapsed) - self._bar.n)

    def close(self) -> None:
        """Remove the bar from the screen."""
        if self._bar is not None:
            self._bar.close()
