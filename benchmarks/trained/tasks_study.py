"""The study of reasoning tasks: its cells and table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

from trained.tasks import MODELS, SIZES, TABLE, WIDTHS, Cell, measure

__all__ = ["TABLE", "missing", "report"]


def missing() -> Iterator[tuple[str, Callable[[], Iterator[Cell]]]]:
    """Yield the cells that the table lacks, and functions that measure them."""
    there = {(one.task, one.model, one.width) for one in TABLE.read()}
    for width, task, model in product(WIDTHS, SIZES, MODELS):
        if (task, model, width) not in there:
            yield f"{task}/{model}/D = {width}", partial(measure, task, model, width)


def report() -> None:
    """Print the shares of chains that are right, seed by seed."""
    print("| task | size | D | " + " | ".join(MODELS) + " |\n|---|---|---|" + "---|" * len(MODELS))
    found = TABLE.read()
    for task, width in product(SIZES, sorted(WIDTHS)):
        own = [one for one in found if (one.task, one.width) == (task, width)]
        if own:
            cells = [
                ", ".join(f"{one.chains:.1f}" for one in own if one.model == model) or "-"
                for model in MODELS
            ]
            print(f"| {task} | {SIZES[task]} | {width} | " + " | ".join(cells) + " |")
