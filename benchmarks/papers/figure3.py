"""Figure 3 of the paper: d_min of random projections against n.

    python benchmarks papers.figure3 [--settings 0,1] [--sizes 512,1024] [--matrices 5]
        [--begin-at 0.85] [--plot] [--failing]

Measures what benchmarks/measured/figure3.csv lacks (resumable; hours on one core for all of it),
then prints a table of the fits. --begin-at leaves out d below that share of the least d_min known
for a setting and a size; --failing measures what that could change: how many rows of A fail in
whole draws there. --plot draws docs/theory/figure3.png from what is there. The six plots of the
figure, k = 1 and 2, come first; the others are in the appendix of the paper.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from shared.d_min import (
    MATRICES,
    SIZES,
    STEP,
    Job,
    Measured,
    Setting,
    failing_rows,
    first_d,
    fit,
    read,
    run,
    theorem_slope,
)

from samapprox.attention.approximation.methods.projection import theorem_d
from samapprox.pictures import save_picture

HERE = Path(__file__).parents[1]
TABLE = HERE / "measured" / "figure3.csv"
PICTURE = HERE.parent / "docs" / "theory" / "figure3.png"

SETTINGS = [
    Setting(1, 1.0, 0.5, 3.0),
    Setting(1, 1.0, 0.5, 1.0),
    Setting(2, 2.0, 0.5, 3.0),
    Setting(2, 1.0, 0.5, 3.0),
    Setting(2, 2.0, 0.5, 1.0),
    Setting(1, 1.0, 0.1, 1.0),
    Setting(3, 2.0, 0.5, 3.0),
    Setting(4, 1.0, 0.5, 3.0),
]


def jobs(settings: list[Setting], sizes: list[int], matrices: int) -> list[Job]:
    """The plots of the figure first; in each part one matrix of every size before the second."""
    parts = ([one for one in settings if (one.k > 2) == later] for later in (False, True))
    return [
        Job(**vars(setting), Q=1.0, n=n, seed=seed)
        for part in parts
        for seed in range(matrices)
        for setting in part
        for n in sizes
    ]


def applies_from(setting: Setting) -> int | None:
    """Return the least size from which on Equation (6) applies: its d is at most 2n."""
    void = [n for n in SIZES if theorem_d(n, **asdict(setting)) > 2 * n]
    return next((n for n in SIZES if n > max(void, default=0)), None)


def where_it_applies(setting: Setting) -> str:
    """Say for which sizes Equation (6) applies."""
    least = applies_from(setting)
    if least is None:
        return "never: d > 2n"
    return "all n" if least == SIZES[0] else f"n >= {least}"


def points(found: dict[Job, Measured], setting: Setting) -> tuple[list[int], list[int]]:
    own = [(job.n, measured.d_min) for job, measured in found.items() if job.setting == setting]
    return [n for n, _ in own], [d for _, d in own]


def table(found: dict[Job, Measured]) -> None:
    """Print what is measured of every setting; fits need three sizes."""
    print(
        "| setting | matrices | n | d_min there | fit | slope of Equation (6) | (6) applies | CPU |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for setting in SETTINGS:
        sizes, values = points(found, setting)
        ends = sorted({min(sizes), max(sizes)}) if sizes else []
        found_at = {n: [d for m, d in zip(sizes, values, strict=True) if m == n] for n in ends}
        means = [f"{np.mean(own):.0f}" for own in found_at.values()]
        fitted = "-"
        if len(set(sizes)) >= 3:
            a, b = fit(sizes, values)
            fitted = f"{a:.0f} + {b:.1f} log n"
        seconds = sum(m.seconds for job, m in found.items() if job.setting == setting)
        print(
            f"| {setting.title} | {len(sizes)} of {len(SIZES) * MATRICES} | "
            f"{', '.join(map(str, ends))} | {', '.join(means)} | {fitted} | "
            f"{theorem_slope(setting):.0f} | {where_it_applies(setting)} | "
            f"{seconds / 60:.0f} min |"
        )
    print(f"\n{len(found)} of {len(SETTINGS) * len(SIZES) * MATRICES} matrices")


def failing(found: dict[Job, Measured], wanted: list[Job], share: float, draws: int = 20) -> None:
    """Print how many rows of A fail in whole draws, for the greatest d left out."""
    print("| setting | n | d_min | d | rows that fail: mean | least |")
    print("|---|---|---|---|---|---|")
    for job in wanted:
        d = first_d(job, found, share) - STEP
        rows = failing_rows(job, d, draws)
        print(
            f"| {job.setting.title} | {job.n} | {found[job].d_min} | {d} | {rows.mean():.1f} | "
            f"{rows.min()} |"
        )


def draw(found: dict[Job, Measured]) -> Figure:
    """As wide as a column of text, in which the figure is read."""
    drawn = [setting for setting in SETTINGS if len(set(points(found, setting)[0])) > 2]
    rows = -(-len(drawn) // 2)
    figure = Figure(figsize=(7.2, 3.0 * rows), layout="constrained")
    axes: Any = figure.subplots(rows, 2, squeeze=False)
    for axis in axes.flat[len(drawn) :]:
        axis.axis("off")
    for axis, setting in zip(axes.flat, drawn, strict=False):
        sizes, values = points(found, setting)
        a, b = fit(sizes, values)
        line = np.array([min(sizes), max(sizes)])
        middle = np.exp(np.log(line).mean())
        axis.plot(sizes, values, "o", color="tab:red", markersize=4, alpha=0.6)
        axis.plot(line, a + b * np.log(line), ":", color="black", label=f"{a:.0f} + {b:.0f} log n")
        applies = applies_from(setting)
        void = f", d > 2n{'' if applies is None else f' for n < {applies}'}"
        axis.plot(
            line,
            a + b * np.log(middle) + theorem_slope(setting) * np.log(line / middle),
            ":" if applies is None else "--",
            color="grey" if applies is None else "tab:blue",
            label=f"slope of (6): {theorem_slope(setting):.0f}{void * (applies != SIZES[0])}",
        )
        low, high = min(values), max(values)
        axis.set_ylim(low - 0.3 * (high - low) - 8, high + 0.3 * (high - low) + 8)
        axis.set_xscale("log", base=2)
        axis.set_xticks([512, 1024, 2048, 3072], ["512", "1024", "2048", "3072"])
        axis.minorticks_off()
        axis.set_title(setting.title, fontsize=9)
        axis.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.24))
        axis.set_xlabel("n")
        axis.set_ylabel("d_min")
    return figure


def whole_numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=whole_numbers, default=list(range(len(SETTINGS))))
    parser.add_argument("--sizes", type=whole_numbers, default=list(SIZES))
    parser.add_argument("--matrices", type=int, default=MATRICES)
    parser.add_argument("--begin-at", type=float, default=0.0, metavar="SHARE")
    parser.add_argument("--plot", action="store_true", help="measure nothing")
    parser.add_argument("--failing", action="store_true", help="measure no d_min")
    chosen = parser.parse_args()
    wanted = jobs([SETTINGS[i] for i in chosen.settings], chosen.sizes, chosen.matrices)
    if chosen.failing:
        failing(read(TABLE), wanted, chosen.begin_at)
        raise SystemExit
    if chosen.plot:
        save_picture(draw(read(TABLE)), PICTURE)
    else:
        run(wanted, TABLE, share=chosen.begin_at)
    table(read(TABLE))
