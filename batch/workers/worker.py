"""A worker process: takes groups of entries, tells results as they come."""

from __future__ import annotations

import sys

from samapprox.batch.results.outcome import Outcome
from samapprox.batch.workers.groups import answers
from samapprox.support.child import channel

__all__ = ["DONE", "FOUND", "READY", "SO_FAR", "serve"]

READY = "ready"
"""Said once all is imported."""

SO_FAR = "so far"
"""With a provisional result of the instance at hand."""

FOUND = "found"
"""With a list of results, in the order of the group."""

DONE = "done"
"""The group is finished."""


def serve() -> None:
    """Answer until there is nobody to ask."""
    tasks, results = channel()
    try:
        results.send((READY, None))
        while True:
            question, group = tasks.recv()

            def tell(outcome: Outcome) -> None:
                results.send((SO_FAR, outcome))

            for found in answers(group, question, tell):
                if found:
                    results.send((FOUND, found))
            results.send((DONE, None))
    except (EOFError, BrokenPipeError):
        sys.exit(0)
