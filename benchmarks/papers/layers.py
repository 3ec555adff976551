"""Layers that Task 1 takes on sparse graphs of about 8 n edges: docs/studies/layers.csv and .png.

    python benchmarks papers.layers [--sizes 64,128,256,512] [--seeds 2] [--out docs/studies]
    python benchmarks papers.layers --report

Each graph runs fixed, until no further layer changes anything, and with its tokens in new random
places in every layer, until all answers are right. Prints the tables of docs/studies/layers.md.
With --report, they and the figure come from the csv.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from shared.paths import DOCS

from samapprox import weak_dimension
from samapprox.attention.graphs import build
from samapprox.attention.graphs.heads import Relabelled
from samapprox.attention.vectors.layers import Layers, furthest_layers
from samapprox.pictures import save_picture
from samapprox.pictures.style import LINES, QUIET
from samapprox.reductions.orthogonal_to_furthest import OrthogonalToFurthest
from samapprox.reductions.vectors import generate

Vectors = np.ndarray[Any, np.dtype[Any]]
Row = dict[str, Any]

GRAPHS = {
    "window": "window:w=8",
    "star": "star:w=2",
    "longformer": "longformer:w=5,g=1",
    "random-keys": "random-keys:r=7",
    "bigbird": "bigbird:w=3,g=1,r=3",
    "bigbird-block": "bigbird-block:b=2,w=1,g=1,r=1",
}
MARKS = "os^vDP"
RECALLS = (0.5, 0.9, 0.99, 1.0)
DIMENSION = 16
MASK_TOKENS = 24
MOST_LAYERS = 100_000


def random(n: int, seed: int) -> tuple[Vectors, Callable[[Vectors], bool] | None]:
    vectors = np.random.RandomState(seed).standard_normal((n, DIMENSION))
    units: Vectors = (vectors / np.linalg.norm(vectors, axis=1)[:, None]).astype(np.float32)
    return units, None


def clustered(n: int, seed: int) -> tuple[Vectors, Callable[[Vectors], bool] | None]:
    made = generate("furthest-clustered", n=n, d=DIMENSION, clusters=16, spread=0.1, seed=seed)
    return made.first, None


def planted(n: int, seed: int) -> tuple[Vectors, Callable[[Vectors], bool] | None]:
    reduction = OrthogonalToFurthest()
    target, back = reduction.apply(generate("orthogonal-planted", n=n, seed=seed))
    return target.first, lambda held: reduction.lift(held, back) is not None


INSTANCES = {"random": random, "clustered": clustered, "planted OV": planted}


def run(instance: str, graph: str, n: int, seed: int, moving: bool) -> Row:
    vectors, goal = INSTANCES[instance](n, seed)
    patterns = build(GRAPHS[graph], n).by_layer()
    layered = Relabelled(patterns, 1000 * seed) if moving else patterns
    found: Layers = furthest_layers(vectors, layered, layers=MOST_LAYERS, goal=goal, until=1.0)
    last = found.layers[-1]
    reached = next((layer.layer for layer in found.layers if layer.reached), None)
    return {
        "instance": instance,
        "graph": graph,
        "places": "new" if moving else "fixed",
        "n": n,
        "seed": seed,
        "edges": sum(pattern.edges for pattern in patterns) // len(patterns),
        "bound": round(found.bound, 2),
        "layers": last.layer,
        "recall": round(last.recall or 0.0, 5),
        "pairs": round(last.pairs / found.possible_pairs, 5),
        **{f"to_{100 * share:g}": found.needed(share) or "" for share in RECALLS},
        "found": reached or "",
    }


def rows(sizes: list[int], seeds: int) -> Iterator[Row]:
    cases = product((False, True), sizes, INSTANCES, GRAPHS, range(1, seeds + 1))
    for moving, n, instance, graph, seed in cases:
        yield run(instance, graph, n, seed, moving)


def read(path: Path) -> list[Row]:
    """The rows of a csv, with numbers as numbers."""
    with path.open(newline="") as stream:
        return [{key: _number(text) for key, text in row.items()} for row in csv.DictReader(stream)]


def _number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def write(path: Path, table: list[Row]) -> None:
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def chosen(table: list[Row], **values: Any) -> list[Row]:
    return [row for row in table if all(row[key] == value for key, value in values.items())]


def median(table: list[Row], column: str) -> float:
    """Return the median of a column; NaN if some run never reached the goal."""
    values = [row[column] for row in table]
    return float("nan") if "" in values else float(statistics.median(values))


def exponent(table: list[Row], column: str, sizes: list[int]) -> float:
    """The slope of log layers against log n."""
    layers = [median(chosen(table, n=n), column) for n in sizes]
    return float(np.polyfit(np.log(sizes), np.log(layers), 1)[0])


def tell(table: list[Row], sizes: list[int]) -> None:
    n = sizes[-1]
    for instance in INSTANCES:
        print(f"\n**{instance}**, n = {n:,} (exponent of n in brackets)\n")
        print("| graph | bound | 50 % | 90 % | 99 % | 100 % | pair found | fixed: recall |")
        print("|---|---|---|---|---|---|---|---|")
        for graph in GRAPHS:
            mine = chosen(table, instance=instance, graph=graph)
            moving = chosen(mine, places="new")
            here, fixed = chosen(moving, n=n), chosen(mine, places="fixed", n=n)
            cells = [
                f"{median(here, column):.0f} ({exponent(moving, column, sizes):.2f})"
                for column in ("to_50", "to_90", "to_99", "to_100")
            ]
            sought = f"{median(here, 'found'):.0f}" if here[0]["found"] else "-"
            print(
                f"| {graph} | {median(here, 'bound'):.0f} | {' | '.join(cells)} | {sought} | "
                f"{100 * median(fixed, 'recall'):.1f} % in {median(fixed, 'layers'):.0f} |"
            )


def dimensions(limit: float) -> None:
    print(f"\n| graph, n = {MASK_TOKENS} | edges | weak dimension |\n|---|---|---|")
    for name, text in GRAPHS.items():
        mask = build(text, MASK_TOKENS).union
        found = weak_dimension(mask.pattern(), time_limit=limit)
        exact = f"{found.lower}" if found.exact else f"{found.lower}..{found.upper}"
        print(f"| {name} | {mask.edges} | {exact} |", flush=True)


def draw(table: list[Row], sizes: list[int]) -> Figure:
    """The layers to 99 % above, the recall below; as wide as a column of text, where it is read."""
    figure = Figure(figsize=(7.2, 6.0), layout="constrained")
    grid: Any = figure.subplots(2, len(INSTANCES), sharex=True, sharey="row")
    for column, instance in enumerate(INSTANCES):
        upper, lower = grid[:, column]
        for colour, mark, graph in zip(LINES, MARKS, GRAPHS, strict=False):
            mine = chosen(table, instance=instance, graph=graph)
            moving, fixed = chosen(mine, places="new"), chosen(mine, places="fixed")
            layers = [median(chosen(moving, n=n), "to_99") for n in sizes]
            recall = [median(chosen(fixed, n=n), "recall") for n in sizes]
            style: dict[str, Any] = {"color": colour, "marker": mark, "markersize": 4.5}
            upper.loglog(sizes, layers, label=graph, **style)
            lower.semilogx(sizes, recall, label=graph, **style)
        upper.loglog(sizes, [n / 16 for n in sizes], ":", color=QUIET, label="n / 16")
        upper.set_title(instance, fontsize=10)
        lower.set_ylim(-0.02, 1.02)
        lower.set_xlabel("n")
        lower.set_xticks(sizes, [f"{n}" for n in sizes])
        lower.minorticks_off()
    grid[0, 0].set_ylabel("layers to 99 %, new places in each")
    grid[1, 0].set_ylabel("recall at the end, fixed graph")
    lines, names = grid[0, 0].get_legend_handles_labels()
    figure.legend(lines, names, fontsize=9, ncols=4, frameon=False, loc="outside lower center")
    return figure


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="64,128,256,512")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds for a dimension")
    parser.add_argument("--out", type=Path, default=DOCS / "studies")
    parser.add_argument("--report", action="store_true", help="run nothing, show the csv")
    options = parser.parse_args()
    sizes = [int(part) for part in options.sizes.split(",")]
    start = time.perf_counter()
    if not options.report:
        write(options.out / "layers.csv", list(rows(sizes, options.seeds)))
    table = read(options.out / "layers.csv")
    save_picture(draw(table, sizes), options.out / "layers.png")
    tell(table, sizes)
    if not options.report:
        dimensions(options.limit)
    print(f"\n{time.perf_counter() - start:.0f} s")
