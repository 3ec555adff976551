"""The width of standard, sparse, local and linear decoders against the length of the chain.

    python benchmarks papers.widths [--plot]

Measures benchmarks/measured/widths.csv in some minutes, on one core; --plot measures nothing. Both
print a table and draw docs/theory/widths.png.
"""

from __future__ import annotations

import argparse
from typing import Any

from matplotlib.figure import Figure
from shared.paths import DOCS, MEASURED

from papers.chains.widths import SIZES, Measured, measure_decoders, read, write
from samapprox.attention.reasoning.decoders.program import MODELS
from samapprox.pictures import save_picture

TABLE = MEASURED / "widths.csv"
PICTURE = DOCS / "theory" / "widths.png"

TITLES = {
    "edit-distance": "edit distance",
    "arithmetic": "arithmetic modulo 11",
    "turing-machine": "palindromes, Turing machine",
    "lis": "longest increasing subsequence",
}
MARKS = {"standard": "C0o-", "sparse": "C1s-", "local": "C2x--", "linear": "C3^-"}


def draw(found: list[Measured]) -> Figure:
    """Draw a panel for each task: width against length."""
    figure = Figure(figsize=(7.2, 5.2), layout="constrained")
    axes: Any = figure.subplots(2, 2, sharex=True)
    for axis, task in zip(axes.flat, SIZES, strict=True):
        for model in MODELS:
            own = [one for one in found if (one.task, one.model) == (task, model)]
            if own:
                lengths, widths = zip(*((one.length, one.width) for one in own), strict=True)
                axis.plot(lengths, widths, MARKS[model], markersize=5, label=model)
        axis.set_title(TITLES[task], fontsize=10)
        axis.set_ylim(bottom=0)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    for axis in axes[1]:
        axis.set_xlabel("tokens of the chain, L")
    for axis in axes[:, 0]:
        axis.set_ylabel("width D")
    return figure


def _span(numbers: list[int]) -> str:
    """Write the least and the greatest number, or the only one."""
    ends = sorted({min(numbers), max(numbers)})
    return "..".join(map(str, ends))


def print_table(found: list[Measured]) -> None:
    """Print a line for each task and model."""
    print("| task | model | L | width D | depth, heads | wrong, 64 bits | wrong, 32 bits |")
    print("|---|---|---|---|---|---|---|")
    for task in SIZES:
        for model in MODELS:
            own = [one for one in found if (one.task, one.model) == (task, model)]
            if own:
                wrong, wrong_32, tokens = (
                    sum(getattr(one, part) for one in own)
                    for part in ("wrong", "wrong_32", "tokens")
                )
                cells = [
                    TITLES[task],
                    model,
                    ", ".join(str(one.length) for one in own),
                    ", ".join(map(str, dict.fromkeys(one.width for one in own))),
                    f"{own[0].depth}, {_span([one.heads for one in own])}",
                    f"{wrong} of {tokens:,}",
                    f"{wrong_32:,} of {tokens:,}",
                ]
                print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", action="store_true", help="measure nothing")
    if not parser.parse_args().plot:
        write(TABLE, measure_decoders(read(TABLE)))
    measured = read(TABLE)
    print_table(measured)
    save_picture(draw(measured), PICTURE)
