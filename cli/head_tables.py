"""The least dimensions of heads as tables that fit the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from samapprox.batch.report.heads import HeadMap
from samapprox.cli.terminal import echo, terminal_width
from samapprox.support.plural import plural
from samapprox.support.text_table import lay_out

__all__ = ["print_heads"]


def print_heads(
    found: HeadMap,
    head_dimension: int | None,
    *,
    masked: int = 0,
    skipped: int = 0,
    unanswered: int = 0,
) -> None:
    """Print a table of layers by heads and a line that says what it means.

    Parameters
    ----------
    found : HeadMap
    head_dimension : int or None
        The dimension that the model gives to its heads, where it is known.
    masked, skipped, unanswered : int
        Rows, matrices and patterns that the answer leaves out.
    """
    most = max(cell.count for cell in found.cells.values())
    over = f" (the largest over {most} patterns)" if most > 1 else ""
    echo(f"Least d by layer and head, {found.family}{over}:")
    right = [False] + [True] * len(found.heads)
    for line in lay_out(list(_rows(found)), right, width=terminal_width()):
        echo(line)
    left_out = {
        f"masked {'row' if masked == 1 else 'rows'}": masked,
        f"skipped {'matrix' if skipped == 1 else 'matrices'}": skipped,
        f"{'pattern' if unanswered == 1 else 'patterns'} without an answer": unanswered,
    }
    named = ", ".join(f"{count} {thing}" for thing, count in left_out.items() if count)
    heads = "Every measured head" if skipped or unanswered else "Every head"
    echo(_meaning(found, head_dimension, heads, f" (left out: {named})" if named else ""))
    unsettled = sum(not cell.bounds.is_exact for cell in found.cells.values())
    if unsettled:
        heads = plural(len(found.cells), "head")
        echo(f"{unsettled} of {heads} not settled; a longer --time-limit may settle more.")
    echo()


def _rows(found: HeadMap) -> Iterator[list[str]]:
    yield ["", *(f"H{head}" for head in found.heads)]
    for layer in found.layers:
        cells = (found.cells.get((layer, head)) for head in found.heads)
        yield [f"L{layer}", *("" if cell is None else str(cell.bounds) for cell in cells)]


def _meaning(found: HeadMap, head_dimension: int | None, heads: str, left_out: str) -> str:
    lower, upper = found.bounds.lower, found.bounds.upper
    words = f"{heads} fits into d = {upper}{left_out}"
    words += f", and some head needs at least {lower}" if 1 < lower < upper else ""
    if head_dimension is not None:
        words += f"; the model gives its heads {plural(head_dimension, 'dimension')}"
    return f"{words}."
