"""The study of reasoning tasks: its cells, tables and picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from papers.chains.widths import find_longest
from shared.paths import DOCS

from samapprox.attention.reasoning import parse_task
from samapprox.attention.reasoning.decoders.program import Program, build_decoder
from samapprox.pictures import save_picture
from trained.tasks import MODELS, SIZES, TABLE, WIDTHS, Cell, measure

__all__ = ["TABLE", "draw", "find_programs", "missing", "report"]

PICTURE = DOCS / "studies" / "tasks.png"

TITLES = dict(zip(SIZES, ("increasing subsequence", "edit distance", "arithmetic"), strict=True))
MARKS = {"standard": "C0o", "sparse": "C1s", "linear": "C3^"}

_DRAWN = 200  # instances, among which one has the longest chain


def missing() -> Iterator[tuple[str, Callable[[], Iterator[Cell]]]]:
    """Yield the cells that the table lacks, and functions that measure them."""
    there = {(one.task, one.model, one.width) for one in TABLE.read()}
    for width, task, model in product(WIDTHS, SIZES, MODELS):
        if (task, model, width) not in there:
            yield f"{task}/{model}/D = {width}", partial(measure, task, model, width)


def report() -> None:
    """Print the shares of chains that are right, seed by seed, and widths that suffice; draw."""
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
    print("\n| task | tokens | " + " | ".join(MODELS) + " |\n|---|---|" + "---|" * len(MODELS))
    programs = find_programs()
    for task, program in programs.items():
        widths = [str(build_decoder(program, model).width) for model in MODELS]
        print(f"| {task} | at most {program.length} | " + " | ".join(widths) + " |")
    save_picture(draw(found, programs), PICTURE)


def find_programs() -> dict[str, Program]:
    """Return for each task the programme of the longest chain of instances of this study."""
    tasks = {name: parse_task(name) for name in SIZES}
    return {
        name: find_longest(task, list(task.generate(SIZES[name], count=_DRAWN)))
        for name, task in tasks.items()
    }


def draw(found: list[Cell], programs: dict[str, Program]) -> Figure:
    """Draw a panel for each task: trained chains that are right, and decoders that always are."""
    figure = Figure(figsize=(7.2, 3.4), layout="constrained")
    axes: Any = figure.subplots(1, len(SIZES), sharex=True, sharey=True)
    for axis, (task, program) in zip(axes, programs.items(), strict=True):
        for model in MODELS:
            own = [one for one in found if (one.task, one.model) == (task, model)]
            widths = sorted({one.width for one in own})
            means = [np.mean([one.chains for one in own if one.width == w]) for w in widths]
            axis.plot(widths, means, MARKS[model] + "-", markersize=4, label=model)
            axis.plot(
                [one.width for one in own],
                [one.chains for one in own],
                MARKS[model],
                markersize=4,
                alpha=0.3,
            )
            axis.plot(build_decoder(program, model).width, 100, f"{MARKS[model][:2]}*")
        axis.set_title(TITLES[task], fontsize=10)
        axis.set_xscale("log", base=2)
        axis.set_xticks([8, 16, 32, 64, 128, 256], ["8", "16", "32", "64", "128", "256"])
        axis.minorticks_off()
        axis.set_xlabel("width D", fontsize=9)
    axes[0].set_ylabel("right chains in percent", fontsize=9)
    handles, _ = axes[0].get_legend_handles_labels()
    (proven,) = axes[0].plot([], [], "k*", label="decoder by formulas")
    figure.legend(handles=[*handles, proven], loc="outside upper center", ncols=4)
    return figure
