"""How every JSON document of the command line begins, and how it is printed."""

from __future__ import annotations

from typing import Any

import click

from samapprox.support.json_text import dump_json
from samapprox.version import __version__

__all__ = ["document_head", "print_json"]


def document_head(kind: str) -> dict[str, Any]:
    """What kind of document it is, and who wrote it: see `schemas/KIND.schema.json`.

    Parameters
    ----------
    kind : str
        Without the leading ``samapprox-``.

    Examples
    --------
    >>> sorted(document_head("frontier"))
    ['format', 'samapprox', 'version']
    """
    return {"format": f"samapprox-{kind}", "version": 1, "samapprox": __version__}


def print_json(document: object) -> None:
    """Print a document on one line of standard output.

    Raises
    ------
    InputError
        It holds an integer of more digits than Python writes.
    """
    click.echo(dump_json(document))
