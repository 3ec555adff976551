"""`samapprox show`."""

from __future__ import annotations

import click

from samapprox.cli.options import (
    Reading,
    causal_option,
    json_option,
    pattern_argument,
    read_instance,
)
from samapprox.cli.printing import print_json
from samapprox.description import describe
from samapprox.support.document import document_head

__all__ = ["show"]

MOST_SHOWN = 100
"""Rows and columns of the largest pattern that is printed."""


@click.command()
@pattern_argument
@causal_option
@json_option
def show(source: str, reading: Reading, causal: bool, as_json: bool) -> None:
    """Print PATTERN, if it is small, and what there is to say about it."""
    instance = read_instance(source, reading, causal)
    facts = describe(instance)
    if as_json:
        print_json({**document_head("show"), **facts})
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
