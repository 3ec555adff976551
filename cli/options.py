"""Arguments and options that several sub-commands share, and how they are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from samapprox import InputError, Instance, Pattern, load_instance

__all__ = ["causal_option", "made", "pattern_argument", "read_instance", "read_pattern"]

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


def read_instance(source: str, file_format: str | None, key: str | None, causal: bool) -> Instance:
    """The pattern that the shared options describe, with what its file says about it."""
    instance = load_instance(source, format=file_format, key=key)
    try:
        return instance.causal() if causal else instance
    except InputError as error:
        raise error.within(source) from None


def read_pattern(source: str, file_format: str | None, key: str | None, causal: bool) -> Pattern:
    """The pattern that the shared options describe."""
    return read_instance(source, file_format, key, causal).pattern


def made(folder: Path) -> Path:
    """The folder, which is there now."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}") from None
    return folder
