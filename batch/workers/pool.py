"""Local worker processes, with hard limits for every instance: the pool, and the work of each."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterator
from multiprocessing.connection import wait
from typing import Protocol

from samapprox.batch.results.known_tasks import NOTHING_YET
from samapprox.batch.results.outcome import OnOutcome, Outcome, packed_trail, unpacked_trail
from samapprox.batch.results.question import Question
from samapprox.batch.sets.entry import Entries, Entry
from samapprox.batch.workers.answer import bare
from samapprox.batch.workers.groups import Group, answers
from samapprox.errors import SamapproxError
from samapprox.results.verdict import Attempt
from samapprox.support.child import Child, channel
from samapprox.support.limits import LOOK, Change, Clock, Limits, search_clock

_PATIENCE = 120.0  # seconds for a start, even on a slow machine
_MOST_STARTS = 5  # failed starts in a row, after which the run gives up

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


class Work(Protocol):
    """A supply of groups."""

    def take(self) -> Group | None:
        """Return the next group; None if there is none at present."""

    def expand(self, entry: Entry) -> None:
        """Supply the matrices of a file with stacks in place of the file."""


class _Worker:
    """A process, its present group, and the group that waits in its pipe."""

    def __init__(self, question: Question, *, anew: bool) -> None:
        self.child = Child("samapprox.batch.workers.pool", anew=anew)
        self.anew = anew
        self.started = time.monotonic()
        self.ready = False
        self.fresh = True
        self.group: Group | None = None
        self.ahead: Group | None = None
        self.so_far: Outcome | None = None
        self.clock = Clock()
        self._question = question
        self._at = 0
        self._since = 0.0

    @property
    def left(self) -> Entries:
        """The entries of the group without a result; the process works on the first."""
        return () if self.group is None else self.group.entries[self._at :]

    @property
    def busy(self) -> bool:
        """Whether the process works on an entry."""
        return self.ready and self.group is not None

    @property
    def seconds(self) -> float:
        """The time since the process began its present entry, without that of compiling."""
        return self.clock.now() - self._since if self.busy else 0.0

    @property
    def hurries(self) -> bool:
        """Whether the group takes moments, and no other group waits."""
        return self.busy and self.group is not None and self.group.together and not self.ahead

    def begin(self) -> None:
        """Send the group; if the process is gone, the closed connection shows it."""
        self._at, self._since, self.so_far = 0, self.clock.now(), None
        self.child.send((self._question, self.group))

    def look_ahead(self, group: Group) -> None:
        """Send a group for later, so that a fast worker need not wait for its next group."""
        self.ahead = group
        self.child.send_aside((self._question, group))

    def move_on(self, count: int) -> None:
        """Count entries as settled, and restart the clock."""
        self._at += count
        self._since, self.so_far, self.fresh = self.clock.now(), None, False

    def finish(self) -> None:
        """End the present group, and begin the one that was sent ahead."""
        self.group, self.ahead = self.ahead, None
        self._at, self._since, self.so_far = 0, self.clock.now(), None


class Pool:
    """Worker processes that live until the pool is closed or a limit is exceeded.

    pebble and loky do not serve here: they pass all results through one pipe with a lock, so that a
    worker that is killed while it holds the lock blocks all others. And they limit tasks, while
    here a task is a group of instances, each with its own limits.
    """

    def __init__(self, question: Question, jobs: int, progress: OnOutcome) -> None:
        self._limits = Limits(question.time_limit, question.memory_limit)
        self._question = question
        self._jobs = jobs
        self._progress = progress
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
        """End all processes at once."""
        while self._workers:
            self._workers.pop().child.end()

    def run(self, work: Work) -> Iterator[list[Outcome]]:
        """Answer the question about all entries of the work.

        Parameters
        ----------
        work : Work
            The entries, in groups.

        Yields
        ------
        list of Outcome
            The results as they come, until no entry is left.

        Raises
        ------
        SamapproxError
            Workers fail to start.
        """
        self._assign(work)
        for worker in self._workers:  # progress is shown from now on, and not from the first result
            if worker.left:
                self._progress(_unanswered(worker.left[0], self._question))
        while True:
            self._assign(work)
            busy = {one.child.connection: one for one in self._workers if one.group is not None}
            if not busy:
                return
            ready = set(wait(list(busy), LOOK))
            for worker in (one for connection, one in busy.items() if connection in ready):
                self._listen(worker, work)
            self._look()
            self._assign(work)  # before the results are written: no worker waits for that
            if self._found:
                found, self._found = self._found, []
                yield found

    # ------------------------------------------------------------ assigning

    def _assign(self, work: Work) -> None:
        """Give a group to every worker without one; start workers as long as groups are left."""
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
                worker = _Worker(self._question, anew=self._anew)
                self._workers.append(worker)
            worker.group = group
            if worker.ready:
                worker.begin()
        for worker in self._workers:
            if worker.hurries and not self._again and (group := work.take()) is not None:
                worker.look_ahead(group)

    def _retire(self, worker: _Worker) -> int:
        """End a worker and return its exit status; its waiting group goes to another worker."""
        self._workers.remove(worker)
        if worker.ahead is not None:
            self._again.append(worker.ahead)
        return worker.child.end()

    # ------------------------------------------------------------ listening

    def _listen(self, worker: _Worker, work: Work) -> None:
        """Receive all messages of a worker so far, or handle its end."""
        try:
            while worker.group is not None and worker.child.connection.poll():
                self._receive(worker, work, *worker.child.connection.recv())
        except (EOFError, OSError):
            self._lost(worker)

    def _receive(self, worker: _Worker, work: Work, kind: str, content: object) -> None:
        if kind == READY:
            worker.ready, self._starts = True, 0
            worker.begin()
        elif kind == CLOCK:
            assert isinstance(content, Change)
            worker.clock.follow(content)
        elif kind == SO_FAR:
            assert isinstance(content, Outcome)
            worker.so_far = content
            self._progress(content)
        elif kind == FOUND:
            assert isinstance(content, list)
            self._found += content
            worker.move_on(len(content))
        elif kind == STACKS:
            work.expand(worker.left[0])
            worker.move_on(1)
        elif kind == DONE:
            assert not worker.left, "a worker passed over some of its entries"
            memory = self._limits.memory
            if memory is not None and worker.child.resident() > memory / 2:
                self._retire(worker)  # what it still holds must not count against the next entry
                worker.group = None
            else:
                worker.finish()

    # ------------------------------------------------------------ ending

    def _look(self) -> None:
        """End the workers that exceed a limit."""
        if time.monotonic() - self._looked < LOOK:
            return
        self._looked = time.monotonic()
        for worker in list(self._workers):
            if not worker.ready and time.monotonic() - worker.started > _PATIENCE:
                self._lost(worker)
            elif worker.busy and (excess := self._limits.excess(worker.child, worker.seconds)):
                self._retire(worker)
                certain = worker.fresh or excess.limit == "time"
                self._settle(worker, excess.reason, certain=certain)

    def _lost(self, worker: _Worker) -> None:
        """Handle a process that crashed or was ended from outside."""
        status = self._retire(worker)
        if worker.ready:
            why = f"its process ended with status {status}, twice"
            self._settle(worker, why, certain=worker.fresh, crashed=True)
            return
        self._starts += worker.anew
        self._anew = True  # the one that did not start may have been a fork: make no more of them
        if self._starts >= _MOST_STARTS:
            raise SamapproxError(f"worker processes do not start (status {status})")
        assert worker.group is not None
        self._again.appendleft(worker.group)

    def _settle(self, worker: _Worker, why: str, *, certain: bool, crashed: bool = False) -> None:
        """After the end of a worker, fail its present entry, or try this entry again alone."""
        group, left = worker.group, worker.left
        if group is None or not left:
            return
        if group.together:  # one by one, the results show which entry it was
            self._again.appendleft(Group(left))
            return
        if len(left) > 1:
            self._again.appendleft(Group(left[1:]))
        if (certain and not crashed) or group.alone:
            self._found.append(_ended(left[0], worker, why, self._question, crashed))
        else:
            self._again.appendleft(Group(left[:1], alone=True))


def _ended(entry: Entry, worker: _Worker, why: str, question: Question, crashed: bool) -> Outcome:
    """The result of an entry whose process was ended: the bounds proven by then."""
    so_far = worker.so_far or _unanswered(entry, question)
    seconds = worker.seconds
    trail = ((None, Attempt("process", seconds, why)),)
    return so_far._replace(
        verdict="ERROR" if crashed else so_far.verdict,
        seconds=seconds,
        error=why,
        trail=packed_trail((*unpacked_trail(so_far.trail), *trail)),
    )


def _unanswered(entry: Entry, question: Question) -> Outcome:
    """The provisional result of an entry about which nothing is proven yet."""
    return bare(entry)._replace(verdict=NOTHING_YET[question.task])
