"""`samapprox dim`."""

from __future__ import annotations

import json

import click

from samapprox import (
    DimensionInterrupted,
    HiddenDimension,
    HiddenDimensionsInterrupted,
    InputError,
    Interrupted,
    Problem,
    Verdict,
    WeakDimension,
    hidden_dimensions,
    weak_dimension,
)
from samapprox.cli.options import causal_option, keep_apart, pattern_argument, read_pattern
from samapprox.cli.precision import in_words, precision
from samapprox.cli.progress import show_bounds
from samapprox.cli.written import FILE

__all__ = ["dim"]


@click.command()
@pattern_argument
@causal_option
@click.option("--only", multiple=True, help="Use this strategy alone (may be repeated).")
@click.option("--without", multiple=True, help="Leave this strategy out (may be repeated).")
@click.option(
    "--time-limit", type=float, default=60.0, show_default=True, help="Seconds for both bounds."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same choices.")
@click.option("--yes", type=FILE, help="Save the upper bound's certificate.")
@click.option("--no", type=FILE, help="Save the lower bound's certificate.")
@click.option(
    "--d-hid",
    "hidden",
    is_flag=True,
    help="Also the least d_hid for each d (square patterns); --time-limit is for each pair.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
def dim(
    source: str,
    file_format: str | None,
    key: str | None,
    causal: bool,
    only: tuple[str, ...],
    without: tuple[str, ...],
    time_limit: float,
    seed: int,
    yes: str | None,
    no: str | None,
    hidden: bool,
    as_json: bool,
) -> None:
    """The least query/key dimension that shows PATTERN, with both certificates.

    Exact where the bounds meet within the time limit, else the interval that is proven.
    """
    keep_apart([source], [yes, no])
    pattern = read_pattern(source, file_format, key, causal)
    interrupt: Interrupted[object] | None = None
    table = None
    try:
        if hidden:
            Problem(pattern, 1, 1)  # refuses rectangles, before the bounds take their time
        with show_bounds(time_limit) as progress:
            found = weak_dimension(
                pattern,
                time_limit=time_limit,
                seed=seed,
                only=only,
                without=without,
                progress=progress,
            )
    except InputError as error:
        raise error.within(source) from None
    except DimensionInterrupted as interrupted:
        interrupt, found = interrupted, interrupted.so_far
    if hidden and interrupt is None:
        try:
            table = hidden_dimensions(pattern, time_limit=time_limit, seed=seed)
        except HiddenDimensionsInterrupted as interrupted:
            interrupt, table = interrupted, interrupted.so_far
    for verdict, path in ((found.yes, yes), (found.no, no)):
        if path is not None:
            _save(verdict, path)
    if as_json:
        rows = None if table is None else [row.to_json() for row in table]
        document = found.to_json(source=source, causal=causal, hidden_dimensions=rows)
        click.echo(json.dumps(document))
    else:
        for line in [*_describe(found), *_describe_hidden(table or [])]:
            click.echo(line)
    if interrupt is not None:
        raise interrupt


def _save(verdict: Verdict | None, path: str) -> None:
    if verdict is None or verdict.certificate is None:
        click.echo(f"samapprox: no certificate for {path}: the bound is a trivial one", err=True)
        return
    verdict.certificate.save(path)
    click.echo(f"samapprox: certificate saved to {path}", err=True)


def _describe(found: WeakDimension) -> list[str]:
    """The bounds, why they hold, and how much room the embedding leaves."""
    room = None if found.yes is None else precision(found.pattern, found.yes.proof, ())
    return [*str(found).splitlines(), *(f"  {line}" for line in in_words(found.pattern, room))]


def _describe_hidden(table: list[HiddenDimension]) -> list[str]:
    """One line for each d."""
    lines = []
    for row in table:
        if row.upper is None:
            least = f"at least {row.lower}, if any"
        else:
            least = str(row.lower) if row.exact else f"{row.lower}..{row.upper}"
        lines.append(f"d = {row.d}: least d_hid {least}")
    return lines
