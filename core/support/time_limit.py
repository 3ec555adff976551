"""Time limits, as seconds from now."""

from __future__ import annotations

from samapprox.errors import InputError
from samapprox.support.clock import search_clock

__all__ = ["deadline_in", "require_time_limit"]

_MOST = 1e9  # seconds, some thirty years: JSON knows no infinity, nor do clocks that wait


def require_time_limit(seconds: float) -> None:
    """Refuse an invalid time limit before any work.

    Parameters
    ----------
    seconds : float

    Raises
    ------
    InputError
        Not above 0, or above 10^9.

    Examples
    --------
    >>> require_time_limit(0)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: the time limit must be above 0 and at most 1e9 seconds, not 0
    """
    if not 0 < seconds <= _MOST:
        raise InputError(f"the time limit must be above 0 and at most 1e9 seconds, not {seconds}")


def deadline_in(seconds: float) -> float:
    """Return the value of `search_clock` in so many seconds.

    Parameters
    ----------
    seconds : float
        See `require_time_limit`.

    Raises
    ------
    InputError
        No time limit.

    Examples
    --------
    >>> 9 < deadline_in(10) - search_clock.now() <= 10
    True
    """
    require_time_limit(seconds)
    return search_clock.now() + seconds
