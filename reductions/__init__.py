"""Maps between problems, and generators of instances with known truth."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
    from samapprox.reductions.known_reductions import REDUCTIONS, reduction
    from samapprox.reductions.oriented_matroid import OrientedMatroid
    from samapprox.reductions.orthogonal_to_furthest import OrthogonalToFurthest
    from samapprox.reductions.padding import (
        OneMoreDimension,
        PatternToTokens,
        embed_tokens,
        pad_embedding,
    )
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

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        known_reductions=("REDUCTIONS", "reduction"),
        oriented_matroid=("OrientedMatroid",),
        orthogonal_to_furthest=("OrthogonalToFurthest",),
        padding=("OneMoreDimension", "PatternToTokens", "embed_tokens", "pad_embedding"),
        stretchability=("Arrangement", "embed_lines", "line_cell_pattern", "stretch"),
        to_pattern=("ArrangementToPattern", "AttentionToPattern", "JudgementsToPattern"),
    )
