"""What of a set is left to do, cut into groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress

from samapprox.batch.results.outcome import HOLDS_STACKS, Outcome
from samapprox.batch.sets.entry import Entries, Entry, File
from samapprox.batch.sets.sets import InstanceSet, entries_of_file
from samapprox.batch.sets.stack_entries import StackEntries
from samapprox.batch.workers.groups import Group

__all__ = ["SetWork"]

_MOST_TOGETHER = 512
_LEAST_TOGETHER = 64  # fewer are not worth a transaction
_MOST_IN_A_ROW = 16


class SetWork:
    """Groups of the entries of a set that have no result yet, taken one after another.

    Parameters
    ----------
    instances : InstanceSet
    finished : dict of str to str
        Names with results, and their stamps.
    together : bool
        Whether groups may be answered at once.
    jobs : int
        Who shares the work: the fewer entries are left for each, the smaller the groups.

    Attributes
    ----------
    total, done : int
        Entries known of so far, and those with a result.
    skipped : set of str
        Names of those that had one before.
    """

    def __init__(
        self, instances: InstanceSet, finished: dict[str, str], together: bool, jobs: int
    ) -> None:
        self.total = instances.count
        self.done = 0
        self.skipped: set[str] = set()
        self._given = 0  # or skipped
        self._finished = finished
        self._together = together
        self._jobs = jobs
        self._rest: Entries = ()
        self._lists = [iter(instances)]
        self._files: dict[str, Entry] = {}

    def take(self) -> Group | None:
        """The next group; None if there is none, unless a file turns out to hold stacks."""
        while not self._rest:
            if not self._lists:
                return None
            entries = next(self._lists[-1], None)
            if entries is None:
                self._lists.pop()
            else:
                self._rest = self._unfinished(entries)
        left = (self.total - self._given) // self._jobs
        if self._together:
            size = max(_LEAST_TOGETHER, min(_MOST_TOGETHER, left // 2))
        else:
            size = max(1, min(_MOST_IN_A_ROW, left // 8))
        taken, self._rest = self._rest[:size], self._rest[size:]
        self._given += len(taken)
        if not isinstance(taken, StackEntries):
            self._files.update({e.name: e for e in taken if isinstance(e.source, File)})
        return Group(taken, self._together)

    def answered(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """The results among them; files that hold stacks are taken apart for the next groups."""
        found = []
        for outcome in outcomes:
            file = self._files.pop(outcome.name, None)
            if outcome.verdict == HOLDS_STACKS:
                assert file is not None
                self.total -= 1
                self._given -= 1
                self._lists.append(self._counted(entries_of_file(file)))
            else:
                found.append(outcome)
        self.done += len(found)
        return found

    def _counted(self, parts: Iterator[Entries]) -> Iterator[Entries]:
        for part in parts:
            self.total += len(part)
            yield part

    def _unfinished(self, entries: Entries) -> Entries:
        """Those without a result of the same stamp."""
        if not self._finished:
            return entries
        if isinstance(entries, StackEntries):
            names, when = entries.names, entries.stamp
            done = [self._finished.get(name) == when for name in names]
        else:
            names = [entry.name for entry in entries]
            done = [self._finished.get(entry.name) == entry.stamp for entry in entries]
        self.done += sum(done)
        self._given += sum(done)
        if all(done):
            self.skipped.update(names)
            return ()
        self.skipped.update(compress(names, done))
        if isinstance(entries, StackEntries):
            return entries.without(done) if any(done) else entries
        return tuple(entry for entry, over in zip(entries, done, strict=True) if not over)
