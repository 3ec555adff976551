"""The least dimension of every head of the shipped MiniLM tensors, as tables and as a map.

    python benchmarks/heads.py [--rules RULE ..] [--seconds S] [--jobs N] [--results R] [--figure F]

Three texts, six layers of twelve heads, four rules that make weights patterns: 864 patterns. The
results are kept in R, the patterns in a folder beside it; a run that is interrupted goes on there,
and `samapprox report R` makes a page of them. Every bound has passed the exact checker.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox import data, save
from samapprox.attention import binarize_set
from samapprox.attention.weights.rules import parse_rule
from samapprox.batch import Outcome, Question, Store, run

LAYERS, HEADS = 6, 12
Grid = NDArray[np.int64]


def make_set(folder: Path, rules: Sequence[str]) -> None:
    """The patterns, in folders by text; those that are there stay as they are."""
    source = data.path("attention/att_s02_n11.npz").parent
    for entry in binarize_set(source, [parse_rule(rule) for rule in rules]):
        target = folder / entry.path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            save(entry.instance, target)


def answered(
    results: Path, rules: Sequence[str], seconds: float, jobs: int | None
) -> list[Outcome]:
    """The bounds of all patterns, which are kept in a folder beside the results."""
    folder = results.with_suffix("")
    make_set(folder, rules)
    done = run([str(folder)], Question("dim", time_limit=seconds), results, jobs=jobs)
    endings = tuple(f"_{rule}.npz" for rule in rules)
    with Store(results) as store:
        every = [one for one in store.outcomes(done.question) if one.name in done.names]
    return [one for one in every if one.name.endswith(endings)]


def grids(outcomes: Sequence[Outcome], text: str, rule: str) -> tuple[Grid, Grid]:
    """Lower and upper bounds by layer and head."""
    lower, upper = np.zeros((2, LAYERS, HEADS), dtype=np.int64)
    for one in outcomes:
        if one.name.startswith(f"{text}/") and one.name.endswith(f"_{rule}.npz"):
            assert one.layer is not None
            assert one.head is not None
            lower[one.layer, one.head] = one.lower or 0
            upper[one.layer, one.head] = one.upper or 0
    return lower, upper


def tables(outcomes: Sequence[Outcome], texts: Sequence[str], rules: Sequence[str]) -> None:
    """Print the heads by dimension, and the mean lower bound of each layer."""
    print("| tokens | rule | exact | d = 1 | 2 | 3 | 4 | 5 or more | open | greatest lower bound |")
    print("|" + "---|" * 10)
    for text in texts:
        for rule in rules:
            lower, upper = grids(outcomes, text, rule)
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
            means = grids(outcomes, text, rule)[0].mean(axis=1)
            shown = " | ".join(f"{mean:.2f}" for mean in means)
            print(f"| {text.rpartition('_n')[2]} | {rule} | {shown} |")


def figure(
    outcomes: Sequence[Outcome], texts: Sequence[str], rules: Sequence[str], path: Path
) -> None:
    """A map for each text and rule: colours by the lower bound, a plus where it is not exact."""
    from matplotlib.figure import Figure

    from samapprox.pictures import save_picture

    drawn = Figure(figsize=(3.5 * len(rules), 2.2 * len(texts) + 0.4), layout="constrained")
    axes: Any = drawn.subplots(len(texts), len(rules), squeeze=False, sharex=True, sharey=True)
    most = int(max(one.lower or 1 for one in outcomes))
    for row, text in enumerate(texts):
        for column, rule in enumerate(rules):
            lower, upper = grids(outcomes, text, rule)
            here = axes[row, column]
            image = here.imshow(lower, cmap="viridis_r", vmin=1, vmax=max(2, most), aspect="auto")
            for (layer, head), value in np.ndenumerate(lower):
                told = f"{value}" if upper[layer, head] == value else f"{value}+"
                colour = "white" if value > (1 + most) / 2 else "black"
                here.text(head, layer, told, ha="center", va="center", fontsize=7, color=colour)
            here.set_xticks(range(HEADS))
            here.set_yticks(range(LAYERS))
            here.tick_params(length=0, labelsize=7)
            if row == 0:
                here.set_title(rule, fontsize=10)
            if column == 0:
                here.set_ylabel(f"{text.rpartition('_n')[2]} tokens\nlayer", fontsize=9)
            if row == len(texts) - 1:
                here.set_xlabel("head", fontsize=9)
    bar = drawn.colorbar(image, ax=axes, ticks=range(1, max(2, most) + 1), shrink=0.8)
    bar.set_label("least d (with +: at least)", fontsize=9)
    save_picture(drawn, path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", nargs="+", default=["top1", "top3", "unif", "mass90"])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--results", type=Path, default=Path("heads.sqlite"))
    parser.add_argument("--figure", type=Path)
    chosen = parser.parse_args()
    found = answered(chosen.results, chosen.rules, chosen.seconds, chosen.jobs)
    seen = sorted({one.name.partition("/")[0] for one in found})
    tables(found, seen, chosen.rules)
    if chosen.figure is not None:
        figure(found, seen, chosen.rules, chosen.figure)
