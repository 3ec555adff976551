"""A worker process: it takes groups of entries and sends results as they come."""

from __future__ import annotations

import sys

from samapprox.batch.results.outcome import Outcome
from samapprox.batch.sets.entry import Entry
from samapprox.batch.workers.groups import answers
from samapprox.support.child import channel
from samapprox.support.clock import Change, search_clock

__all__ = ["CLOCK", "DONE", "FOUND", "READY", "SO_FAR", "STACKS", "serve"]

READY = "ready"
"""The worker has imported everything."""

CLOCK = "clock"
"""The clock of searches stops or goes on, since a kernel is compiled: see `Change`."""

SO_FAR = "so far"
"""A message with a provisional result of the present entry."""

FOUND = "found"
"""A message with a list of results, in the order of the group."""

STACKS = "stacks"
"""The present entry is a file with stacks: it has no result, and its matrices are entries."""

DONE = "done"
"""The group is finished."""


def serve() -> None:
    """Answer one group after another until the parent closes the pipe."""
    tasks, results = channel()

    def progress(outcome: Outcome) -> None:
        results.send((SO_FAR, outcome))

    def report(change: Change) -> None:
        results.send((CLOCK, change))

    def expand(_entry: Entry) -> None:
        results.send((STACKS, None))

    search_clock.report = report
    try:
        results.send((READY, None))
        while True:
            question, group = tasks.recv()
            for found in answers(group, question, progress, expand):
                results.send((FOUND, found))
            results.send((DONE, None))
    except (EOFError, BrokenPipeError):
        sys.exit(0)
