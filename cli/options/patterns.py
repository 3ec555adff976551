"""The pattern that a command is about, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from samapprox import InputError, Instance, Pattern, load_instance
from samapprox.cli.options.checked import Checked, Decorator, together
from samapprox.formats.known_formats import format_named
from samapprox.grading import UNJUDGED, Grading, Unjudged

__all__ = [
    "Reading",
    "causal_option",
    "format_option",
    "judgement_options",
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


judgement_options = together(
    click.option(
        "--relevant",
        metavar="GRADE",
        type=Checked(click.INT, lambda grade: Grading(relevant=grade)),
        default=Grading().relevant,
        show_default=True,
        help="Of retrieval judgements: the least grade that makes a 1.",
    ),
    click.option(
        "--unjudged",
        type=click.Choice(UNJUDGED),
        default=Grading().unjudged,
        show_default=True,
        help="Of retrieval judgements: what nobody judged is 0 or *.",
    ),
)
"""``--relevant`` and ``--unjudged``: parameters `relevant` and `unjudged`."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The options that say how to read PATTERN.

    Attributes
    ----------
    file_format : str or None
    key : str or None
    grading : Grading
    """

    file_format: str | None
    key: str | None
    grading: Grading


def _gather_reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """Pass the options that say how to read PATTERN as one parameter `reading`."""

    @wraps(command)
    def gathered(
        *args: Any,
        file_format: str | None,
        key: str | None,
        relevant: int,
        unjudged: Unjudged,
        **others: Any,
    ) -> Any:
        reading = Reading(file_format, key, Grading(relevant, unjudged))
        return command(*args, reading=reading, **others)

    return gathered


pattern_argument = together(
    click.argument("source", metavar="PATTERN"),
    format_option("How to read PATTERN, where its name and content mislead."),
    click.option("--key", help="Which array of an npz to take; S[3] picks from a stack."),
    judgement_options,
    _gather_reading,
)
"""PATTERN, and how to read it: parameters `source` and `reading`."""

causal_option = click.option(
    "--causal", is_flag=True, help="Only entries on and below the diagonal count."
)
"""``--causal``: parameter `causal`."""


def read_instance(source: str, reading: Reading, causal: bool) -> Instance:
    """The pattern that the shared options describe, with what its file says about it.

    Raises
    ------
    InputError
        The file cannot be read, or is no square pattern where `causal` needs one.
    """
    instance = load_instance(
        source,
        format=reading.file_format,
        key=reading.key,
        relevant=reading.grading.relevant,
        unjudged=reading.grading.unjudged,
    )
    try:
        return instance.causal() if causal else instance
    except InputError as error:
        raise error.within(source) from None


def read_pattern(source: str, reading: Reading, causal: bool) -> Pattern:
    """The pattern that the shared options describe; see `read_instance`."""
    return read_instance(source, reading, causal).pattern


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
