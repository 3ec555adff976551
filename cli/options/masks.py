"""Arguments of sparse attention masks."""

from __future__ import annotations

import click

from samapprox import InputError
from samapprox.attention.graphs import SparseAttention
from samapprox.cli.masks import complete_mask, read_attention
from samapprox.cli.options.checked import together
from samapprox.cli.options.patterns import format_option
from samapprox.cli.progress import show_activity
from samapprox.support.plural import plural

__all__ = ["mask_argument", "read_mask"]

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
    """Read or build the mask that the arguments describe.

    Raises
    ------
    InputError
        See `read_attention`; or a file has another number of tokens than n.
    """
    with show_activity(f"building {mask}"):
        attention = read_attention(mask, n, file_format=file_format, key=key)
    if n not in (None, attention.n):
        raise InputError(f"{mask}: has {plural(attention.n, 'token')}, but --n is {n}")
    return attention
