"""`samapprox schema`."""

from __future__ import annotations

import json

import click

from samapprox import schemas
from samapprox.cli.values import complete_names


@click.command()
@click.argument("name", required=False, shell_complete=complete_names(schemas.names))
def schema(name: str | None) -> None:
    """Print the self-contained JSON Schema NAME; without NAME, list all schemas."""
    if name is None:
        for known in schemas.names():
            click.echo(known)
        return
    click.echo(json.dumps(schemas.load(name), indent=2))
