"""Copying and costs: the papers' measured figures beside the bounds and counts.

    python benchmarks/copying.py

Each row says what, how much, and the goal. The benchmarks of universality and of reasoning show
these rows among theirs.
"""

from __future__ import annotations

import time

from samapprox.attention.graphs.copying_tables import Cell, compare, exceeding
from samapprox.reductions.reasoning.capacity.cost_tables import CLAIMS, MEASURED
from samapprox.support.text_table import lay_out

Row = tuple[str, str, str]


def copying_rows() -> list[Row]:
    """The rows of one layer, the cells beyond their bound, and the seconds of both tables."""
    start = time.process_time()
    cells = {table: compare(table) for table in (1, 2)}
    seconds = time.process_time() - start
    rows = [
        (
            f"copying, one layer, {cell.column.name}, Table {cell.table}",
            f"{cell.bound:.2f} % (measured in the paper: {cell.measured:.2f} %)",
            goal,
        )
        for cell, goal in (
            (_one_layer(cells[1], "FIXED UNION"), "7.03 %"),
            (_one_layer(cells[1], "STAR"), "1.56 %"),
            (_one_layer(cells[1], "RANDOM"), "34.6 +- 4 %"),
        )
    ]
    rows += [
        (
            f"copying, {cell.layers} layers, {cell.column.name}, Table {cell.table}",
            f"{cell.bound:.2f} % (measured in the paper: {cell.measured:.2f} %)",
            "above the bound",
        )
        for cell in exceeding()
    ]
    rows.append(("copying, both tables, 100 seeds of RANDOM", f"{seconds:.1f} s", ""))
    return rows


def cost_rows() -> list[Row]:
    """The worst fitted exponent of Table 1, and the worst cell of Table 2."""
    exponent = max(CLAIMS, key=lambda claim: abs(claim.fitted - claim.exponent))
    cell = max(MEASURED, key=lambda cell: abs(cell.gflops / cell.linear_maps - 1))
    return [
        (
            f"exponents of Table 1, worst: {exponent.architecture.value}, {exponent.tasks}",
            f"{exponent.fitted:.3f} for {exponent.exponent:g}",
            "within 0.05",
        ),
        (
            f"GFLOPs of Table 2, worst: {cell.architecture.value}, L = {cell.length}",
            f"{cell.gflops:.3f} for {cell.linear_maps:.4f}",
            "within 6 %",
        ),
    ]


def _one_layer(cells: tuple[Cell, ...], name: str) -> Cell:
    (found,) = (cell for cell in cells if (cell.column.name, cell.layers) == (name, 1))
    return found


if __name__ == "__main__":
    header = ("what", "measured", "goal")
    for line in lay_out([header, *copying_rows(), *cost_rows()], [False] * 3):
        print(line)
