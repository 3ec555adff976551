"""The known reductions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from samapprox.support.lookup import look_up

__all__ = ["REDUCTIONS", "Entry", "reduction"]

_HERE = "samapprox.reductions"


@dataclass(frozen=True, slots=True)
class Entry:
    """A reduction, its source and its target.

    `source, target`: Kinds of files: "vectors", "attention", "judgements", "arrangement",
    "pattern".
    """

    place: str  # ``module:class``, imported when used
    source: str
    target: str


REDUCTIONS = {
    "orthogonal-to-furthest": Entry(
        f"{_HERE}.orthogonal_to_furthest:OrthogonalToFurthest", "vectors", "vectors"
    ),
    "attention-to-pattern": Entry(f"{_HERE}.to_pattern:AttentionToPattern", "attention", "pattern"),
    "judgements-to-pattern": Entry(
        f"{_HERE}.to_pattern:JudgementsToPattern", "judgements", "pattern"
    ),
    "arrangement-to-pattern": Entry(
        f"{_HERE}.to_pattern:ArrangementToPattern", "arrangement", "pattern"
    ),
    "one-more-dimension": Entry(f"{_HERE}.padding:OneMoreDimension", "pattern", "pattern"),
    "pattern-to-tokens": Entry(f"{_HERE}.padding:PatternToTokens", "pattern", "pattern"),
}
"""Name -> reduction."""


def reduction(name: str) -> Any:
    """Return the class of a reduction.

    Raises
    ------
    InputError
        No such reduction.

    Examples
    --------
    >>> reduction("orthogonal-to-furthest")().name
    'orthogonal-to-furthest'
    """
    return look_up(name, {known: entry.place for known, entry in REDUCTIONS.items()}, "reduction")
