"""The study of copying: its cells and table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from samapprox.attention.graphs.copying import TABLES
from trained.copying import MASKS, TABLE, Cell, measure

__all__ = ["TABLE", "missing", "report"]


def missing() -> Iterator[tuple[str, Callable[[], Iterator[Cell]]]]:
    """Yield the masks that the table lacks, and functions that measure them."""
    there = {one.name for one in TABLE.read()}
    for name in sorted(MASKS, key=lambda name: "SEQUENTIAL" in name):  # nothing to learn there
        if name not in there:
            yield name, partial(measure, name)


def report() -> None:
    """Print accuracies beside bounds, and what the paper measured for 256 tokens."""
    published = {column.name: column.measured[0] for column in TABLES[1]}
    print("| mask | at most, n = 64 | trained, three seeds | of the paper, n = 256 |")
    print("|---|---|---|---|")
    for name in MASKS:
        own = [one for one in TABLE.read() if one.name == name]
        if own:
            seeds = ", ".join(f"{one.accuracy:.2f}" for one in own)
            print(f"| {name} | {own[0].bound:.2f} | {seeds} | {published[name]:.2f} |")
