"""The tasks of a batch: one function a task, which answers the question about one instance.

Each function takes the provisional result of the instance, the question, the pattern, the set of
vectors or the run, and a callback that receives the result whenever a bound improves; it
returns the final result. Here are those that search for proofs about patterns, or check them;
`samapprox.batch.workers.vectors` has the others.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from samapprox.batch.results.known_tasks import KNOWN_TASKS
from samapprox.batch.results.outcome import (
    OnOutcome,
    Outcome,
    packed_certificate,
    packed_trail,
    unpacked_certificate,
)
from samapprox.batch.results.question import Question
from samapprox.batch.results.store import Store
from samapprox.batch.sets.entry import JudgedRun, list_files
from samapprox.instance import Grading
from samapprox.pattern import Pattern
from samapprox.proofs.certificate import Certificate
from samapprox.results.dimension import WeakDimension
from samapprox.results.verdict import Attempt
from samapprox.support.packages import load_object
from samapprox.support.progress import Progress
from samapprox.vectors import VectorSet

if TYPE_CHECKING:
    from samapprox.results.arithmetic_dimension import ArithmeticDimension
    from samapprox.results.best_fit import BestFit
    from samapprox.results.margins import MarginBounds
    from samapprox.results.matrix_rank import MatrixRank


_EVERY = 0.5  # seconds between two provisional results of `decide`


def solve(
    first: Outcome,
    question: Question,
    subject: Pattern | VectorSet | JudgedRun | None,
    progress: OnOutcome,
) -> Outcome:
    """Answer the question about a pattern, vectors or a run; InputError if it does not fit."""
    solver = load_object(KNOWN_TASKS[question.task].solver)
    found: Outcome = solver(first, question, subject, progress)
    return found


def decide(first: Outcome, question: Question, pattern: Pattern, progress: OnOutcome) -> Outcome:
    """Decide a dimension; the trail is reported every half second."""
    from samapprox.solvers.questions.decide import decide

    assert question.d is not None
    trail: dict[str, Attempt] = {}
    reported = time.monotonic()

    def report(moment: Progress) -> None:
        nonlocal reported
        trail[moment.what] = Attempt(moment.what, 0.0, moment.outcome or "running")
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


def decide_on_line(first: Outcome, certificate: Certificate | None) -> Outcome:
    """Return the result of ``decide`` for d = 1 from the certificate that `decide_many` found."""
    assert certificate is not None
    packed = packed_certificate(certificate)
    if certificate.answer == "YES":
        return first._replace(verdict="YES", upper=1, yes=packed, trail=_LINE_YES)
    return first._replace(verdict="NO", lower=2, no=packed, trail=_LINE_NO)


_LINE_YES, _LINE_NO = (packed_trail([(None, Attempt("line", 0.0, s))]) for s in ("YES", "NO"))


def _packed(trail: Iterable[Attempt]) -> str:
    return packed_trail((None, step) for step in trail)


# ---------------------------------------------------------------- bounds on a number


class _Bounded(Protocol):
    """Bounds on a number, with a certificate for each that is not trivial."""

    @property
    def lower(self) -> int: ...
    @property
    def upper(self) -> int: ...
    @property
    def exact(self) -> bool: ...
    @property
    def yes_certificate(self) -> Certificate | None: ...
    @property
    def no_certificate(self) -> Certificate | None: ...


def _of_bounds(first: Outcome, found: _Bounded) -> Outcome:
    """Return the result of an instance, final or so far, from the bounds that were found."""
    return first._replace(
        verdict="EXACT" if found.exact else "INTERVAL",
        lower=found.lower,
        upper=found.upper,
        yes=packed_certificate(found.yes_certificate),
        no=packed_certificate(found.no_certificate),
    )


def find_dimension(
    first: Outcome, question: Question, pattern: Pattern, progress: OnOutcome
) -> Outcome:
    """Bound the least dimension, in exact arithmetic or in a number format.

    In a format, each of the two bounds has half of the time.
    """
    from samapprox.solvers.questions.dimension import weak_dimension

    in_format = question.arithmetic is not None
    reported = (first.lower, first.upper)

    def report(moment: Progress) -> None:
        nonlocal reported
        so_far: WeakDimension = moment.so_far
        bounds = (so_far.lower, so_far.upper)
        if bounds != reported:
            reported = bounds
            progress(_of_dimension(first, so_far))

    found = weak_dimension(
        pattern,
        similarity=question.similarity,
        time_limit=question.time_limit * (0.5 if in_format else 1),
        seed=question.seed,
        threads=1,  # --jobs says how many cores there are for a run
        progress=None if in_format else report,
    )
    if in_format:
        return _find_in_format(first, question, found, progress)
    return _of_dimension(first, found)


def _of_dimension(first: Outcome, found: WeakDimension) -> Outcome:
    return _of_bounds(first, found)._replace(trail=packed_trail(found.trail))


def _find_in_format(
    first: Outcome, question: Question, weak: WeakDimension, progress: OnOutcome
) -> Outcome:
    """Search small dimensions in a number format, from the exact bounds on, in half of the time."""
    from samapprox.solvers.questions.margins.in_arithmetic import dimension_in_arithmetic

    assert question.arithmetic is not None

    def convert(found: ArithmeticDimension) -> Outcome:
        return _of_dimension(first, weak)._replace(
            verdict="EXACT" if found.d == found.lower else "INTERVAL",
            upper=found.d,
            yes=packed_certificate(found.yes),
        )

    search = partial(dimension_in_arithmetic, weak.pattern, question.arithmetic, weak=weak)
    limits = replace(question, time_limit=question.time_limit / 2)
    return _report(search, limits, progress, convert)


def find_fit(first: Outcome, question: Question, pattern: Pattern, progress: OnOutcome) -> Outcome:
    """Bound the least number of wrong rows or entries."""
    from samapprox.solvers.questions.fits.fit import fit

    assert question.d is not None
    assert question.unit is not None
    search = partial(
        fit, pattern, question.d, unit=question.unit, similarity=question.similarity, at=question.at
    )
    return _report(search, question, progress, partial(_of_fit, first))


def _of_fit(first: Outcome, found: BestFit) -> Outcome:
    """Return the bounds on wrong items and, if there is a K, on the greatest mean recall at K."""
    outcome, recall = _of_bounds(first, found), found.recall
    if recall is None:
        return outcome
    bounds = {"least_recall": found.least_recall, "most_recall": found.most_recall}
    return outcome._replace(
        answer=json.dumps(bounds | {"recall_exact": recall.exact}),  # floats are rounded outwards
        recall_yes=packed_certificate(recall.yes_certificate),
        recall_no=packed_certificate(recall.no_certificate),
    )


def find_rank(first: Outcome, question: Question, pattern: Pattern, progress: OnOutcome) -> Outcome:
    """Bound the least rank of a matrix with the signs of the pattern."""
    from samapprox.solvers.questions.ranks.rank import rank

    assert question.kind is not None
    search = partial(rank, pattern, kind=question.kind, threads=1)  # --jobs says how many cores
    return _report(search, question, progress, partial(_of_rank, first))


def _of_rank(first: Outcome, found: MatrixRank) -> Outcome:
    trail = packed_trail((d, attempt) for _, d, attempt in found.trail)
    return _of_bounds(first, found)._replace(trail=trail)


def _report(
    search: Callable[..., Any],
    question: Question,
    progress: OnOutcome,
    convert: Callable[[Any], Outcome],
) -> Outcome:
    """Search, and convert the result, and before it those that hold better bounds than before."""

    def report(moment: Progress) -> None:
        if moment.so_far is not None:
            progress(convert(moment.so_far))

    limits = {"time_limit": question.time_limit, "seed": question.seed}
    return convert(search(**limits, progress=report))


def find_margin(
    first: Outcome, question: Question, pattern: Pattern, progress: OnOutcome
) -> Outcome:
    """Bound the largest margin of unit queries and keys, in any dimension or in the question's d.

    The bounds are rounded outwards; the upper one is None if every margin can be reached.
    """
    from samapprox.solvers.questions.margins.margin import margin

    d = question.d
    dimensions = () if d is None else [min(d, *pattern.shape)]  # more do not help
    search = partial(margin, pattern, dimensions=dimensions)
    return _report(search, question, progress, partial(_of_margin, first, question))


def _of_margin(first: Outcome, question: Question, found: MarginBounds) -> Outcome:
    """Return the bounds; those of a dimension are 0 if it has no embedding at all."""
    if found.upper is None:
        return first._replace(verdict="UNBOUNDED", lower=0, upper=None)
    yes, no, lower, upper = found.yes, found.no, found.lower, found.upper
    if question.d is not None:
        (each,) = found.dimensions
        yes, no, lower = each.yes, each.no or each.ceiling, each.lower
        upper = found.upper if each.upper is None else each.upper
    return first._replace(
        verdict="EXACT" if lower == upper else "INTERVAL",
        lower=_round_down(lower),
        upper=-_round_down(-upper),
        yes=packed_certificate(yes),
        no=packed_certificate(no),
    )


def _round_down(value: Fraction) -> float:
    """Return the greatest floating-point number that is not above a fraction."""
    nearest = float(value)
    return nearest if nearest <= value else math.nextafter(nearest, -math.inf)


# ---------------------------------------------------------------- given certificates


def verify(first: Outcome, question: Question, pattern: Pattern, _progress: OnOutcome) -> Outcome:
    """Check every certificate of the pattern, of whatever task.

    The result has the bounds on the weak dimension that the certificates prove, and the certificate
    of each; or else one certificate of YES and one of NO for other questions.
    """
    assert question.certificates is not None
    given = _certificates_of(first.name, question.certificates, question.grading)
    checks = [(certificate, certificate.verify(pattern)) for certificate in given]
    wrong = [check.reason for _, check in checks if not check]
    if wrong:
        return first._replace(verdict="INVALID", error="; ".join(wrong))
    if not given:
        return first
    yes, no = ([one for one in given if one.answer == side] for side in ("YES", "NO"))
    least = min((c for c in yes if c.is_about_dot_products), key=lambda c: c.d, default=None)
    most = max((c for c in no if _is_free(c)), key=lambda c: c.d, default=None)
    return first._replace(
        verdict="VALID",
        lower=1 if most is None else most.d + 1,
        upper=first.upper if least is None else least.d,
        yes=packed_certificate(least or next(iter(yes), None)),
        no=packed_certificate(most or next(iter(no), None)),
    )


def _is_free(certificate: Certificate) -> bool:
    """Whether a NO is about independent queries and keys, so that it bounds the weak dimension."""
    if not certificate.is_about_dot_products:
        return False
    return certificate.d_hid is None or certificate.d_hid >= 2 * certificate.d


_ENDINGS = (".json", ".yes.json", ".no.json")


def require_certificates(place: str) -> None:
    """Refuse a place of certificates that is neither a folder nor a result file."""
    if not Path(place).is_dir():
        Store(place).close()


def _certificates_of(name: str, place: str, grading: Grading | None = None) -> list[Certificate]:
    """Load all certificates for an instance; InputError if one cannot be read.

    The place is a folder with files NAME.json, NAME.yes.json and NAME.no.json, where NAME is the
    name with or without its ending; or a result file, where the name must be equal, and only
    certificates found under the same grading count: others are about another pattern.
    """
    folder = Path(place)
    if not folder.is_dir():
        packed = _store(place).certificates(name, grading or Grading())
        return [c for c in map(unpacked_certificate, packed) if c is not None]
    return [Certificate.load(file) for file in list_files(name, folder, _ENDINGS)]


@lru_cache(maxsize=1)
def _store(place: str) -> Store:
    """The result file; it stays open as long as the process lives."""
    return Store(place)
