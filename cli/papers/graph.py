"""`samapprox graph`: sparse attention masks, with sub-commands in `samapprox.cli.graph`."""

from __future__ import annotations

import click

from samapprox.cli.main import LazyGroup

_HERE = "samapprox.cli.graph"

COMMANDS = {
    "info": f"{_HERE}.info:info",
    "draw": f"{_HERE}.info:draw",
    "check": f"{_HERE}.check:check",
    "verify": f"{_HERE}.check:verify",
    "build": f"{_HERE}.build:build",
    "copy": f"{_HERE}.copy:copy",
    "copy-tables": f"{_HERE}.copy:copy_tables",
}
"""Sub-command -> module and function, imported when called."""


@click.group(cls=LazyGroup, table=COMMANDS)
def graph() -> None:
    """Analyse sparse attention masks: sizes, pictures, universality, copying.

    MASK is the name of a graph with parameters, such as bigbird:w=3,g=2,r=3 (with --n), or a file
    with a square pattern: rows are queries, columns are keys, and 1 means that the query attends to
    the key.
    """
