"""Which processes of ours run, for tests of those that must not."""

from __future__ import annotations

import psutil

__all__ = ["workers"]


def workers() -> list[psutil.Process]:
    """Children of the tests that serve; what other libraries left behind does not count."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if any("import serve" in word for word in process.cmdline()):
                found.append(process)
        except psutil.Error:  # it ended just now, or its parent has yet to hear of that
            continue
    return found
