"""The argument PATTERN, and options for reading it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from samapprox import InputError, Instance, Pattern, load_instance
from samapprox.cli.progress import show_progress
from samapprox.cli.values import (
    PATTERN_ENDINGS,
    Checked,
    Decorator,
    complete_files,
    complete_names,
    gather,
    together,
)
from samapprox.formats.known_formats import FORMATS, format_named
from samapprox.grading import UNJUDGED, Grading, Unjudged

if TYPE_CHECKING:
    from samapprox.sign_matrix import SignMatrix

__all__ = [
    "Reading",
    "causal_option",
    "format_option",
    "judgement_options",
    "pattern_argument",
    "read_instance",
    "read_matrix",
    "read_pattern",
    "read_signs",
    "require_index",
]


def format_option(text: str) -> Decorator[Any]:
    """``--format``: parameter `file_format`."""
    return click.option(
        "--format",
        "file_format",
        type=Checked(click.STRING, format_named),
        shell_complete=complete_names(lambda: [known.name for known in FORMATS]),
        help=text,
    )


judgement_options = together(
    click.option(
        "--relevant",
        metavar="GRADE",
        type=Checked(click.INT, lambda grade: Grading(relevant=grade)),
        default=Grading().relevant,
        show_default=True,
        help="For retrieval judgements: the least grade that counts as relevant (1).",
    ),
    click.option(
        "--unjudged",
        type=click.Choice(UNJUDGED),
        default=Grading().unjudged,
        show_default=True,
        help="For retrieval judgements: whether unjudged pairs are 0 or *.",
    ),
)
"""``--relevant`` and ``--unjudged``: parameters `relevant` and `unjudged`."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The options for reading PATTERN."""

    file_format: str | None
    key: str | None
    grading: Grading


def _read_as(
    file_format: str | None, key: str | None, relevant: int, unjudged: Unjudged
) -> Reading:
    return Reading(file_format, key, Grading(relevant, unjudged))


pattern_argument = together(
    click.argument("source", metavar="PATTERN", shell_complete=complete_files(PATTERN_ENDINGS)),
    format_option("Format of PATTERN, if it cannot be recognised."),
    click.option("--key", help="Array of an npz file to read; S[3] is matrix 3 of a stack S."),
    judgement_options,
    gather("reading", _read_as),
)
"""PATTERN, and options for reading it: parameters `source` and `reading`."""

causal_option = click.option(
    "--causal", is_flag=True, help="Ignore entries above the diagonal (causal attention)."
)
"""``--causal``: parameter `causal`."""


def read_instance(source: str, reading: Reading, causal: bool) -> Instance:
    """Read the pattern that the shared options name, with the known facts about it."""
    with show_progress(f"reading {source}") if source != "-" else nullcontext():
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
    """Read the pattern that the shared options name; see `read_instance`."""
    return read_instance(source, reading, causal).pattern


def read_matrix(source: str, reading: Reading, causal: bool) -> Instance:
    """Read a pattern as `read_instance` does, or a sign matrix if the entries are signs."""
    from samapprox.formats.signs import load_matrix
    from samapprox.sign_matrix import SignMatrix

    with show_progress(f"reading {source}") if source != "-" else nullcontext():
        instance = load_matrix(
            source, format=reading.file_format, key=reading.key, grading=reading.grading
        )
    if not causal:
        return instance
    if isinstance(instance.pattern, SignMatrix):
        raise InputError(f"{source}: --causal is for patterns, and this is a matrix of signs")
    try:
        return instance.causal()
    except InputError as error:
        raise error.within(source) from None


def read_signs(source: str, file_format: str | None, key: str | None) -> SignMatrix:
    """Read a sign matrix: see `samapprox.formats.signs.as_sign_matrix`."""
    from samapprox.formats.signs import as_sign_matrix

    with show_progress(f"reading {source}") if source != "-" else nullcontext():
        return as_sign_matrix(source, format=file_format, key=key)


def require_index(option: str, kind: str, index: int, size: int) -> None:
    """Refuse a row or column that a pattern does not have."""
    if not 0 <= index < size:
        raise InputError(f"{option}: there is no {kind} {index}; {kind}s are 0..{size - 1}")
