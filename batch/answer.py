"""From an entry and a question to its result: what a worker does, in any process."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable

from samapprox.batch.question import Question
from samapprox.batch.results.outcome import (
    HOLDS_STACKS,
    NOTHING_YET,
    Outcome,
    packed_certificate,
    packed_pattern,
    packed_trail,
)
from samapprox.batch.sets.certificates import certificates_of
from samapprox.batch.sets.entry import Entry, HoldsStacks, place, printable
from samapprox.batch.sets.implied import known_answer, known_bounds
from samapprox.batch.workers.memory import forget_peak, peak
from samapprox.dimension import WeakDimension
from samapprox.errors import InputError
from samapprox.instance import Instance
from samapprox.pattern import Pattern
from samapprox.proofs.certificate import Certificate
from samapprox.verdict import Attempt

__all__ = ["Listener", "about", "answer", "as_error", "bare", "load_entry", "of_line"]

Listener = Callable[[Outcome], None]
"""Told what is known of an instance so far, now and then."""

HOST = platform.node()
_TELL_EVERY = 0.5  # seconds


def answer(entry: Entry, question: Question, tell: Listener) -> Outcome:
    """Load an entry and answer the question about it.

    Parameters
    ----------
    entry : Entry
    question : Question
    tell : callable
        Told a provisional result once the pattern is loaded; then with ``dim`` whenever a bound is
        better, with ``decide`` the trail every half second.

    Returns
    -------
    Outcome
        ERROR for whatever goes wrong, so that the run goes on.

    Examples
    --------
    >>> from samapprox.batch.sets.entry import Generated
    >>> entry = Entry("line", "", Generated("line", {"rows": 4, "columns": 5}))
    >>> found = answer(entry, Question("dim"), tell=lambda so_far: None)
    >>> found.verdict, found.lower, found.upper, found.known
    ('EXACT', 1, 1, None)
    """
    forget_peak()
    start = time.perf_counter()
    instance = load_entry(entry, question)
    if isinstance(instance, Outcome):
        return instance
    first = about(entry, question, instance)
    tell(first)
    try:
        found = _TASKS[question.task](first, question, instance.pattern, tell)
    except Exception as error:
        found = as_error(first, error)
    return found._replace(seconds=time.perf_counter() - start, memory=peak())


def load_entry(entry: Entry, question: Question) -> Instance | Outcome:
    """The instance as the question sees it, or why it cannot be had."""
    start = time.perf_counter()
    try:
        instance = entry.load()
        return instance.causal() if question.causal else instance
    except HoldsStacks:
        return bare(entry)._replace(verdict=HOLDS_STACKS)
    except Exception as error:
        outcome = as_error(bare(entry), error)
        return outcome._replace(seconds=time.perf_counter() - start)


def bare(entry: Entry) -> Outcome:
    """What is known of an entry before it is loaded: an ERROR, unless something is found.

    Examples
    --------
    >>> from samapprox.batch.sets.entry import Unreadable
    >>> found = bare(Entry("set/L2_H7.npz", "", Unreadable("no permission")))
    >>> found.verdict, found.layer, found.head
    ('ERROR', 2, 7)
    """
    layer, head = place(entry.name, {})
    return Outcome(
        entry.name,
        entry.stamp,
        entry.family,
        layer,
        head,
        *(None, None, None, None),
        "ERROR",
        *(None, None, None, None, None),
        0.0,
        None,
        HOST,
        None,
    )


def about(entry: Entry, question: Question, instance: Instance) -> Outcome:
    """The pattern, what is known of it, and the bounds that every pattern of its shape has."""
    pattern = instance.pattern
    rows, columns = pattern.shape
    layer, head = place(entry.name, instance.origin)
    family = instance.origin.get("family")
    lower, upper = known_bounds(instance.facts)
    return Outcome(
        entry.name,
        entry.stamp,
        entry.family if family is None else str(family),
        layer,
        head,
        pattern.sha256,
        rows,
        columns,
        pattern.count,
        NOTHING_YET[question.task],
        1,
        max(1, min(rows, columns - 1)),
        known_answer(instance.facts, question),
        lower,
        upper,
        0.0,
        None,
        HOST,
        None,
        packed_pattern(pattern),
    )


def as_error(outcome: Outcome, error: Exception) -> Outcome:
    """The same as an ERROR; only errors on purpose speak for themselves.

    Examples
    --------
    >>> from samapprox.batch.sets.entry import Unreadable
    >>> entry = Entry("p.npz", "", Unreadable("p.npz: no permission"))
    >>> as_error(bare(entry), InputError("p.npz: no permission")).error
    'p.npz: no permission'
    >>> as_error(bare(entry), ZeroDivisionError("division by zero")).error
    'internal error, please report it: ZeroDivisionError: division by zero'
    """
    if isinstance(error, InputError):
        said = str(error)
    elif isinstance(error, MemoryError):
        said = "not enough memory"
    else:
        said = f"internal error, please report it: {type(error).__name__}: {error}"
    return outcome._replace(verdict="ERROR", error=printable(" ".join(said.split())))


# ---------------------------------------------------------------- the three tasks


def _decide(first: Outcome, question: Question, pattern: Pattern, tell: Listener) -> Outcome:
    from samapprox.solvers.decide import decide

    assert question.d is not None
    trail: dict[str, Attempt] = {}
    told = time.monotonic()

    def progress(name: str, outcome: str | None) -> None:
        nonlocal told
        trail[name] = Attempt(name, 0.0, outcome or "running")
        if time.monotonic() - told >= _TELL_EVERY:
            told = time.monotonic()
            tell(first._replace(trail=_packed(trail.values())))

    verdict = decide(
        pattern,
        question.d,
        question.d_hid,
        time_limit=question.time_limit,
        seed=question.seed,
        progress=progress,
    )
    packed = packed_certificate(verdict.certificate)
    yes = verdict.status.value == "YES"
    return first._replace(
        verdict=verdict.status.value,
        lower=verdict.lower,
        upper=verdict.upper,
        yes=packed if yes else None,
        no=None if yes else packed,
        trail=_packed(verdict.trail),
    )


def of_line(first: Outcome, certificate: Certificate | None) -> Outcome:
    """The result of ``decide`` for d = 1 without don't-cares: the line test always knows."""
    assert certificate is not None
    packed = packed_certificate(certificate)
    if certificate.answer == "YES":
        return first._replace(verdict="YES", upper=1, yes=packed, trail=_LINE_YES)
    return first._replace(verdict="NO", lower=2, no=packed, trail=_LINE_NO)


