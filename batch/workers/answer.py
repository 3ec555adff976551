"""The result of one entry for a question, in any process."""

from __future__ import annotations

import contextlib
import platform
import sys
from contextlib import suppress
from pathlib import Path

from samapprox.batch.results.known_tasks import NOTHING_YET, Task
from samapprox.batch.results.outcome import OnOutcome, Outcome, packed_pattern
from samapprox.batch.results.question import Question
from samapprox.batch.results.trivial_bounds import trivial_bounds
from samapprox.batch.sets.entry import Entry, HoldsStacks, JudgedRun, load_run_of, place, printable
from samapprox.batch.sets.facts import known_answer, known_bounds, with_known
from samapprox.batch.workers.tasks import solve
from samapprox.errors import InputError
from samapprox.instance import Instance
from samapprox.pattern import Pattern
from samapprox.support.limits import search_clock
from samapprox.vectors import VectorSet

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def forget_peak() -> None:
    """Start a new measurement on Linux; elsewhere, do nothing."""
    with contextlib.suppress(OSError):
        _CLEAR.write_text("5")


def peak() -> int | None:
    """Return the peak of resident bytes since `forget_peak`, or the start; None if unknown."""
    try:
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


HOST = platform.node()


def bare(entry: Entry) -> Outcome:
    """Return the result of an entry that is not loaded: ERROR, unless the verdict is replaced.

    >>> from samapprox.batch.sets.entry import Unreadable
    >>> found = bare(Entry("set/L2_H7.npz", "", Unreadable("no permission")))
    >>> found.verdict, found.layer, found.head
    ('ERROR', 2, 7)
    """
    layer, head = place(entry.name, {})
    return Outcome(
        name=entry.name,
        stamp=entry.stamp,
        family=entry.family,
        layer=layer,
        head=head,
        verdict="ERROR",
        host=HOST,
    )


def about(entry: Entry, question: Question, instance: Instance | VectorSet) -> Outcome:
    """Return the result of a loaded entry, with the bounds of every instance of its shape.

    >>> from samapprox.batch.sets.entry import Generated
    >>> entry = Entry("line", "", Generated("line", {"rows": 4, "columns": 5}))
    >>> found = about(entry, Question("dim"), entry.load())
    >>> found.verdict, found.lower, found.upper
    ('INTERVAL', 1, 4)
    """
    if isinstance(instance, VectorSet):
        return _about_vectors(entry, question, instance)
    pattern = instance.pattern
    rows, columns = pattern.shape
    layer, head = place(entry.name, instance.origin)
    family = instance.origin.get("family")
    lower, upper = trivial_bounds(question, pattern)
    known_lower, known_upper = known_bounds(instance.facts, question, entry.known)
    return Outcome(
        name=entry.name,
        stamp=entry.stamp,
        family=entry.family if family is None else str(family),
        layer=layer,
        head=head,
        sha256=pattern.sha256,
        rows=rows,
        columns=columns,
        ones=pattern.count,
        verdict=NOTHING_YET[question.task],
        lower=lower,
        upper=upper,
        known=known_answer(instance.facts, question, entry.known),
        known_lower=known_lower,
        known_upper=known_upper,
        host=HOST,
        pattern=packed_pattern(pattern),
    )


def _about_vectors(entry: Entry, question: Question, vectors: VectorSet) -> Outcome:
    """Return the result of a loaded set of vectors."""
    from samapprox.batch.workers.vectors import bounds_of

    sets = [one for one in (vectors.first, vectors.second) if one is not None]
    family = vectors.origin.get("family")
    lower, upper = bounds_of(question, vectors)
    outcome = bare(entry)._replace(
        family=entry.family if family is None else str(family),
        sha256=vectors.sha256,
        rows=sum(map(len, sets)),
        columns=sets[0].shape[1],
        ones=sum(int(one.sum()) for one in sets) if vectors.is_boolean else None,
        verdict=NOTHING_YET[question.task],
        lower=lower,
        upper=upper,
    )
    return with_known(outcome, vectors.known) if question.task == "orthogonal" else outcome


def as_error(outcome: Outcome, error: Exception) -> Outcome:
    """Return a result as an ERROR; exceptions other than `InputError` are reported as bugs.

    >>> from samapprox.batch.sets.entry import Unreadable
    >>> entry = Entry("p.npz", "", Unreadable("p.npz: no permission"))
    >>> as_error(bare(entry), InputError("p.npz: no permission")).error
    'p.npz: no permission'
    >>> as_error(bare(entry), ZeroDivisionError("division by zero")).error
    'internal error, please report it: ZeroDivisionError: division by zero'
    """
    if isinstance(error, InputError):
        message = str(error)
    elif isinstance(error, MemoryError):
        message = "not enough memory"
    else:
        message = f"internal error, please report it: {type(error).__name__}: {error}"
    return outcome._replace(verdict="ERROR", error=printable(" ".join(message.split())))


def answer(entry: Entry, question: Question, progress: OnOutcome) -> Outcome:
    """Load an entry and answer the question about it; any failure gives the verdict ERROR.

    The callback receives a provisional result once the pattern is loaded, then whenever a bound
    improves. HoldsStacks is raised for a file with stacks, whose matrices are entries of their own.
    """
    forget_peak()
    start = search_clock.now()
    instance = load_entry(entry, question)
    if isinstance(instance, Outcome):
        return instance
    try:
        first = about(entry, question, instance)
    except InputError as error:  # facts about vectors that make no sense
        return as_error(bare(entry), error)
    progress(first)
    try:
        found = solve(first, question, _subject(entry, question, instance), progress)
    except Exception as error:
        found = as_error(first, error)
    return found._replace(seconds=search_clock.now() - start, memory=peak())


def _subject(
    entry: Entry, question: Question, instance: Instance | VectorSet
) -> Pattern | VectorSet | JudgedRun | None:
    """Return what the task takes: for runs also the judgements, whose grades a pattern lacks."""
    if question.runs is not None:
        return load_run_of(entry, question.runs)
    return instance.pattern if isinstance(instance, Instance) else instance


def load_entry(entry: Entry, question: Question) -> Instance | VectorSet | Outcome:
    """Load an entry as the question sees it; an ERROR if it cannot be loaded."""
    start = search_clock.now()
    try:
        if question.is_about_vectors:
            return entry.load_vectors()
        instance = _load(entry.graded(question.grading), question.task)
        return instance.causal() if question.causal else instance
    except HoldsStacks:
        raise
    except Exception as error:
        outcome = as_error(bare(entry), error)
        return outcome._replace(seconds=search_clock.now() - start)


def _load(entry: Entry, task: Task) -> Instance:
    """Load a pattern; for ranks a sign matrix, and to verify certificates what the file holds."""
    if task == "verify":
        with suppress(InputError):
            return entry.load()
    return entry.load(signs=task in ("rank", "verify"))
