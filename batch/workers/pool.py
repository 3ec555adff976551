"""Local worker processes with hard limits for every instance, whatever it does."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from multiprocessing.connection import wait
from typing import Protocol

from samapprox.batch.answer import Listener, bare
from samapprox.batch.question import Question
from samapprox.batch.results.outcome import NOTHING_YET, Outcome, packed_trail, unpacked_trail
from samapprox.batch.sets.entry import Entries, Entry
from samapprox.batch.workers.groups import Group
from samapprox.batch.workers.worker import DONE, FOUND, READY, SO_FAR
from samapprox.errors import InputError, SamapproxError
from samapprox.support.child import Child
from samapprox.verdict import Attempt

__all__ = ["Pool", "Work"]

_LOOK = 0.05  # seconds between two looks at the processes
_GRACE = 0.5  # seconds after the time limit: who keeps it by himself can still tell
_PATIENCE = 120.0  # seconds for a start, on whatever machine
_MOST_STARTS = 5  # in vain, one after another, until something must be wrong with the machine
_MEGABYTE = 1 << 20
_LEAST_MEMORY = 200 * _MEGABYTE  # the interpreter with its libraries takes nearly as much


class Work(Protocol):
    """What is left to do."""

    def take(self) -> Group | None:
        """The next group; None if there is none at present."""


class _Worker:
    """A process, what it is at, and what it has been given ahead."""

    def __init__(self, *, anew: bool) -> None:
        self.child = Child("samapprox.batch.workers.worker", anew=anew)
        self.anew = anew
        self.started = time.monotonic()
        self.ready = False
        self.fresh = True
        self.group: Group | None = None
        self.ahead: Group | None = None
        self.so_far: Outcome | None = None
        self._at = 0
        self._since = 0.0

    @property
    def left(self) -> Entries:
        """The entries of its group without a result; it is at the first of them."""
        return () if self.group is None else self.group.entries[self._at :]

    @property
    def seconds(self) -> float:
        """Since it began with the entry that it is at."""
        return time.monotonic() - self._since if self.ready and self.group is not None else 0.0

    def begin(self, question: Question) -> None:
        """Hand its group over; if the process is gone, its connection says so."""
        self._at, self._since, self.so_far = 0, time.monotonic(), None
        self.child.send((question, self.group))

    @property
    def hurries(self) -> bool:
        """Whether its group takes moments, and nothing waits behind it."""
        return self.ready and self.group is not None and self.group.together and not self.ahead

    def look_ahead(self, question: Question, group: Group) -> None:
        """Hand over a group for later: who is that quick must not wait for us in between."""
        self.ahead = group
        self.child.send_aside((question, group))

    def move_on(self, count: int) -> None:
        """So many results are there; the clock starts again."""
        self._at += count
        self._since, self.so_far, self.fresh = time.monotonic(), None, False

    def finish(self) -> None:
        """Its group is done; what it was given ahead begins."""
        self.group, self.ahead = self.ahead, None
        self._at, self._since, self.so_far = 0, time.monotonic(), None


class Pool:
    """Worker processes that live until the pool is closed, or they have to be ended.

    Parameters
    ----------
    question : Question
        With the limits of every instance.
    jobs : int
        Number of processes.
    tell : callable
        Told provisional results.

    Raises
    ------
    InputError
        A memory limit below 200 MB, which the libraries alone take.

    Notes
    -----
    Why not pebble or loky: they pass all results through one pipe with a lock, and a worker that is
    killed while it holds the lock takes the others with it; and their limits are those of a task,
    while here a group of instances is a task, and each instance has limits.
    """

    def __init__(self, question: Question, jobs: int, tell: Listener) -> None:
        limit = question.memory_limit
        if limit is not None and limit < _LEAST_MEMORY:
            raise InputError(
                f"the memory limit must be at least {_LEAST_MEMORY // _MEGABYTE} MB, "
                f"not {limit / _MEGABYTE:.3g} MB"
            )
        self._question = question
        self._jobs = jobs
        self._tell = tell
        self._workers: list[_Worker] = []
        self._again: deque[Group] = deque()
        self._found: list[Outcome] = []
        self._anew = False
        self._starts = 0
        self._looked = 0.0

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes, whatever they are at."""
        while self._workers:
            self._workers.pop().child.end()

    def run(self, work: Work) -> Iterator[list[Outcome]]:
        """Results as they come, until nothing is left.

        Raises
        ------
        SamapproxError
            Workers do not even start.
        """
        while True:
            self._assign(work)
            busy = {one.child.connection: one for one in self._workers if one.group is not None}
            if not busy:
                return
            for connection in wait(list(busy), _LOOK):
                self._listen(busy[connection])  # type: ignore[index]  # it gives what it was given
            self._look()
            self._assign(work)  # first of all nobody stands idle
            if self._found:
                found, self._found = self._found, []
                yield found

    # ------------------------------------------------------------ who does what

    def _assign(self, work: Work) -> None:
        """Groups for all who have none; new workers as long as there is something for them."""
        while True:
            idle = [worker for worker in self._workers if worker.group is None]
            if not idle and len(self._workers) >= self._jobs:
                break
            group = self._again.popleft() if self._again else work.take()
            if group is None:
                return
            worker = idle[0] if idle else None
            if worker is not None and group.alone and not worker.fresh:
                self._retire(worker)
                worker = None
            if worker is None:
                worker = _Worker(anew=self._anew)
                self._workers.append(worker)
            worker.group = group
            if worker.ready:
                worker.begin(self._question)
        for worker in self._workers:
            if worker.hurries and not self._again and (group := work.take()) is not None:
                worker.look_ahead(self._question, group)

    def _retire(self, worker: _Worker) -> int:
        """End it; what it was given ahead is for others."""
        self._workers.remove(worker)
        if worker.ahead is not None:
            self._again.append(worker.ahead)
        return worker.child.end()

    # ------------------------------------------------------------ what they say

    def _listen(self, worker: _Worker) -> None:
        """All that a worker has said by now, or that it is gone."""
        try:
            while worker.group is not None and worker.child.connection.poll():
                self._hear(worker, *worker.child.connection.recv())
        except (EOFError, OSError):
            self._lost(worker)

    def _hear(self, worker: _Worker, kind: str, content: object) -> None:
        if kind == READY:
            worker.ready, self._starts = True, 0
            worker.begin(self._question)
        elif kind == SO_FAR:
            assert isinstance(content, Outcome)
            worker.so_far = content
            self._tell(content)
        elif kind == FOUND:
            assert isinstance(content, list)
            self._found += content
            worker.move_on(len(content))
        elif kind == DONE:
            assert not worker.left, "a worker passed over some of its entries"
            limit = self._question.memory_limit
            if limit is not None and worker.child.resident() > limit / 2:
                self._retire(worker)  # what it still holds is not the next one's fault
                worker.group = None
            else:
                worker.finish()

    # ------------------------------------------------------------ who must be ended

    def _look(self) -> None:
        """End those beyond a limit."""
        if time.monotonic() - self._looked < _LOOK:
            return
        self._looked = time.monotonic()
        limit, memory = self._question.time_limit, self._question.memory_limit
        for worker in list(self._workers):
            if not worker.ready and time.monotonic() - worker.started > _PATIENCE:
                self._lost(worker)
            elif worker.seconds > limit + _GRACE:
                self._retire(worker)
                self._settle(worker, f"ended: over the time limit of {limit:g} s", certain=True)
            elif memory is not None and worker.seconds and worker.child.resident() > memory:
                self._retire(worker)
                why = f"ended: over the memory limit of {memory / _MEGABYTE:.0f} MB"
                self._settle(worker, why, certain=worker.fresh)

    def _lost(self, worker: _Worker) -> None:
        """A process ended by itself, or somebody ended it."""
        status = self._retire(worker)
        if worker.ready:
            why = f"its process ended with status {status}, twice"
            self._settle(worker, why, certain=worker.fresh, crashed=True)
            return
        self._starts += worker.anew
        self._anew = True  # who did not start may have been a copy of us: make no more of them
        if self._starts >= _MOST_STARTS:
            raise SamapproxError(f"worker processes do not start (status {status})")
        assert worker.group is not None
        self._again.appendleft(worker.group)

    def _settle(self, worker: _Worker, why: str, *, certain: bool, crashed: bool = False) -> None:
        """After the end of a worker: blame the entry it was at, or try it again alone."""
        group, left = worker.group, worker.left
        if group is None or not left:
            return
        if group.together:  # whose fault it was, their results one by one will tell
            self._again.appendleft(Group(left))
            return
        if len(left) > 1:
            self._again.appendleft(Group(left[1:]))
        if (certain and not crashed) or group.alone:
            self._found.append(_ended(left[0], worker, why, self._question, crashed))
        else:
            self._again.appendleft(Group(left[:1], alone=True))


def _ended(entry: Entry, worker: _Worker, why: str, question: Question, crashed: bool) -> Outcome:
    """The result of who had to be ended: what was proven by then."""
    so_far = worker.so_far or bare(entry)._replace(verdict=NOTHING_YET[question.task])
    seconds = worker.seconds
    trail = ((None, Attempt("process", seconds, why)),)
    return so_far._replace(
        verdict="ERROR" if crashed else so_far.verdict,
        seconds=seconds,
        error=why,
        trail=packed_trail((*unpacked_trail(so_far.trail), *trail)),
    )
