"""Progress of long computations, as every function with a parameter `progress` reports it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["OnProgress", "Progress"]


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
