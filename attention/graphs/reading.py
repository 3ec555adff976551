"""Masks from a line of text: the name of a known graph with its parameters, or a file."""

from __future__ import annotations

from pathlib import Path

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.graphs.known_masks import GRAPHS, Spec
from samapprox.errors import InputError, errors_within
from samapprox.formats import load
from samapprox.support.lookup import suggestion

__all__ = ["read_attention", "require_mask"]


def read_attention(
    mask: str, n: int | None = None, *, file_format: str | None = None, key: str | None = None
) -> SparseAttention:
    """Build or read the mask that a line of text describes.

    >>> read_attention("window:w=3", 5).n
    5
    """
    if require_mask(mask):
        if n is None:
            raise InputError(f"{mask}: give the number of tokens with --n")
        return Spec.parse(mask).build(n)
    pattern = load(mask, format=file_format, key=key)
    with errors_within(mask):
        return SparseAttention((AttentionGraph.from_pattern(pattern),))


def require_mask(mask: str) -> bool:
    """Return whether a line of text names a known graph; refuse it if it names no file either.

    >>> require_mask("window:w=3")
    True
    """
    if mask.partition(":")[0] in GRAPHS:
        return True
    if mask != "-" and not Path(mask).exists():
        meant = suggestion(mask.partition(":")[0], GRAPHS)
        there = f"known graphs: {', '.join(GRAPHS)}"
        raise InputError(f"{mask}: neither a file nor a known graph{meant}; {there}")
    return False
