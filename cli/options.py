"""Arguments and options that several sub-commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = ["causal_option", "pattern_argument"]

Function = TypeVar("Function", bound=Callable[..., Any])


def pattern_argument(command: Function) -> Function:
    """PATTERN, and how to read it: parameters `source`, `file_format` and `key`."""
    for decorate in (
        click.option("--key", help="Which array of an npz to take; S[3] picks from a stack."),
        click.option(
            "--format",
            "file_format",
            help="How to read PATTERN, where its name and content mislead.",
        ),
        click.argument("source", metavar="PATTERN"),
    ):
        command = decorate(command)
    return command


causal_option = click.option(
    "--causal", is_flag=True, help="Only entries on and below the diagonal count."
)
