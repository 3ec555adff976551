"""`samapprox graph copy` and `graph copy-tables`: the copying task of Yun et al. (2020)."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import click

from samapprox.cli import options
from samapprox.cli.options.masks import Mask, mask_argument
from samapprox.cli.terminal import echo, print_json, print_table, show_progress
from samapprox.errors import errors_within
from samapprox.schemas.graphs import GRAPH_COPY, GRAPH_COPY_TABLES
from samapprox.support.text import plural

if TYPE_CHECKING:
    from samapprox.attention.graphs.copying import Cell, Column, Copying


_TITLES = {1: "bidirectional models", 2: "autoregressive models"}


@click.command(short_help="Bound the accuracy on the copying task.")
@mask_argument
@click.option("--layers", type=int, default=4, show_default=True, help="Largest number of layers.")
@click.option(
    "--autoregressive",
    is_flag=True,
    help="Restrict the mask to the past, and predict each token at the token before it.",
)
@options.as_json
def copy(mask: Mask, layers: int, autoregressive: bool, as_json: bool) -> None:
    """Bound the accuracy that MASK allows on the copying task, for models of 1, 2, .. layers.

    The sequence is 0s0s with n/2 - 1 random symbols s out of 128, and models predict the second s.
    A target can be right more often than by chance only if it can have heard of its source.

    If MASK is a column of Table 1 or 2 of Yun et al. (2020), the measured accuracies stand beside
    the bounds. `graph copy-tables` prints both tables.
    """
    from samapprox.attention.graphs.copying import copying, find_column

    attention = mask.read()
    with errors_within(mask.name), show_progress() as progress:
        found = copying(attention, layers, autoregressive=autoregressive, progress=progress)
    column = find_column(attention, autoregressive=autoregressive)
    if as_json:
        print_json(_document(mask.name, found, column))
    else:
        _print(found, column)


@click.command()
@options.as_json
def copy_tables(as_json: bool) -> None:
    """Print Tables 1 and 2 of Yun et al. (2020) beside the bounds of `graph copy`.

    The tables show measured accuracies on the copying task for eight masks and 1 to 4 layers.
    """
    from samapprox.attention.graphs.copying import TABLES, compare

    with show_progress("following the masks of the tables"):
        cells = {table: compare(table) for table in TABLES}
    if as_json:
        tables = [
            {"table": table, "cells": [cell.to_json() for cell in part]}
            for table, part in cells.items()
        ]
        print_json(GRAPH_COPY_TABLES.write(tables=tables))
        return
    for table, part in cells.items():
        _print_table(table, part)


def _document(mask: str, found: Copying, column: Column | None) -> dict[str, Any]:
    """Make the document that `--json` prints; see `samapprox schema graph-copy`."""
    measured = _measured(found, column)
    return GRAPH_COPY.write(
        found,
        mask=mask,
        column=None if column is None else column.name,
        layers=[
            {
                "layers": layers,
                "heard": found.heard(layers),
                "share": float(found.share(layers)),
                "bound": 100 * float(found.accuracy(layers)),
                "unheard": found.unheard(layers),
                "measured": measured.get(layers),
            }
            for layers in range(1, found.layers + 1)
        ],
    )


def _measured(found: Copying, column: Column | None) -> dict[int, float]:
    """Return the published accuracies by depth."""
    cells = () if column is None else column.measured[: found.layers]
    return dict(enumerate(cells, 1))


def _print(found: Copying, column: Column | None) -> None:
    where = "at the token before" if found.autoregressive else "in place"
    echo(f"{plural(found.tokens, 'token')}, {plural(found.targets, 'target')}, predicted {where}")
    measured = _measured(found, column)
    rows = []
    for layers in range(1, found.layers + 1):
        first = found.unheard(layers)
        cells = [
            str(layers),
            str(found.heard(layers)),
            f"{100 * float(found.share(layers)):.2f} %",
            f"{100 * float(found.accuracy(layers)):.2f} %",
            "" if first is None else f"{first} (source {first - found.tokens // 2})",
        ]
        if measured:
            cells.append(f"{measured[layers]:.2f} %" if layers in measured else "")
        rows.append(cells)
    header = ["layers", "heard of their source", "share", "accuracy at most", "first that has not"]
    if column is not None:
        header.append(f"measured (Table {2 if found.autoregressive else 1}, {column.name})")
    print_table(header, rows)


def _print_table(table: int, cells: Sequence[Cell]) -> None:
    """Print a table with both numbers in each cell, and the cells that exceed their bound."""
    columns = dict.fromkeys(cell.column.name for cell in cells)
    depths = sorted({cell.layers for cell in cells})
    by_place = {(cell.column.name, cell.layers): cell for cell in cells}
    rows = [[name, *(_describe(by_place[name, layers]) for layers in depths)] for name in columns]
    header = ["measured (at most), %", *(plural(layers, "layer") for layers in depths)]
    print_table(header, rows, title=f"Yun et al. (2020), Table {table}: {_TITLES[table]}")
    beyond = [cell for cell in cells if cell.exceeds]
    if not beyond:
        echo("No cell exceeds its bound by more than chance explains.")
    for cell in beyond:
        echo(
            f"{cell.column.name}, {plural(cell.layers, 'layer')}: {cell.measured:.2f} exceeds "
            f"{cell.bound:.2f}; by chance with probability below 10^{ceil(cell.log10_tail)}"
        )


def _describe(cell: Cell) -> str:
    bound = f"{cell.bound:.2f}"
    if cell.deviation:
        bound += f" +- {cell.bound_deviation:.2f}"
    return f"{cell.measured:.2f} ({bound}){' !' if cell.exceeds else ''}"
