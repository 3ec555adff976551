"""The pattern that a command is about, and how it is read."""

from __future__ import annotations

from typing import Any

import click

from samapprox import InputError, Instance, Pattern, load_instance
from samapprox.cli.options.checked import Checked, Decorator, together
from samapprox.formats.known_formats import format_named

__all__ = [
    "causal_option",
    "format_option",
    "pattern_argument",
    "read_instance",
    "read_pattern",
    "require_index",
]


def format_option(text: str) -> Decorator[Any]:
    """``--format``: parameter `file_format`.

    Parameters
    ----------
    text : str
        What the command reads.
    """
    return click.option(
        "--format", "file_format", type=Checked(click.STRING, format_named), help=text
    )


pattern_argument = together(
    click.argument("source", metavar="PATTERN"),
    format_option("How to read PATTERN, where its name and content mislead."),
    click.option("--key", help="Which array of an npz to take; S[3] picks from a stack."),
)
"""PATTERN, and how to read it: parameters `source`, `file_format` and `key`."""

causal_option = click.option(
    "--causal", is_flag=True, help="Only entries on and below the diagonal count."
)
"""``--causal``: parameter `causal`."""


def read_instance(source: str, file_format: str | None, key: str | None, causal: bool) -> Instance:
    """The pattern that the shared options describe, with what its file says about it.

    Raises
    ------
    InputError
        The file cannot be read, or is no square pattern where `causal` needs one.
    """
    instance = load_instance(source, format=file_format, key=key)
    try:
        return instance.causal() if causal else instance
    except InputError as error:
        raise error.within(source) from None


def read_pattern(source: str, file_format: str | None, key: str | None, causal: bool) -> Pattern:
    """The pattern that the shared options describe; see `read_instance`."""
    return read_instance(source, file_format, key, causal).pattern


def require_index(option: str, kind: str, index: int, size: int) -> None:
    """Refuse a row or column that a pattern does not have.

    Parameters
    ----------
    option : str
        Which option names it.
    kind : {"row", "column"}
    index : int
    size : int
        Number of rows or columns.

    Raises
    ------
    InputError
    """
    if not 0 <= index < size:
        raise InputError(f"{option}: there is no {kind} {index}; {kind}s are 0..{size - 1}")
