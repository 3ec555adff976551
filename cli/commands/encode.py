"""`samapprox encode`."""

from __future__ import annotations

from pathlib import Path

import click

from samapprox import InputError, Problem
from samapprox.cli.options import causal_option, keep_apart, pattern_argument, read_pattern
from samapprox.cli.written import FILE
from samapprox.reductions.encodings import ENCODINGS
from samapprox.reductions.encodings import encode as encode_problem
from samapprox.support.atomic import replacing

__all__ = ["encode"]


@click.command()
@pattern_argument
@click.option("-d", "d", type=int, default=1, show_default=True, help="Query/key dimension.")
@click.option("--d-hid", type=int, help="Hidden dimension of X; below 2d queries and keys share X.")
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
@click.option("-o", "--output", type=FILE, help="File to write; standard output by default.")
def encode(
    source: str,
    file_format: str | None,
    key: str | None,
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
    pattern = read_pattern(source, file_format, key, causal)
    choices = {
        "elements": elements,
        "relations": relations,
        "rows": _numbers(rows, "--rows"),
        "columns": _numbers(columns, "--columns"),
    }
    given = {name: value for name, value in choices.items() if value is not None}
    try:
        text = encode_problem(Problem(pattern, d, d_hid), to, **given)
    except InputError as error:
        raise error.within(source) from None
    if output is None:
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
    return [int(word) for word in text.split(",")]
