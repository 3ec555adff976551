"""The pattern that a command is about, and how it is read."""

from __future__ import annotations

import click

from samapprox import InputError, Instance, Pattern, load_instance
from samapprox.cli.options.checked import together

__all__ = ["causal_option", "pattern_argument", "read_instance", "read_pattern"]

pattern_argument = together(
    click.argument("source", metavar="PATTERN"),
    click.option(
        "--format", "file_format", help="How to read PATTERN, where its name and content mislead."
    ),
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