_LINE_YES, _LINE_NO = (packed_trail([(None, Attempt("line", 0.0, s))]) for s in ("YES", "NO"))


def _packed(trail: Iterable[Attempt]) -> str:
    return packed_trail((None, step) for step in trail)


def _dim(first: Outcome, question: Question, pattern: Pattern, tell: Listener) -> Outcome:
    from samapprox.solvers.dimension import weak_dimension

    told = (first.lower, first.upper)

    def progress(so_far: WeakDimension, _what: str) -> None:
        nonlocal told
        bounds = (so_far.lower, so_far.upper)
        if bounds != told:
            told = bounds
            tell(_of_bounds(first, so_far))

    found = weak_dimension(
        pattern, time_limit=question.time_limit, seed=question.seed, progress=progress
    )
    return _of_bounds(first, found)


def _of_bounds(first: Outcome, found: WeakDimension) -> Outcome:
    return first._replace(
        verdict="EXACT" if found.exact else "INTERVAL",
        lower=found.lower,
        upper=found.upper,
        yes=packed_certificate(None if found.yes is None else found.yes.certificate),
        no=packed_certificate(None if found.no is None else found.no.certificate),
        trail=packed_trail(found.trail),
    )


def _verify(first: Outcome, question: Question, pattern: Pattern, _tell: Listener) -> Outcome:
    """Every certificate that there is must hold; what they prove are the bounds."""
    assert question.certificates is not None
    given = certificates_of(first.name, question.certificates)
    checks = [(certificate, certificate.verify(pattern)) for certificate in given]
    wrong = [check.reason for _, check in checks if not check]
    if wrong or not given:
        said = "; ".join(wrong)
        return first._replace(verdict="INVALID", error=said) if wrong else first
    yes, no = (
        [certificate for certificate in given if certificate.answer == side]
        for side in ("YES", "NO")
    )
    least = min(yes, key=lambda certificate: certificate.d, default=None)
    most = max((c for c in no if _is_free(c)), key=lambda certificate: certificate.d, default=None)
    return first._replace(
        verdict="VALID",
        lower=1 if most is None else most.d + 1,
        upper=first.upper if least is None else least.d,
        yes=packed_certificate(least),
        no=packed_certificate(most or next(iter(no), None)),
    )


def _is_free(certificate: Certificate) -> bool:
    """Whether a NO speaks of independent queries and keys, so that it bounds the dimension."""
    return certificate.d_hid is None or certificate.d_hid >= 2 * certificate.d


_TASKS = {"decide": _decide, "dim": _dim, "verify": _verify}
