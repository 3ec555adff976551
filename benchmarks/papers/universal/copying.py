"""Copying: the measured accuracies of Yun et al. (2020) beside the bounds."""

from __future__ import annotations

import time

from shared.rows import Row

from samapprox.attention.graphs.copying import Cell, compare, exceeding


def copying() -> list[Row]:
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


def _one_layer(cells: tuple[Cell, ...], name: str) -> Cell:
    (found,) = (cell for cell in cells if (cell.column.name, cell.layers) == (name, 1))
    return found
