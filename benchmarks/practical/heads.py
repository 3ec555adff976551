"""The least dimension of every head of the shipped MiniLM tensors, as tables and as a map.

    python benchmarks practical.heads [--rules RULE ..] [--seconds S] [--jobs N] [--results R]
                                      [--figure F]
    python benchmarks practical.heads --report [--figure F]

Three texts, six layers of twelve heads, four rules that make weights patterns: 864 patterns. The
results are kept in R, the patterns in a folder beside it; a run that is interrupted goes on there,
and `samapprox report R` makes a page of them. Every bound has passed the exact checker. The bounds
are also kept in benchmarks/measured/heads.csv, from which --report prints and draws them again.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from shared.paths import MEASURED

from samapprox import data, save
from samapprox.attention import binarize_set
from samapprox.attention.weights.rules import parse_rule
from samapprox.batch import Question, Store, run
from samapprox.pictures import save_picture

LAYERS, HEADS = 6, 12
TABLE = MEASURED / "heads.csv"
Grid = NDArray[np.int64]


class Bounds(NamedTuple):
    """Bounds on the least dimension of a head: a line of the csv."""

    text: str
    rule: str
    layer: int
    head: int
    lower: int
    upper: int


def make_set(folder: Path, rules: Sequence[str]) -> None:
    """The patterns, in folders by text; those that are there stay as they are."""
    source = data.path("attention/att_s02_n11.npz").parent
    for entry in binarize_set(source, [parse_rule(rule) for rule in rules]):
        target = folder / entry.path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            save(entry.instance, target)


def measured(results: Path, rules: Sequence[str], seconds: float, jobs: int | None) -> list[Bounds]:
    """The bounds of all patterns, which are kept in a folder beside the results."""
    folder = results.with_suffix("")
    make_set(folder, rules)
    done = run([str(folder)], Question("dim", time_limit=seconds), results, jobs=jobs)
    with Store(results) as store:
        every = [one for one in store.outcomes(done.question) if one.name in done.names]
    found = []
    for one in every:
        text, _, name = one.name.partition("/")
        rule = name.removesuffix(".npz").rpartition("_")[2]
        if rule in rules:
            assert one.layer is not None
            assert one.head is not None
            lower, upper = int(one.lower or 0), int(one.upper or 0)
            found.append(Bounds(text, rule, one.layer, one.head, lower, upper))
    return sorted(found)


def read(path: Path) -> list[Bounds]:
    """The bounds of a csv."""
    with path.open(newline="") as stream:
        lines = list(csv.reader(stream))[1:]
    return [Bounds(text, rule, *map(int, numbers)) for text, rule, *numbers in lines]


def write(path: Path, found: Sequence[Bounds]) -> None:
    with path.open("w", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([Bounds._fields, *found])


def grids(found: Sequence[Bounds], text: str, rule: str) -> tuple[Grid, Grid]:
    """Lower and upper bounds by layer and head."""
    lower, upper = np.zeros((2, LAYERS, HEADS), dtype=np.int64)
    for one in found:
        if (one.text, one.rule) == (text, rule):
            lower[one.layer, one.head], upper[one.layer, one.head] = one.lower, one.upper
    return lower, upper


def tables(found: Sequence[Bounds], texts: Sequence[str], rules: Sequence[str]) -> None:
    """Print the heads by dimension, and the mean lower bound of each layer."""
    print("| tokens | rule | exact | d = 1 | 2 | 3 | 4 | 5 or more | open | greatest lower bound |")
    print("|" + "---|" * 10)
    for text in texts:
        for rule in rules:
            lower, upper = grids(found, text, rule)
            exact = lower == upper
            counts = [int((exact & (lower == d)).sum()) for d in (1, 2, 3, 4)]
            counts.append(int((exact & (lower >= 5)).sum()))
            cells = [text.rpartition("_n")[2], rule, int(exact.sum()), *counts]
            cells += [int((~exact).sum()), int(lower.max())]
            print("| " + " | ".join(map(str, cells)) + " |")
    print("\nMean lower bound by layer:\n")
    print("| tokens | rule | " + " | ".join(f"layer {k}" for k in range(LAYERS)) + " |")
    print("|" + "---|" * (2 + LAYERS))
    for text in texts:
        for rule in rules:
            means = grids(found, text, rule)[0].mean(axis=1)
            shown = " | ".join(f"{mean:.2f}" for mean in means)
            print(f"| {text.rpartition('_n')[2]} | {rule} | {shown} |")


def draw(found: Sequence[Bounds], texts: Sequence[str], rules: Sequence[str]) -> Figure:
    """A map for each text and rule: colours by the lower bound, a plus where it is not exact.

    The figure is as wide as a column of text, in which its numbers are read: two maps side by side.
    """
    rows = -(-len(rules) // 2)
    drawn = Figure(figsize=(7.2, 1.75 * rows * len(texts) + 0.8), layout="constrained")
    axes: Any = drawn.subplots(rows * len(texts), 2, squeeze=False, sharex=True, sharey=True)
    most = max(2, *(one.lower for one in found))
    for number, (text, rule) in enumerate(product(texts, rules)):
        place, column = divmod(number % len(rules), 2)
        here = axes[number // len(rules) * rows + place, column]
        lower, upper = grids(found, text, rule)
        image = here.imshow(lower, cmap="viridis_r", vmin=1, vmax=most, aspect="auto")
        for (layer, head), value in np.ndenumerate(lower):
            shown = f"{value}" if upper[layer, head] == value else f"{value}+"
            colour = "white" if value > most / 2 else "black"
            here.text(head, layer, shown, ha="center", va="center", fontsize=9, color=colour)
        here.set_xticks(range(HEADS))
        here.set_yticks(range(LAYERS))
        here.tick_params(length=0, labelsize=9)
        here.set_title(f"{text.rpartition('_n')[2]} tokens, {rule}", fontsize=10)
        if column == 0:
            here.set_ylabel("layer", fontsize=9)
    for here in axes[-1]:
        here.set_xlabel("head", fontsize=9)
    bar = drawn.colorbar(
        image, ax=axes, ticks=range(1, most + 1), location="bottom", shrink=0.6, aspect=40, pad=0.01
    )
    bar.set_label("least d (with +: at least)", fontsize=9)
    return drawn


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", nargs="+", default=["top1", "top3", "unif", "mass90"])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--results", type=Path, default=Path("heads.sqlite"))
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--report", action="store_true", help="measure nothing, show the csv")
    chosen = parser.parse_args()
    if not chosen.report:
        write(TABLE, measured(chosen.results, chosen.rules, chosen.seconds, chosen.jobs))
    bounds = read(TABLE)
    seen = sorted({one.text for one in bounds})
    used = [rule for rule in chosen.rules if any(one.rule == rule for one in bounds)]
    tables(bounds, seen, used)
    if chosen.figure is not None:
        save_picture(draw(bounds, seen, used), chosen.figure)
