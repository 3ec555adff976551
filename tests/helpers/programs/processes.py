"""Which processes of ours run, for tests of those that must not."""

from __future__ import annotations

import os

import psutil

__all__ = ["workers"]


def workers() -> list[psutil.Process]:
    """Children of the tests with a session of their own, as those that serve have."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if os.getsid(process.pid) == process.pid and process.status() != "zombie":
                found.append(process)
        except (psutil.Error, OSError):  # it ended just now
            continue
    return found
