"""The least dimensions of heads as tables that fit the terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence

from samapprox.batch.report.heads import HeadMap
from samapprox.cli.tables import print_table
from samapprox.cli.terminal import echo
from samapprox.support.plural import plural

__all__ = ["print_heads"]

_GAP = 2
"""Characters between two columns."""


def print_heads(found: HeadMap, head_dimension: int | None) -> None:
    """Print a table of layers by heads and a line that says what it means.

    Parameters
    ----------
    found : HeadMap
    head_dimension : int or None
        The dimension that the model gives to its heads, where it is known.
    """
    most = max(cell.count for cell in found.cells.values())
    over = f" (the largest over {most} patterns)" if most > 1 else ""
    echo(f"Least d by layer and head, {found.family}{over}:")
    for shown in _blocks(found):
        print_table(["", *(f"H{head}" for head in shown)], list(_rows(found, shown)))
        if shown[-1] != found.heads[-1]:
            echo()
    echo(_meaning(found, head_dimension))
    unsettled = sum(cell.bounds.lower < cell.bounds.upper for cell in found.cells.values())
    if unsettled:
        heads = plural(len(found.cells), "head")
        echo(f"{unsettled} of {heads} not settled; a longer --time-limit may settle more.")
    echo()


def _rows(found: HeadMap, heads: Sequence[int]) -> Iterator[list[str]]:
    for layer in found.layers:
        cells = (found.cells.get((layer, head)) for head in heads)
        yield [f"L{layer}", *("" if cell is None else str(cell.bounds) for cell in cells)]


def _blocks(found: HeadMap) -> list[list[int]]:
    """The heads in blocks that fit the terminal's width."""
    heads = found.heads
    if not sys.stdout.isatty():
        return [heads]
    room = shutil.get_terminal_size().columns - len(f"L{found.layers[-1]}")
    widths = {head: _GAP + len(f"H{head}") for head in heads}
    for (_, head), cell in found.cells.items():
        widths[head] = max(widths[head], _GAP + len(str(cell.bounds)))
    for size in range(len(heads), 1, -1):
        blocks = [heads[start : start + size] for start in range(0, len(heads), size)]
        if all(sum(widths[head] for head in block) <= room for block in blocks):
            return blocks
    return [[head] for head in heads]


def _meaning(found: HeadMap, head_dimension: int | None) -> str:
    lower = max(cell.bounds.lower for cell in found.cells.values())
    upper = max(cell.bounds.upper for cell in found.cells.values())
    words = f"Every head fits into d = {upper}"
    words += f", and some head needs at least {lower}" if 1 < lower < upper else ""
    if head_dimension is not None:
        words += f"; the model gives its heads {plural(head_dimension, 'dimension')}"
    return f"{words}."
