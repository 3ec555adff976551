"""Time limits, as seconds from now."""

from __future__ import annotations

import time

from samapprox.errors import InputError

__all__ = ["deadline_in"]


def deadline_in(seconds: float) -> float:
    """What `time.monotonic` will say so many seconds from now.

    Parameters
    ----------
    seconds : float
        May be infinite.

    Raises
    ------
    InputError
        Not above 0.

    Examples
    --------
    >>> 9 < deadline_in(10) - time.monotonic() <= 10
    True
    >>> deadline_in(0)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: the time limit must be above 0 seconds, not 0
    """
    if not seconds > 0:
        raise InputError(f"the time limit must be above 0 seconds, not {seconds}")
    return time.monotonic() + seconds
