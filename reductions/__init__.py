"""Maps between problems, and generators of instances with known truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from samapprox.support.packages import lazy_names, look_up

if TYPE_CHECKING:
    from samapprox.reductions.oriented_matroid import OrientedMatroid
    from samapprox.reductions.orthogonal_to_furthest import OrthogonalToFurthest
    from samapprox.reductions.padding import OneMoreDimension, pad_embedding
    from samapprox.reductions.stretchability import (
        Arrangement,
        embed_lines,
        line_cell_pattern,
        stretch,
    )
    from samapprox.reductions.to_pattern import (
        ArrangementToPattern,
        AttentionToPattern,
        JudgementsToPattern,
    )
    from samapprox.reductions.tokens import PatternToTokens, embed_tokens

__all__ = [
    "REDUCTIONS",
    "Arrangement",
    "ArrangementToPattern",
    "AttentionToPattern",
    "JudgementsToPattern",
    "OneMoreDimension",
    "OrientedMatroid",
    "OrthogonalToFurthest",
    "PatternToTokens",
    "embed_lines",
    "embed_tokens",
    "line_cell_pattern",
    "pad_embedding",
    "reduction",
    "stretch",
]


_HERE = __name__


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
    "pattern-to-tokens": Entry(f"{_HERE}.tokens:PatternToTokens", "pattern", "pattern"),
}
"""Name -> reduction."""


def reduction(name: str) -> Any:
    """Return the class of a reduction.

    Parameters
    ----------
    name : str
        A key of `REDUCTIONS`.

    Returns
    -------
    type
        The class, not an instance.

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


if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        oriented_matroid=("OrientedMatroid",),
        orthogonal_to_furthest=("OrthogonalToFurthest",),
        padding=("OneMoreDimension", "pad_embedding"),
        stretchability=("Arrangement", "embed_lines", "line_cell_pattern", "stretch"),
        to_pattern=("ArrangementToPattern", "AttentionToPattern", "JudgementsToPattern"),
        tokens=("PatternToTokens", "embed_tokens"),
    )
