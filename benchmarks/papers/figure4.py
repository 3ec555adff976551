"""Figure 4 of the paper: d_min of random projections against Q, the draws per token.

    python benchmarks papers.figure4 [--settings 0,1] [--sizes 512,1024] [--matrices 5] [--plot]

Measures what benchmarks/measured/figure4.csv lacks (resumable), then prints a table; --plot draws
docs/theory/figure4.png from it. The draws of a smaller Q are the first of those of a greater.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from shared.d_min import Job, Measured, Setting, read, run

from papers.figure3 import whole_numbers
from samapprox.pictures import save_picture

HERE = Path(__file__).parents[1]
TABLE = HERE / "measured" / "figure4.csv"
PICTURE = HERE.parent / "docs" / "theory" / "figure4.png"

SETTINGS = [Setting(1, 1.0, 0.5, 3.0), Setting(2, 2.0, 0.5, 3.0)]
FACTORS = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0]
SIZES = [512, 1024, 2048, 3072]


def jobs(settings: list[Setting], sizes: list[int], matrices: int) -> list[Job]:
    """The small sizes first."""
    return [
        Job(**vars(setting), Q=Q, n=n, seed=seed)
        for n in sizes
        for setting in settings
        for seed in range(matrices)
        for Q in FACTORS
    ]


def means(found: dict[Job, Measured], setting: Setting, n: int) -> dict[float, float]:
    """Q -> the mean d_min."""
    values = {
        Q: [m.d_min for job, m in found.items() if (job.setting, job.n, job.Q) == (setting, n, Q)]
        for Q in FACTORS
    }
    return {Q: float(np.mean(own)) for Q, own in values.items() if own}


def table(found: dict[Job, Measured]) -> None:
    print(f"| setting | n | matrices | {' | '.join(f'Q = {Q:g}' for Q in FACTORS)} |")
    print(f"|---|---|---|{'---|' * len(FACTORS)}")
    for setting in SETTINGS:
        for n in SIZES:
            own = means(found, setting, n)
            if not own:
                continue
            count = len({job.seed for job in found if (job.setting, job.n) == (setting, n)})
            cells = [f"{own[Q]:.0f}" if Q in own else "-" for Q in FACTORS]
            print(f"| {setting.title} | {n} | {count} | {' | '.join(cells)} |")


def draw(found: dict[Job, Measured]) -> Figure:
    """As wide as a column of text, in which the figure is read."""
    drawn = [setting for setting in SETTINGS if any(job.setting == setting for job in found)]
    figure = Figure(figsize=(7.2, 3.2), layout="constrained")
    axes: Any = figure.subplots(1, len(drawn), squeeze=False)
    for axis, setting in zip(axes.flat, drawn, strict=True):
        for n in SIZES:
            own = means(found, setting, n)
            if own:
                axis.plot(list(own), list(own.values()), "o-", markersize=4, label=f"n = {n}")
        axis.set_xscale("log")
        axis.set_xticks(FACTORS, [f"{Q:g}" for Q in FACTORS])
        axis.minorticks_off()
        axis.set_ylim(bottom=0)
        axis.set_title(setting.title, fontsize=9)
        axis.set_xlabel("Q")
        axis.set_ylabel("d_min")
        axis.legend(fontsize=8)
    return figure


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=whole_numbers, default=list(range(len(SETTINGS))))
    parser.add_argument("--sizes", type=whole_numbers, default=SIZES)
    parser.add_argument("--matrices", type=int, default=5)
    parser.add_argument("--plot", action="store_true", help="measure nothing")
    chosen = parser.parse_args()
    if chosen.plot:
        save_picture(draw(read(TABLE)), PICTURE)
    else:
        run(jobs([SETTINGS[i] for i in chosen.settings], chosen.sizes, chosen.matrices), TABLE)
    table(read(TABLE))
