"""Groups of entries, which share a message to a worker: how a set is divided, and the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import compress

from samapprox.batch.results.outcome import OnOutcome, Outcome
from samapprox.batch.results.question import Question
from samapprox.batch.sets.entry import Entries, Entry, HoldsStacks, StackEntries
from samapprox.batch.sets.sets import InstanceSet, entries_of_file
from samapprox.batch.workers.answer import about, answer, as_error, forget_peak, load_entry, peak
from samapprox.batch.workers.tasks import decide_on_line
from samapprox.instance import Instance
from samapprox.support.limits import search_clock
from samapprox.vectors import VectorSet

_MOST_SECONDS = 0.25  # before the results of a group are sent
_MOST_ENTRIES = 1 << 20  # entries of the patterns that are decided together

Expand = Callable[[Entry], None]
"""A callback for files with stacks, whose matrices are instances of their own."""


@dataclass(frozen=True, slots=True)
class Group:
    """Entries that a worker receives in one message."""

    entries: Entries
    # whether all may be answered at once; otherwise their results come one by one, which
    # shows the instance that exceeds a limit.
    together: bool = False
    # whether the worker must be a new one, because an earlier worker ended at this entry.
    alone: bool = False


def is_line(question: Question) -> bool:
    """Return whether an instance takes microseconds: d = 1, dot products, independent queries.

    >>> is_line(Question("decide", d=1)), is_line(Question("decide", d=1, d_hid=1))
    (True, False)
    """
    specified = not question.causal and question.unjudged == "zero"  # don't-cares make it a search
    plain = question.similarity_record.is_attention and question.d_hid != 1
    return question.task == "decide" and question.d == 1 and plain and specified


def answers(
    group: Group, question: Question, progress: OnOutcome, expand: Expand
) -> Iterator[list[Outcome]]:
    """Yield the answers to the question about the entries of a group, in their order.

    `expand` receives each file with stacks, after the results of all entries before it.

    >>> from samapprox.batch.sets.entry import Generated
    >>> sources = [Generated("line", {"rows": 3, "columns": 3, "seed": seed}) for seed in (1, 2)]
    >>> entries = [Entry(f"{number}", "", source) for number, source in enumerate(sources)]
    >>> found = answers(Group(entries, together=True), Question("decide", d=1), print, print)
    >>> [[outcome.verdict for outcome in some] for some in found]
    [['YES', 'YES']]
    """
    if group.together and is_line(question):
        yield from _line(group.entries, question, progress, expand)
        return
    for entry in group.entries:
        try:
            outcome = answer(entry, question, progress)
        except HoldsStacks:
            expand(entry)
        else:
            yield [outcome]


def _line(
    entries: Entries, question: Question, progress: OnOutcome, expand: Expand
) -> Iterator[list[Outcome]]:
    """Load and decide some entries at a time; patterns with don't-cares are searched one by one."""
    start = search_clock.now()
    size = 0
    some: list[tuple[Entry, Instance | Outcome]] = []
    forget_peak()
    for entry in entries:
        stacks = search = False
        try:
            instance = load_entry(entry, question)
        except HoldsStacks:
            stacks = True
        else:
            assert not isinstance(instance, VectorSet)  # the line is a question about patterns
            if isinstance(instance, Instance):
                size += instance.pattern.size
                search = not instance.pattern.is_specified
            if not search:
                some.append((entry, instance))
        late = search_clock.now() - start > _MOST_SECONDS
        if stacks or search or late or size > _MOST_ENTRIES:
            if some:
                yield _together(some, question, start)
            if stacks:
                expand(entry)
            if search:
                yield [answer(entry, question, progress)]
            start, size, some = search_clock.now(), 0, []
            forget_peak()
    if some:
        yield _together(some, question, start)


def _together(
    some: list[tuple[Entry, Instance | Outcome]], question: Question, start: float
) -> list[Outcome]:
    """Results for loaded entries; seconds and memory are shared evenly."""
    from samapprox.solvers.questions.decide_many import decide_many

    patterns = [one.pattern for _, one in some if isinstance(one, Instance)]
    try:
        verdicts = decide_many(patterns, 1, question.d_hid)
        certificates = map(verdicts.certificate, range(len(patterns)))
        found = [
            one
            if isinstance(one, Outcome)
            else decide_on_line(about(entry, question, one), next(certificates))
            for entry, one in some
        ]
    except Exception as error:  # the failing one fails alone, too, with its own reason
        if len(some) == 1:
            entry, one = some[0]
            assert isinstance(one, Instance)
            return [as_error(about(entry, question, one), error)]
        return [outcome for one in some for outcome in _together([one], question, start)]
    seconds = (search_clock.now() - start) / len(some)
    memory = peak()
    return [outcome._replace(seconds=seconds, memory=memory) for outcome in found]


_MOST_TOGETHER = 512
_LEAST_TOGETHER = 64  # a transaction for fewer is not worthwhile
_MOST_IN_A_ROW = 16


class SetWork:
    """The unanswered entries of a set, taken in groups.

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
        """Return the next group; None if there is none, until a file turns out to hold stacks."""
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
        """Supply the matrices of a file with stacks next, in place of the file."""
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
