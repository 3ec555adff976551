"""Printing of JSON documents."""

from __future__ import annotations

import click

from samapprox.support.json_text import dump_json

__all__ = ["print_json"]


def print_json(document: object) -> None:
    """Print a document on one line of standard output.

    Raises
    ------
    InputError
        The document holds an integer of more digits than Python writes.
    """
    click.echo(dump_json(document))
