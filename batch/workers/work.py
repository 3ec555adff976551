"""The unanswered entries of a set, in groups."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress

from samapprox.batch.sets.entry import Entries, Entry
from samapprox.batch.sets.sets import InstanceSet, entries_of_file
from samapprox.batch.sets.stack_entries import StackEntries
from samapprox.batch.workers.groups import Group

__all__ = ["SetWork"]

_MOST_TOGETHER = 512
_LEAST_TOGETHER = 64  # a transaction for fewer is not worthwhile
_MOST_IN_A_ROW = 16


class SetWork:
    """The unanswered entries of a set, taken in groups.

    Parameters
    ----------
    instances : InstanceSet
    finished : dict of str to str
        The names of entries with results, and their stamps.
    together : bool
        Whether the entries of a group may be answered at once.
    jobs : int
        The number of workers: groups become smaller when few entries are left for each.

    Attributes
    ----------
    total, done : int
        The number of entries found so far, and of those with a result.
    skipped : set of str
        The names of the entries that had a result before.

    Examples
    --------
    >>> from samapprox.batch.sets.sets import open_set
    >>> work = SetWork(open_set(["line:rows=3,columns=4,count=100"]), {}, True, jobs=1)
    >>> [len(work.take().entries) for _ in range(2)], work.take(), work.total
    ([64, 36], None, 100)
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

    def take(self) -> Group | None:
        """Return the next group; None if there is none, until a file turns out to hold stacks.

        Returns
        -------
        Group or None
        """
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
        return Group(taken, self._together)

    def expand(self, entry: Entry) -> None:
        """Supply the matrices of a file with stacks next, in place of the file.

        Parameters
        ----------
        entry : Entry
            The file, which `take` returned before.
        """
        self.total -= 1
        self._given -= 1
        self._lists.append(self._counted(entries_of_file(entry)))

    def finish(self, count: int) -> None:
        """Count more entries as answered."""
        self.done += count

    def _counted(self, parts: Iterator[Entries]) -> Iterator[Entries]:
        for part in parts:
            self.total += len(part)
            yield part

    def _unfinished(self, entries: Entries) -> Entries:
        """The entries without a result for the same stamp."""
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
