"""The peak memory of this process since a given moment."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

__all__ = ["forget_peak", "peak"]

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def forget_peak() -> None:
    """Start a new measurement on Linux; elsewhere, do nothing."""
    with contextlib.suppress(OSError):
        _CLEAR.write_text("5")


def peak() -> int | None:
    """Return the peak of resident bytes since `forget_peak`, or since the start; None if unknown.

    Examples
    --------
    >>> peak() is None or peak() > 1 << 20
    True
    """
    try:
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10
