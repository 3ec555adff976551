"""Tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import east_asian_width

import click

__all__ = ["print_table"]


def print_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None
) -> None:
    """Print a table with columns that are aligned to the right.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of sequence of str
        Each as long as the header.
    title : str, optional
        A line above the table.
    """
    if title is not None:
        click.echo(title)
    lines = [header, *rows]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (
            " " * (width - _width(cell)) + cell for cell, width in zip(line, widths, strict=True)
        )
        click.echo("  ".join(cells).rstrip())


def _width(text: str) -> int:
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)
