"""`samapprox dim`."""

from __future__ import annotations

import json
from typing import Any

import click

from samapprox import (
    HiddenDimension,
    InputError,
    Problem,
    Verdict,
    WeakDimension,
    hidden_dimensions,
    weak_dimension,
)
from samapprox.cli.document import document_head
from samapprox.cli.options import causal_option, keep_apart, pattern_argument, read_pattern
from samapprox.cli.precision import in_words, precision
from samapprox.cli.progress import show_bounds
from samapprox.cli.written import FILE
from samapprox.pictures.headline import dimension_headline
from samapprox.proofs.words import explain
from samapprox.verdict import Interrupted

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
    interrupt, table = None, None
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
    except Interrupted as interrupted:
        if not isinstance(interrupted.so_far, WeakDimension):
            raise
        interrupt, found = interrupted, interrupted.so_far
    if hidden and interrupt is None:
        try:
            table = hidden_dimensions(pattern, time_limit=time_limit, seed=seed)
        except Interrupted as interrupted:
            if not isinstance(interrupted.so_far, list):
                raise
            interrupt, table = interrupted, interrupted.so_far
    for verdict, path in ((found.yes, yes), (found.no, no)):
        if path is not None:
            _save(verdict, path)
    if as_json:
        click.echo(json.dumps(_document(source, found, table, causal)))
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
    """The bounds and why they hold."""
    rows, columns = found.pattern.shape
    lines = [dimension_headline(found)]
    for verdict in (found.no, found.yes):
        if verdict is None:
            continue
        proof = verdict.proof
        assert proof is not None
        lines.append(f"{verdict.status.value} for {verdict.problem}:")
        told = explain(verdict.problem, proof)
        told += in_words(found.pattern, precision(found.pattern, proof, ()))
        lines += [f"  {line}" for line in told]
    if found.yes is None and not found.exact:
        trivial = Problem(found.pattern, found.upper)
        lines.append(f"YES for {trivial}: as for every {rows} x {columns} pattern.")
    return lines


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


def _document(
    source: str, found: WeakDimension, table: list[HiddenDimension] | None, causal: bool
) -> dict[str, Any]:
    """What `--json` prints: see `schemas/dimension.schema.json`."""
    rows, columns = found.pattern.shape
    certificates = {
        name: None if side is None or side.certificate is None else side.certificate.to_json()
        for name, side in (("yes", found.yes), ("no", found.no))
    }
    return {
        **document_head("dimension"),
        "pattern": {"source": source, "rows": rows, "columns": columns, "causal": causal},
        "lower": found.lower,
        "upper": found.upper,
        "exact": found.exact,
        **certificates,
        "hidden_dimensions": table
        and [
            {
                "d": row.d,
                "lower": row.lower,
                "upper": row.upper,
                "yes": None if row.yes is None else row.yes.to_json(),
                "no": None if row.no is None else row.no.to_json(),
            }
            for row in table
        ],
        "trail": [
            {"d": d, "strategy": step.strategy, "seconds": step.seconds, "outcome": step.outcome}
            for d, step in found.trail
        ],
        "seconds": found.seconds,
    }
