"""Tables that commands print."""

from __future__ import annotations

import re
from collections.abc import Sequence

from samapprox.cli.terminal import ANSWER_COLORS, echo, is_terminal, make_visible, wants_color
from samapprox.support.text_table import lay_out

__all__ = ["print_table"]

_NUMBER = re.compile(r"[~<>]? ?-?[\d.,]+(e[+-]?\d+)?( ?%)?|\.\.|")


def print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str | None = None,
    err: bool = False,
) -> None:
    """Print a table; on a terminal, it fits the width and answers are in colour.

    Columns of numbers are aligned to the right. Elsewhere than on a terminal the table is plain
    text, as wide as it comes.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of sequence of str
        Each as long as the header.
    title : str, optional
        A line above the table.
    err : bool
        Print to standard error.

    Examples
    --------
    >>> print_table(["head", "least d"], [["L0 H1", "2"], ["L0 H12", "11"]])
    head    least d
    L0 H1         2
    L0 H12       11
    """
    header, *rows = ([make_visible(cell) for cell in row] for row in (header, *rows))
    right = [all(map(_NUMBER.fullmatch, column)) for column in zip(*rows, strict=True)]
    right = right or [False] * len(header)
    if title is not None:
        echo(title, err=err)
    if is_terminal(err=err):
        _print_rich(header, rows, right, err)
        return
    for line in lay_out([header, *rows], right):
        echo(line, err=err)


def _print_rich(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], err: bool
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="", pad_edge=False, padding=(0, 2, 0, 0))
    for name, numbers in zip(header, right, strict=True):
        table.add_column(Text(name), justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, style=ANSWER_COLORS.get(cell, "")) for cell in row))
    Console(stderr=err, no_color=wants_color() is False, highlight=False).print(table)
