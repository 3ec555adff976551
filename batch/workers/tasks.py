"""The tasks of a batch, each applied to one pattern."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from samapprox.batch.results.outcome import Outcome, packed_certificate, packed_trail
from samapprox.batch.results.question import Question
from samapprox.batch.workers.bounded import find_fit, find_margin, find_rank
from samapprox.batch.workers.bounds import of_bounds
from samapprox.batch.workers.provisional import Progress
from samapprox.batch.workers.verification import verify
from samapprox.dimension import WeakDimension
from samapprox.pattern import Pattern
from samapprox.proofs.certificate import Certificate
from samapprox.verdict import Attempt

__all__ = ["of_line", "solve"]

_EVERY = 0.5  # seconds between two provisional results of `decide`


def solve(first: Outcome, question: Question, pattern: Pattern, progress: Progress) -> Outcome:
    """Answer the question about a pattern.

    Parameters
    ----------
    first : Outcome
        The provisional result of the pattern.
    question : Question
    pattern : Pattern
    progress : callable
        Receives the result whenever a bound improves, and the trail of ``decide`` every half
        second.

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        The question does not fit the pattern, or a certificate cannot be read.
    """
    return _SOLVERS[question.task](first, question, pattern, progress)


def _decide(first: Outcome, question: Question, pattern: Pattern, progress: Progress) -> Outcome:
    from samapprox.solvers.questions.decide import decide

    assert question.d is not None
    trail: dict[str, Attempt] = {}
    reported = time.monotonic()

    def report(name: str, outcome: str | None) -> None:
        nonlocal reported
        trail[name] = Attempt(name, 0.0, outcome or "running")
        if time.monotonic() - reported >= _EVERY:
            reported = time.monotonic()
            progress(first._replace(trail=_packed(trail.values())))

    verdict = decide(
        pattern,
        question.d,
        question.d_hid,
        similarity=question.similarity,
        time_limit=question.time_limit,
        seed=question.seed,
        progress=report,
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
    """Return the result of ``decide`` for d = 1 without don't-cares, from the line test.

    Parameters
    ----------
    first : Outcome
        The provisional result of the pattern.
    certificate : Certificate
        As `samapprox.decide_many` returns it.

    Returns
    -------
    Outcome
    """
    assert certificate is not None
    packed = packed_certificate(certificate)
    if certificate.answer == "YES":
        return first._replace(verdict="YES", upper=1, yes=packed, trail=_LINE_YES)
    return first._replace(verdict="NO", lower=2, no=packed, trail=_LINE_NO)


_LINE_YES, _LINE_NO = (packed_trail([(None, Attempt("line", 0.0, s))]) for s in ("YES", "NO"))


def _packed(trail: Iterable[Attempt]) -> str:
    return packed_trail((None, step) for step in trail)


def _dim(first: Outcome, question: Question, pattern: Pattern, progress: Progress) -> Outcome:
    from samapprox.solvers.questions.dimension import weak_dimension

    reported = (first.lower, first.upper)

    def report(so_far: WeakDimension, _what: str) -> None:
        nonlocal reported
        bounds = (so_far.lower, so_far.upper)
        if bounds != reported:
            reported = bounds
            progress(_of_dimension(first, so_far))

    found = weak_dimension(
        pattern,
        similarity=question.similarity,
        time_limit=question.time_limit,
        seed=question.seed,
        threads=1,  # --jobs says how many cores there are for a run
        progress=report,
    )
    return _of_dimension(first, found)


def _of_dimension(first: Outcome, found: WeakDimension) -> Outcome:
    return of_bounds(first, found)._replace(trail=packed_trail(found.trail))


_SOLVERS: dict[str, Callable[[Outcome, Question, Pattern, Progress], Outcome]] = {
    "decide": _decide,
    "dim": _dim,
    "fit": find_fit,
    "margin": find_margin,
    "rank": find_rank,
    "verify": verify,
}
"""A function for each of `samapprox.batch.results.known_tasks.KNOWN_TASKS`."""
