"""`samapprox encode`."""

from __future__ import annotations

from typing import Any

import click

from samapprox import InputError, Problem
from samapprox.cli import options
from samapprox.cli.files import FILE_OR_STDOUT, keep_apart, write_text
from samapprox.cli.terminal import show_progress
from samapprox.errors import errors_within
from samapprox.problem import require_hidden_dimension
from samapprox.reductions.encodings import ENCODINGS, require_choices
from samapprox.reductions.encodings import encode as encode_problem


@click.command()
@options.pattern
@options.dimensions
@options.causal
@click.option("--to", type=click.Choice(list(ENCODINGS)), required=True, help="Language to write.")
@click.option(
    "--model",
    type=click.Choice(["order", "orientations"]),
    help="mps, lp, opb: look for an order of the keys, or for orientations; by default an order if "
    "d = 1, and orientations if d > 1.",
)
@click.option(
    "--elements",
    type=click.Choice(["rows", "columns"]),
    help="Orientations of rows or of columns; by default of the smaller side.",
)
@click.option(
    "--relations/--no-relations",
    default=None,
    help="Orientations: add the Grassmann-Pluecker relations; by default in mps, lp and opb, and "
    "not in dimacs.",
)
@click.option(
    "--rows", help="Orientations: use only these rows, such as 0,2,5; all distinct rows by default."
)
@click.option(
    "--columns", help="Orientations: use only these columns; all distinct columns by default."
)
@click.option(
    "-o", "--output", type=FILE_OR_STDOUT, help="File to write; standard output by default."
)
def encode(
    source: options.Source,
    d: int,
    d_hid: int | None,
    to: str,
    model: str | None,
    elements: str | None,
    relations: bool | None,
    rows: str | None,
    columns: str | None,
    output: str | None,
) -> None:
    """Encode the question whether dimension d can represent PATTERN for other solvers.

    dimacs states necessary conditions on the orientations of the keys or queries; a refutation is a
    NO. smtlib states the problem itself in real algebra. mps, lp and opb state the same conditions
    as dimacs, so that an infeasible program is a NO, or with --model order that some order of the
    keys exists in which no row changes more than d times: such an order is a YES, but for d > 1
    many patterns that are a YES have none, so an infeasible order model proves nothing there. The
    comments of the file explain what an answer proves; samapprox decode reads it.
    """
    keep_apart([source.path], [output])
    require_hidden_dimension(d, d_hid)
    choices: dict[str, Any] = {
        "model": model,
        "elements": elements,
        "relations": relations,
        "rows": _numbers(rows, "--rows"),
        "columns": _numbers(columns, "--columns"),
    }
    given = {name: value for name, value in choices.items() if value is not None}
    require_choices(to, given)
    pattern = source.read().pattern
    for kind, size in zip(("row", "column"), pattern.shape, strict=True):
        for index in choices[f"{kind}s"] or ():
            options.require_index(f"--{kind}s", kind, index, size)
    with errors_within(source.path), show_progress("encoding the problem"):
        text = encode_problem(Problem(pattern, d, d_hid), to, **given)
    write_text(text, output, f"{to} encoding")


def _numbers(text: str | None, option: str) -> list[int] | None:
    """Parse numbers separated by commas."""
    if text is None:
        return None
    if not all(word.strip().isdecimal() for word in text.split(",")):
        raise InputError(f"{option} must be indices from 0 separated by commas, not {text[:40]!r}")
    numbers = [int(word) for word in text.split(",")]
    if len(set(numbers)) < len(numbers):
        raise InputError(f"{option} must name each index once, not {text[:40]!r}")
    return numbers
