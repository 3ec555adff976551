"""Arguments and options that several sub-commands share, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from samapprox import InputError, Instance, Pattern, load_instance

__all__ = [
    "causal_option",
    "made",
    "pattern_argument",
    "progress_bar",
    "read_instance",
    "read_pattern",
    "vectors_argument",
]

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


def vectors_argument(command: Function) -> Function:
    """VECTORS and how to search them: parameters `source`, `key`, `threads` and `as_json`."""
    for decorate in (
        click.option("--json", "as_json", is_flag=True, help="Print a JSON document."),
        click.option("--threads", type=click.IntRange(1, 1024), help="By default all cores."),
        click.option("--key", help="Which array of an npz to take; two as in A,B."),
        click.argument("source", metavar="VECTORS"),
    ):
        command = decorate(command)
    return command


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int], None]]:
    """Tells people at a terminal how far a search is, once it has taken two seconds."""
    from tqdm import tqdm

    with tqdm(delay=2, disable=None, leave=False, unit="part") as bar:

        def show(done: int, count: int) -> None:
            bar.total = count
            bar.update(done - bar.n)

        yield show


causal_option = click.option(
    "--causal", is_flag=True, help="Only entries on and below the diagonal count."
)


def read_instance(source: str, file_format: str | None, key: str | None, causal: bool) -> Instance:
    """The pattern that the shared options describe, with what its file says about it.

    The causal view asks for less than the whole pattern: only what was known to be possible
    remains known.
    """
    instance = load_instance(source, format=file_format, key=key)
    if not causal:
        return instance
    try:
        pattern = instance.pattern.causal()
    except InputError as error:
        raise error.within(source) from None
    facts = tuple(fact for fact in instance.facts if fact.answer == "YES")
    return replace(instance, pattern=pattern, facts=facts)


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
