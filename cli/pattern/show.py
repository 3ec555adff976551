"""`samapprox show`."""

from __future__ import annotations

from typing import Any

import click

from samapprox.cli import options
from samapprox.cli.terminal import echo, print_json, show_progress
from samapprox.errors import InputError, abridge
from samapprox.instance import MOST_MERGED, describe
from samapprox.pattern import Pattern
from samapprox.sign_matrix import SignMatrix
from samapprox.solvers.division.division import divide_large
from samapprox.support.text import plural

MOST_SHOWN = 100
"""The most rows and columns of a pattern that is printed."""


@click.command()
@options.pattern
@options.causal
@click.option(
    "--ids",
    is_flag=True,
    help="Print the ids of rows and columns instead, in their order: row or column, number, id, "
    "between tabs.",
)
@click.option(
    "--text",
    "as_text",
    is_flag=True,
    help="Print the entries alone, whatever their number: the rows of 0, 1 and * that the second "
    "checker reads.",
)
@options.as_json
def show(source: options.Source, ids: bool, as_text: bool, as_json: bool) -> None:
    """Print the properties of PATTERN, and a small PATTERN itself.

    PATTERN may be a matrix of signs, + and - or 1 and -1; its + count as ones.
    """
    if as_text and (as_json or ids):
        raise InputError("--text, --ids and --json exclude each other: give one of them")
    instance = source.read_matrix()
    if ids:
        _show_ids(source.path, instance.pattern, as_json=as_json)
        return
    if as_text:
        click.echo(instance.pattern.to_text())
        return
    facts: dict[str, Any] = {}
    with show_progress("describing the pattern"):
        for name, value in describe(instance).items():
            facts[name] = value
            if name == "merged":
                facts["parts"] = _describe_parts(instance.pattern)
    if as_json:
        from samapprox.schemas.commands import SHOW

        print_json(SHOW.write(**facts))
        return
    pattern = instance.pattern
    for name, value in facts.items():
        if isinstance(value, list):
            for line in value:
                echo(f"{name}: {' '.join(line.split())}")
        elif isinstance(value, dict):
            echo(f"{name}: {_put_parts(value)}")
        elif value is not None:
            echo(f"{name}: {value}")
    if max(pattern.shape) <= MOST_SHOWN:
        click.echo(pattern.to_signs() if isinstance(pattern, SignMatrix) else pattern.to_text())


def _show_ids(path: str, pattern: Pattern | SignMatrix, *, as_json: bool) -> None:
    """Print the ids of rows and columns, in their order."""
    sides = {"row": pattern.row_names, "column": pattern.column_names}
    if not any(sides.values()):
        raise InputError(f"{path}: neither rows nor columns have ids")
    if as_json:
        ids = {f"{line}s": names and list(names) for line, names in sides.items()}
        from samapprox.schemas.commands import IDS

        print_json(IDS.write(**ids))
        return
    # Where an id has these, lines would not say where it ends.
    for name in (name for names in sides.values() for name in names or ()):
        if "".join(name.splitlines()) != name or "\t" in name:
            raise InputError(
                f"{path}: the id {abridge(name)} has a tab or a line break; give --json"
            )
    for line, names in sides.items():
        for place, name in enumerate(names or ()):
            click.echo(f"{line}\t{place}\t{name}")


def _describe_parts(pattern: Pattern) -> dict[str, Any] | None:
    """Describe the parts of the merged pattern; None for signs, or if it is too large to merge."""
    if isinstance(pattern, SignMatrix):
        return None
    if pattern.size > MOST_MERGED and not pattern.ones.is_sparse:
        return None
    return divide_large(pattern).describe()


def _put_parts(parts: dict[str, Any]) -> str:
    """Describe the parts on a line."""
    largest = ", ".join(parts["largest"])
    more = ", .." if parts["number"] > len(parts["largest"]) else ""
    cuts = parts["cut columns"]
    sharing = f"; {plural(cuts, 'cut column')} (shared by parts)" if cuts else ""
    return f"{parts['number']} ({largest}{more}){sharing}"
