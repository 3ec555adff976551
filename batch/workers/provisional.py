"""Provisional results: those of an instance before its question is answered."""

from __future__ import annotations

import platform
from collections.abc import Callable

from samapprox.batch.results.known_tasks import NOTHING_YET
from samapprox.batch.results.outcome import Outcome, packed_pattern
from samapprox.batch.results.question import Question
from samapprox.batch.results.trivial import trivial_bounds
from samapprox.batch.sets.entry import Entry, place, printable
from samapprox.batch.sets.implied import known_answer, known_bounds
from samapprox.errors import InputError
from samapprox.instance import Instance

__all__ = ["Progress", "about", "as_error", "bare"]

Progress = Callable[[Outcome], None]
"""A callback for provisional results of an instance."""

HOST = platform.node()


def bare(entry: Entry) -> Outcome:
    """Return the result of an entry that is not loaded: ERROR, unless the verdict is replaced.

    Parameters
    ----------
    entry : Entry

    Returns
    -------
    Outcome

    Examples
    --------
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


def about(entry: Entry, question: Question, instance: Instance) -> Outcome:
    """Return the result of a loaded entry, with the bounds of every pattern of its shape.

    Parameters
    ----------
    entry : Entry
    question : Question
    instance : Instance
        The loaded instance.

    Returns
    -------
    Outcome

    Examples
    --------
    >>> from samapprox.batch.sets.entry import Generated
    >>> entry = Entry("line", "", Generated("line", {"rows": 4, "columns": 5}))
    >>> found = about(entry, Question("dim"), entry.load())
    >>> found.verdict, found.lower, found.upper
    ('INTERVAL', 1, 4)
    """
    pattern = instance.pattern
    rows, columns = pattern.shape
    layer, head = place(entry.name, instance.origin)
    family = instance.origin.get("family")
    lower, upper = trivial_bounds(question, pattern)
    known_lower, known_upper = known_bounds(instance.facts, question)
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
        known=known_answer(instance.facts, question),
        known_lower=known_lower,
        known_upper=known_upper,
        host=HOST,
        pattern=packed_pattern(pattern),
    )


def as_error(outcome: Outcome, error: Exception) -> Outcome:
    """Return a result as an ERROR; exceptions other than `InputError` are reported as bugs.

    Parameters
    ----------
    outcome : Outcome
    error : Exception

    Returns
    -------
    Outcome

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
        message = str(error)
    elif isinstance(error, MemoryError):
        message = "not enough memory"
    else:
        message = f"internal error, please report it: {type(error).__name__}: {error}"
    return outcome._replace(verdict="ERROR", error=printable(" ".join(message.split())))
