"""Sparse attention masks: the argument MASK, its options, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass

import click

from samapprox import InputError
from samapprox.attention.graphs import GRAPHS, SparseAttention, read_attention
from samapprox.cli.options import format_option
from samapprox.cli.terminal import show_progress
from samapprox.cli.values import (
    PATTERN_ENDINGS,
    complete_any,
    complete_files,
    complete_names,
    gather,
    together,
)
from samapprox.support.text import plural

complete_mask = complete_any(complete_names(lambda: GRAPHS), complete_files(PATTERN_ENDINGS))
"""Complete the name of a graph, or of a file with a pattern."""


@dataclass(frozen=True, slots=True)
class Mask:
    """A sparse attention mask as the command line names it."""

    name: str
    n: int | None
    file_format: str | None
    key: str | None

    def read(self) -> SparseAttention:
        """Read or build the mask."""
        with show_progress(f"building {self.name}"):
            attention = read_attention(
                self.name, self.n, file_format=self.file_format, key=self.key
            )
        if self.n not in (None, attention.n):
            tokens = plural(attention.n, "token")
            raise InputError(f"{self.name}: has {tokens}, but --n is {self.n}")
        return attention


mask_argument = together(
    click.argument("name", metavar="MASK", shell_complete=complete_mask),
    click.option("--n", type=int, help="Number of tokens of a named graph."),
    format_option("Format of a file, if it cannot be recognised."),
    click.option("--key", help="Array of an npz file to read."),
    gather("mask", Mask),
)
"""MASK, and options for reading it: parameter `mask`, a `Mask`."""
