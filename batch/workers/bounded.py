"""Tasks that bound a number: wrong rows or entries, margins, ranks."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from samapprox.batch.results.outcome import Outcome, packed_certificate, packed_trail
from samapprox.batch.results.question import Question
from samapprox.batch.workers.bounds import of_bounds
from samapprox.batch.workers.provisional import Progress
from samapprox.pattern import Pattern

if TYPE_CHECKING:
    from samapprox.margins import MarginBounds
    from samapprox.matrix_rank import MatrixRank

__all__ = ["find_fit", "find_margin", "find_rank"]


def find_fit(first: Outcome, question: Question, pattern: Pattern, progress: Progress) -> Outcome:
    """Bound the least number of wrong rows or entries.

    Parameters
    ----------
    first : Outcome
        The provisional result of the pattern.
    question : Question
    pattern : Pattern
    progress : callable
        Receives the result whenever a bound improves.

    Returns
    -------
    Outcome
    """
    from samapprox.solvers.questions.fits.fit import fit

    assert question.d is not None
    assert question.unit is not None
    found = fit(
        pattern,
        question.d,
        unit=question.unit,
        similarity=question.similarity,
        time_limit=question.time_limit,
        seed=question.seed,
        improved=lambda so_far: progress(of_bounds(first, so_far)),
    )
    return of_bounds(first, found)


def find_margin(
    first: Outcome, question: Question, pattern: Pattern, progress: Progress
) -> Outcome:
    """Bound the largest margin of unit queries and keys, in any dimension or in the question's d.

    Parameters
    ----------
    first : Outcome
        The provisional result of the pattern.
    question : Question
    pattern : Pattern
    progress : callable
        Receives the result whenever a bound improves.

    Returns
    -------
    Outcome
        With bounds that are rounded outwards; the upper one is None if every margin can be reached.
    """
    from samapprox.solvers.questions.margins.margin import margin

    d = question.d
    found = margin(
        pattern,
        dimensions=() if d is None else [min(d, *pattern.shape)],  # more do not help
        time_limit=question.time_limit,
        seed=question.seed,
        improved=lambda so_far: progress(_of_margin(first, question, so_far)),
    )
    return _of_margin(first, question, found)


def _of_margin(first: Outcome, question: Question, found: MarginBounds) -> Outcome:
    """Return the bounds; those of a dimension are 0 if it has no embedding at all."""
    if found.upper is None:
        return first._replace(verdict="UNBOUNDED", lower=0, upper=None)
    yes, no, lower, upper = found.yes, found.no, found.lower, found.upper
    if question.d is not None:  # a bound for all dimensions holds in this one, a margin does not
        yes, lower = None, Fraction(0)
        for each in found.dimensions:
            yes, lower = each.yes, each.lower
            if each.no is not None:
                no, upper = each.no, Fraction(0)
    return first._replace(
        verdict="EXACT" if lower == upper else "INTERVAL",
        lower=_round_down(lower),
        upper=-_round_down(-upper),
        yes=packed_certificate(yes),
        no=packed_certificate(no),
    )


def find_rank(first: Outcome, question: Question, pattern: Pattern, progress: Progress) -> Outcome:
    """Bound the least rank of a matrix with the signs of the pattern.

    Parameters
    ----------
    first : Outcome
        The provisional result of the pattern.
    question : Question
    pattern : Pattern
    progress : callable
        Receives the result whenever a bound improves.

    Returns
    -------
    Outcome
    """
    from samapprox.solvers.questions.ranks.rank import rank

    assert question.kind is not None
    found = rank(
        pattern,
        kind=question.kind,
        time_limit=question.time_limit,
        seed=question.seed,
        threads=1,  # --jobs says how many cores there are for a run
        improved=lambda so_far: progress(_of_rank(first, so_far)),
    )
    return _of_rank(first, found)


def _of_rank(first: Outcome, found: MatrixRank) -> Outcome:
    trail = packed_trail((d, attempt) for _, d, attempt in found.trail)
    return of_bounds(first, found)._replace(trail=trail)


def _round_down(value: Fraction) -> float:
    """Return the greatest floating-point number that is not above a fraction.

    Examples
    --------
    >>> _round_down(Fraction(1, 3)) < Fraction(1, 3), _round_down(Fraction(3, 4))
    (True, 0.75)
    """
    nearest = float(value)
    return nearest if nearest <= value else math.nextafter(nearest, -math.inf)
