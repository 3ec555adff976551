"""Masks on the command line: a graph by its name, or a file with a square pattern."""

from __future__ import annotations

from pathlib import Path

from samapprox import InputError, load
from samapprox.attention.graphs import GRAPHS, AttentionGraph, SparseAttention, build

__all__ = ["read_attention"]


def read_attention(mask: str, n: int) -> SparseAttention:
    """The mask that a line of text describes, on n tokens.

    Parameters
    ----------
    mask : str
        A graph's name with parameters, or a file.
    n : int
        Tokens of a graph by its name; a file has its own number.

    Raises
    ------
    InputError
        Neither; or a file without a mask.

    Examples
    --------
    >>> read_attention("window:w=3", 5).n
    5
    """
    if mask.partition(":")[0] in GRAPHS:
        return build(mask, n)
    if mask != "-" and not Path(mask).exists():
        raise InputError(f"{mask}: no such file, nor a graph; there are: {', '.join(GRAPHS)}")
    pattern = load(mask)
    try:
        return SparseAttention((AttentionGraph.from_pattern(pattern),))
    except InputError as error:
        raise error.within(mask) from None
