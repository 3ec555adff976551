"""The three tasks of a batch, each applied to one pattern."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from samapprox.batch.results.outcome import Outcome, packed_certificate, packed_trail
from samapprox.batch.results.question import Question
from samapprox.batch.sets.certificates import certificates_of
from samapprox.dimension import WeakDimension
from samapprox.pattern import Pattern
from samapprox.proofs.certificate import Certificate
from samapprox.verdict import Attempt

__all__ = ["Progress", "of_line", "solve"]

Progress = Callable[[Outcome], None]
"""A callback for provisional results of an instance."""

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
        Receives the result whenever a bound of ``dim`` improves, and the trail of ``decide`` every
        half second.

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        The question does not fit the pattern, or a certificate cannot be read.
    """
    if question.task == "decide":
        return _decide(first, question, pattern, progress)
    if question.task == "dim":
        return _dim(first, question, pattern, progress)
    return _verify(first, question, pattern)


def _decide(first: Outcome, question: Question, pattern: Pattern, progress: Progress) -> Outcome:
    from samapprox.solvers.decide import decide

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
    from samapprox.solvers.dimension import weak_dimension

    reported = (first.lower, first.upper)

    def report(so_far: WeakDimension, _what: str) -> None:
        nonlocal reported
        bounds = (so_far.lower, so_far.upper)
        if bounds != reported:
            reported = bounds
            progress(_of_bounds(first, so_far))

    found = weak_dimension(
        pattern,
        time_limit=question.time_limit,
        seed=question.seed,
        threads=1,  # --jobs says how many cores there are for a run
        progress=report,
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


def _verify(first: Outcome, question: Question, pattern: Pattern) -> Outcome:
    """Check every certificate of the pattern; the result has the bounds that they prove."""
    assert question.certificates is not None
    given = certificates_of(first.name, question.certificates, question.grading)
    checks = [(certificate, certificate.verify(pattern)) for certificate in given]
    wrong = [check.reason for _, check in checks if not check]
    if wrong:
        return first._replace(verdict="INVALID", error="; ".join(wrong))
    if not given:
        return first
    yes, no = (
        [one for one in given if one.answer == side and one.is_about_dot_products]
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
    """Whether a NO is about independent queries and keys, so that it bounds the weak dimension."""
    return certificate.d_hid is None or certificate.d_hid >= 2 * certificate.d
