"""Sparse attention masks: the argument MASK, its options, and how they are read."""

from __future__ import annotations

import click

from samapprox import InputError
from samapprox.attention.graphs import GRAPHS, SparseAttention
from samapprox.attention.graphs.known_masks import read_attention
from samapprox.cli.options.patterns import format_option
from samapprox.cli.progress import show_progress
from samapprox.cli.values import (
    PATTERN_ENDINGS,
    complete_any,
    complete_files,
    complete_names,
    together,
)
from samapprox.support.text import plural

__all__ = [
    "complete_mask",
    "mask_argument",
    "read_mask",
]


complete_mask = complete_any(complete_names(lambda: GRAPHS), complete_files(PATTERN_ENDINGS))
"""Complete the name of a graph, or of a file with a pattern."""


mask_argument = together(
    click.argument("mask", shell_complete=complete_mask),
    click.option("--n", type=int, help="Number of tokens of a named graph."),
    format_option("Format of a file, if it cannot be recognised."),
    click.option("--key", help="Array of an npz file to read."),
)
"""MASK, and options for reading it: parameters `mask`, `n`, `file_format` and `key`."""


def read_mask(
    mask: str, n: int | None, file_format: str | None, key: str | None
) -> SparseAttention:
    """Read or build the mask that the arguments describe."""
    with show_progress(f"building {mask}"):
        attention = read_attention(mask, n, file_format=file_format, key=key)
    if n not in (None, attention.n):
        raise InputError(f"{mask}: has {plural(attention.n, 'token')}, but --n is {n}")
    return attention
