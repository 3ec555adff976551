"""Entries in portions that are worth handing over, and the answers to them one after another."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from samapprox.batch.answer import Listener, about, answer, as_error, load_entry, of_line
from samapprox.batch.question import Question
from samapprox.batch.results.outcome import Outcome
from samapprox.batch.sets.entry import Entries, Entry
from samapprox.batch.workers.memory import forget_peak, peak
from samapprox.instance import Instance

__all__ = ["Group", "answers", "is_line"]

_MOST_SECONDS = 0.25  # until what a group has found is handed over
_MOST_ENTRIES = 1 << 20  # of the patterns that are decided together


@dataclass(frozen=True, slots=True)
class Group:
    """What a worker is given at once.

    Attributes
    ----------
    entries : sequence of Entry
    together : bool
        Whether they may be answered all at once; else their results come one by one, and who
        takes too long or too much is known by name.
    alone : bool
        Whether the worker must be a fresh one: its end was met before, and somebody is to blame.
    """

    entries: Entries
    together: bool = False
    alone: bool = False


def is_line(question: Question) -> bool:
    """Whether an instance takes microseconds: d = 1 with queries and keys of their own.

    Examples
    --------
    >>> is_line(Question("decide", d=1)), is_line(Question("decide", d=1, d_hid=1))
    (True, False)
    """
    free = question.d_hid != 1 and not question.causal  # don't-cares make it a search
    return question.task == "decide" and question.d == 1 and free


def answers(group: Group, question: Question, tell: Listener) -> Iterator[list[Outcome]]:
    """Results in the order of the entries, as many at a time as have come together.

    Parameters
    ----------
    group : Group
    question : Question
    tell : callable
        See `samapprox.batch.answer.answer`.

    Examples
    --------
    >>> from samapprox.batch.sets.entry import Generated
    >>> made = [Generated("line", {"rows": 3, "columns": 3, "seed": seed}) for seed in (1, 2)]
    >>> group = Group([Entry(f"{at}", "", source) for at, source in enumerate(made)], together=True)
    >>> found = answers(group, Question("decide", d=1), tell=lambda so_far: None)
    >>> [[outcome.verdict for outcome in some] for some in found]
    [['YES', 'YES']]
    """
    if group.together and is_line(question):
        yield from _line(group.entries, question, tell)
    else:
        for entry in group.entries:
            yield [answer(entry, question, tell)]


def _line(entries: Entries, question: Question, tell: Listener) -> Iterator[list[Outcome]]:
    """Load some, decide them at once, and so on; those with don't-cares need a search."""
    start = time.monotonic()
    size = 0
    some: list[tuple[Entry, Instance | Outcome]] = []
    forget_peak()
    for entry in entries:
        instance = load_entry(entry, question)
        search = isinstance(instance, Instance) and not instance.pattern.is_specified
        if not search:
            some.append((entry, instance))
        if isinstance(instance, Instance):
            rows, columns = instance.pattern.shape
            size += rows * columns
        late = time.monotonic() - start > _MOST_SECONDS
        if search or late or size > _MOST_ENTRIES:
            yield _together(some, question, start)
            if search:
                yield [answer(entry, question, tell)]
            start, size, some = time.monotonic(), 0, []
            forget_peak()
    if some:
        yield _together(some, question, start)


def _together(
    some: list[tuple[Entry, Instance | Outcome]], question: Question, start: float
) -> list[Outcome]:
    """Results for loaded entries; seconds and memory are shared evenly."""
    from samapprox.solvers.decide_many import decide_many

    if not some:
        return []
    patterns = [one.pattern for _, one in some if isinstance(one, Instance)]
    try:
        verdicts = decide_many(patterns, 1, question.d_hid)
        certificates = map(verdicts.certificate, range(len(patterns)))
        found = [
            one
            if isinstance(one, Outcome)
            else of_line(about(entry, question, one), next(certificates))
            for entry, one in some
        ]
    except Exception as error:  # one of them fails alone, too, and says why
        if len(some) == 1:
            entry, one = some[0]
            assert isinstance(one, Instance)
            return [as_error(about(entry, question, one), error)]
        return [outcome for one in some for outcome in _together([one], question, start)]
    seconds = (time.monotonic() - start) / len(some)
    memory = peak()
    return [outcome._replace(seconds=seconds, memory=memory) for outcome in found]
