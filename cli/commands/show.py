"""`samapprox show`."""

from __future__ import annotations

import json
from typing import Any

import click

from samapprox import Instance, Problem
from samapprox.cli.options import causal_option, json_option, pattern_argument, read_instance
from samapprox.proofs.simplify import simplify

__all__ = ["show"]

MOST_SHOWN = 100
"""Rows and columns of the largest pattern that is printed."""

MOST_MERGED = 50_000_000
"""Entries of the largest pattern whose equal rows and columns are merged."""


@click.command()
@pattern_argument
@causal_option
@json_option
def show(
    source: str, file_format: str | None, key: str | None, causal: bool, as_json: bool
) -> None:
    """Print PATTERN, if it is small, and what there is to say about it."""
    instance = read_instance(source, file_format, key, causal)
    facts = _facts(instance)
    if as_json:
        click.echo(json.dumps(facts))
        return
    pattern = instance.pattern
    for name, value in facts.items():
        if isinstance(value, list):
            for line in value:
                click.echo(f"{name}: {' '.join(line.split())}")
        elif value is not None:
            click.echo(f"{name}: {value}")
    if max(pattern.shape) <= MOST_SHOWN:
        click.echo(pattern.to_text())


def _facts(instance: Instance) -> dict[str, Any]:
    pattern = instance.pattern
    stars = pattern.unspecified
    rows, columns = pattern.shape
    small = simplify(pattern).pattern if rows * columns <= MOST_MERGED else None
    return {
        "rows": pattern.shape[0],
        "columns": pattern.shape[1],
        "ones": pattern.count,
        "unspecified": 0 if stars is None else int(stars.row_counts.sum()),
        "density": round(pattern.density, 6),
        "ones a row": f"{pattern.row_ones.min()}..{pattern.row_ones.max()}",
        "merged": None if small is None else f"{small.shape[0]} x {small.shape[1]}",
        "sha256": pattern.sha256,
        "known": [
            f"{fact.answer} for {Problem(pattern, fact.d, fact.d_hid)}: {fact.reason}"
            for fact in instance.facts
        ],
        "origin": [f"{name} = {value}" for name, value in instance.origin.items()],
    }
