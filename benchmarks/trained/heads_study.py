"""The study of head sizes: its cells, tables and picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from matplotlib.figure import Figure
from shared.paths import DOCS

from samapprox.pictures import save_picture
from trained.heads import ENOUGH, MOST_D, SEEDS, TABLE, Cell, measure, subjects

__all__ = ["METHODS", "TABLE", "draw", "group", "least", "missing", "report"]

PICTURE = DOCS / "studies" / "trained.png"

METHODS = (("free", "adam"), ("free", "lbfgs"), ("layer", "adam"))
"""Each way of training: the model, and its optimizer."""

TITLES = {
    ("free", "adam"): "free vectors, Adam",
    ("free", "lbfgs"): "free vectors, L-BFGS",
    ("layer", "adam"): "attention layer, Adam",
}


def missing() -> Iterator[tuple[str, Callable[[], Iterator[Cell]]]]:
    """Yield what the table lacks: a name, and a function that measures it."""
    there = {(one.name, one.model, one.optimizer) for one in TABLE.read()}
    for method in METHODS:
        for subject in subjects():
            if (subject.name, *method) not in there:
                name = f"{subject.part}/{subject.name}/{'/'.join(method)}"
                yield name, partial(measure, subject, *method)


def least(cells: list[Cell], share: float = 0.0, seeds: int = SEEDS) -> int | None:
    """Return the least d with all rows right, and this margin, from so many seeds; or None."""
    for d in sorted({one.d for one in cells}):
        own = [one for one in cells if one.d == d]
        if sum(one.right == one.rows and one.margin >= share for one in own) >= seeds:
            return d
    return None


def report() -> None:
    """Print a table of all patterns and a summary, and draw the picture."""
    found = TABLE.read()
    own = {
        (one.name, *method): [
            x for x in found if (x.name, x.model, x.optimizer) == (one.name, *method)
        ]
        for one in subjects()
        for method in METHODS
    }
    print("| pattern | proven least d | " + " | ".join(TITLES.values()) + " |")
    print("|---|---|" + "---|" * len(METHODS))
    for one in subjects():
        cells = [own[one.name, *method] for method in METHODS]
        if any(cells):
            proven = f"{one.lower}" if one.lower == one.upper else f"{one.lower}..{one.upper}"
            print(f"| {one.name} | {proven} | " + " | ".join(map(_show, cells)) + " |")
    print(
        "\n| trained | patterns | "
        + " | ".join(EXCESSES)
        + " |\n|---|---|"
        + "---|" * len(EXCESSES)
    )
    for method in METHODS:
        pairs = _pairs(own, method)
        counts = [sum(_excess(pair) == name for pair in pairs) for name in EXCESSES]
        print(f"| {TITLES[method]} | {len(pairs)} | " + " | ".join(map(str, counts)) + " |")
    save_picture(draw(own), PICTURE)


EXCESSES = ("the least d", "1 more", "2 more", "3 more", "4 or more")

Own = dict[tuple[str, str, str], list[Cell]]
Pair = tuple[int, int | None]


def group() -> Own:
    """Return the cells of the table by pattern and method."""
    own: Own = {(one.name, *method): [] for one in subjects() for method in METHODS}
    for cell in TABLE.read():
        own[cell.name, cell.model, cell.optimizer].append(cell)
    return own


def _show(cells: list[Cell]) -> str:
    """Write the least d with all rows right from three seeds, from one, and with the margin."""
    if not cells:
        return "-"
    every, some, apart = least(cells), least(cells, seeds=1), least(cells, ENOUGH)
    shown = str(every or f"above {cells[-1].d}")
    more = []
    if some not in (None, every):
        more.append(f"one seed: {some}")
    if apart != every and every is not None:
        more.append(f"margin: {apart or f'above {cells[-1].d}'}")
    return shown + (f" ({'; '.join(more)})" if more else "")


def _pairs(own: Own, method: tuple[str, str]) -> list[Pair]:
    """Return the proven and the trained least d of all patterns whose least d is known."""
    return [
        (one.lower, least(own[one.name, *method]))
        for one in subjects()
        if one.lower == one.upper and own[one.name, *method]
    ]


def _excess(pair: Pair) -> str:
    proven, trained = pair
    more = 4 if trained is None else min(4, trained - proven)
    return EXCESSES[more]


def draw(own: Own) -> Figure:
    """Draw a panel for each method: how many patterns have these proven and trained least d."""
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    axes: Any = figure.subplots(1, len(METHODS), sharex=True, sharey=True)
    for axis, method in zip(axes, METHODS, strict=True):
        counts = Counter((proven, trained or MOST_D + 1) for proven, trained in _pairs(own, method))
        for (proven, trained), count in counts.items():
            axis.scatter(proven, trained, s=130 + 22 * count, color="C0", alpha=0.35, linewidths=0)
            axis.text(proven, trained, str(count), ha="center", va="center", fontsize=9)
        most = MOST_D + 1
        axis.plot([0.5, 5.5], [0.5, 5.5], color="0.5", linewidth=1)
        axis.set_title(TITLES[method], fontsize=10)
        axis.set_xlim(0.4, 5.6)
        axis.set_xticks(range(1, 6))
        axis.set_yticks(range(1, most + 1, 2))
        axis.set_xlabel("proven least d", fontsize=9)
    axes[0].set_ylabel("least d of three trained seeds", fontsize=9)
    return figure
