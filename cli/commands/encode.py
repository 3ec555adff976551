"""`samapprox encode`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from samapprox import InputError, Problem
from samapprox.cli.options import (
    Reading,
    causal_option,
    dimension_options,
    keep_apart,
    pattern_argument,
    read_pattern,
    require_index,
)
from samapprox.cli.written import FILE_OR_STDOUT
from samapprox.problem import require_hidden_dimension
from samapprox.reductions.encodings import ENCODINGS, require_choices
from samapprox.reductions.encodings import encode as encode_problem
from samapprox.support.atomic import replacing

__all__ = ["encode"]


@click.command()
@pattern_argument
@dimension_options
@causal_option
@click.option("--to", type=click.Choice(list(ENCODINGS)), required=True, help="The language.")
@click.option(
    "--elements",
    type=click.Choice(["rows", "columns"]),
    help="dimacs: whose orientations; by default those of the smaller side.",
)
@click.option(
    "--relations/--no-relations",
    default=None,
    help="dimacs: with the Grassmann-Pluecker relations; without them by default.",
)
@click.option(
    "--rows", help="dimacs: only these rows, such as 0,2,5; by default all distinct ones."
)
@click.option("--columns", help="dimacs: only these columns.")
@click.option(
    "-o", "--output", type=FILE_OR_STDOUT, help="File to write; standard output by default."
)
def encode(
    source: str,
    reading: Reading,
    d: int,
    d_hid: int | None,
    causal: bool,
    to: str,
    elements: str | None,
    relations: bool | None,
    rows: str | None,
    columns: str | None,
    output: str | None,
) -> None:
    """Write whether dimension d can show PATTERN as a problem for other people's solvers.

    dimacs: orientations of the keys or queries, whose refutation is a NO. smtlib: the problem as it
    is, in real algebra. mps, lp, opb: an order of the keys in which no row changes more than d
    times, which is a YES. The comments of the file say what its answers prove; samapprox decode
    reads them.
    """
    keep_apart([source], [output])
    require_hidden_dimension(d, d_hid)
    choices: dict[str, Any] = {
        "elements": elements,
        "relations": relations,
        "rows": _numbers(rows, "--rows"),
        "columns": _numbers(columns, "--columns"),
    }
    given = {name: value for name, value in choices.items() if value is not None}
    require_choices(to, given)
    pattern = read_pattern(source, reading, causal)
    for kind, size in zip(("row", "column"), pattern.shape, strict=True):
        for index in choices[f"{kind}s"] or ():
            require_index(f"--{kind}s", kind, index, size)
    try:
        text = encode_problem(Problem(pattern, d, d_hid), to, **given)
    except InputError as error:
        raise error.within(source) from None
    if output is None or output == "-":
        click.echo(text, nl=False)
        return
    with replacing(Path(output)) as stream:
        stream.write(text.encode())
    click.echo(f"samapprox: {to} written to {output}", err=True)


def _numbers(text: str | None, option: str) -> list[int] | None:
    """Numbers between commas."""
    if text is None:
        return None
    if not all(word.strip().isdecimal() for word in text.split(",")):
        raise InputError(f"{option} must be numbers from 0 with commas between, not {text[:40]!r}")
    numbers = [int(word) for word in text.split(",")]
    if len(set(numbers)) < len(numbers):
        raise InputError(f"{option} must name each number once, not {text[:40]!r}")
    return numbers
