"""Bounds on the quantities of the study; every certificate is verified before they are kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from practical.lines import Key, Line
from practical.subjects import Subject
from samapprox import (
    Certificate,
    InputError,
    Pattern,
    WeakDimension,
    dimension_in_arithmetic,
    fit,
    margin,
    weak_dimension,
)
from samapprox.precision import EMBEDDING_FORMATS

__all__ = ["FORMATS", "QUANTITIES", "measure", "missing"]

FORMATS = tuple(name for name in EMBEDDING_FORMATS if name != "float64")
QUANTITIES = ("d", "s", "e", "wrong", "margin", *FORMATS)
"""Dimensions for dot products, cosines and distances, wrong rows, the margin, d in each format."""

LIMIT_DIMENSIONS = (1, 2, 3)
DIGITS = 10**6
"""Bounds on margins are rounded outwards to multiples of 1 / DIGITS."""

Bounds = tuple[float, float]


def missing(
    chosen: Iterable[Subject], quantities: Iterable[str], known: dict[Key, Line]
) -> Iterator[tuple[Subject, str, int]]:
    """Yield what has no line yet, quantity by quantity.

    Wrong rows are counted one dimension below the proven lower bound on d, so they come after d.
    """
    chosen = list(chosen)
    for quantity in quantities:
        for subject in chosen:
            for d in _dimensions(subject, quantity, known):
                if (subject.name, quantity, d) not in known:
                    yield subject, quantity, d


def _dimensions(subject: Subject, quantity: str, known: dict[Key, Line]) -> Iterable[int]:
    if quantity != "wrong":
        return (0,)
    if subject.part == "limit":
        return LIMIT_DIMENSIONS
    line = known.get((subject.name, "d", 0))
    return () if line is None or line.lower < 2 else (int(line.lower) - 1,)


def measure(subject: Subject, quantity: str, d: int, seconds: float) -> Line:
    """Bound one quantity of one pattern.

    Raises
    ------
    AssertionError
        A certificate does not hold.
    """
    pattern = subject.pattern
    started = time.perf_counter()
    if quantity == "wrong":
        lower, upper = _wrong(pattern, d, seconds)
    elif quantity in FORMATS:
        lower, upper = _in_format(subject, quantity, seconds)
    else:
        lower, upper = MEASURES[quantity](subject, seconds)
    took = time.perf_counter() - started
    if quantity == "d" and subject.known is not None:
        took = subject.known.seconds
    rows, columns = pattern.shape
    return Line(
        subject.part,
        subject.name,
        rows,
        columns,
        quantity,
        d,
        lower,
        upper,
        round(took, 2),
        seconds,
    )


def _dot(subject: Subject, seconds: float) -> Bounds:
    if subject.known is not None:
        return subject.known.weak.lower, subject.known.weak.upper
    return _verified(weak_dimension(subject.pattern, time_limit=seconds))


def _cosine(subject: Subject, seconds: float) -> Bounds:
    return _verified(weak_dimension(subject.pattern, similarity="cosine", time_limit=seconds))


def _distance(subject: Subject, seconds: float) -> Bounds:
    return _verified(weak_dimension(subject.pattern, similarity="l2", time_limit=seconds))


def _verified(found: WeakDimension) -> Bounds:
    sides = [side.certificate for side in (found.yes, found.no) if side is not None]
    verify(found.pattern, *sides)
    return found.lower, found.upper


def _wrong(pattern: Pattern, d: int, seconds: float) -> Bounds:
    found = fit(pattern, d, time_limit=seconds)
    verify(pattern, found.yes_certificate, found.no_certificate)
    return found.lower, found.upper


def _margin(subject: Subject, seconds: float) -> Bounds:
    found = margin(subject.pattern, time_limit=seconds)
    verify(subject.pattern, found.yes, found.no)
    if found.upper is None:
        return math.inf, math.inf
    return _round(found.lower, math.floor), _round(found.upper, math.ceil)


def _round(value: Fraction, how: Callable[[Fraction], int]) -> float:
    return how(value * DIGITS) / DIGITS


def _in_format(subject: Subject, name: str, seconds: float) -> Bounds:
    weak = None if subject.known is None else subject.known.weak
    try:
        found = dimension_in_arithmetic(subject.pattern, name, weak=weak, time_limit=seconds)
    except InputError:
        return (1 if weak is None else weak.lower), math.inf
    verify(subject.pattern, found.yes)
    return found.lower, found.d


def verify(pattern: Pattern, *certificates: Certificate | None) -> None:
    """Check certificates exactly.

    Raises
    ------
    AssertionError
        One does not hold.
    """
    for certificate in certificates:
        if certificate is not None and not (check := certificate.verify(pattern)):
            raise AssertionError(check.reason)


MEASURES: dict[str, Callable[[Subject, float], Bounds]] = {
    "d": _dot,
    "s": _cosine,
    "e": _distance,
    "margin": _margin,
}
