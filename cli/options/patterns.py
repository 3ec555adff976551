"""The argument PATTERN, and options for reading it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from samapprox import InputError, Instance, load_instance
from samapprox.cli.terminal import show_progress
from samapprox.cli.values import (
    PATTERN_ENDINGS,
    Checked,
    Decorator,
    complete_files,
    complete_names,
    gather,
    together,
)
from samapprox.errors import errors_within
from samapprox.formats import FORMATS, format_named
from samapprox.instance import UNJUDGED, Grading, Unjudged

if TYPE_CHECKING:
    from samapprox import Certificate, Pattern
    from samapprox.sign_matrix import SignMatrix


def format_option(text: str) -> Decorator[Any]:
    """``--format``: parameter `file_format`."""
    return click.option(
        "--format",
        "file_format",
        type=Checked(click.STRING, format_named),
        shell_complete=complete_names(lambda: [known.name for known in FORMATS]),
        help=text,
    )


judgements = together(
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
class Source:
    """The file or stream that a command reads, and the options for reading it."""

    path: str
    file_format: str | None
    key: str | None
    relevant: int = Grading().relevant
    unjudged: Unjudged = Grading().unjudged
    causal: bool = False

    @property
    def origin(self) -> dict[str, Any]:
        """The members of documents about the source."""
        return {"source": self.path, "causal": self.causal}

    def read(self) -> Instance:
        """Read the pattern with the known facts about it."""
        with _show_reading(self.path):
            instance = load_instance(
                self.path,
                format=self.file_format,
                key=self.key,
                relevant=self.relevant,
                unjudged=self.unjudged,
            )
        return self._ignore_later(instance)

    def read_matrix(self) -> Instance:
        """Read a pattern as `read` does, or a sign matrix if the entries are signs."""
        from samapprox.formats.signs import load_matrix
        from samapprox.sign_matrix import SignMatrix

        with _show_reading(self.path):
            grading = Grading(self.relevant, self.unjudged)
            instance = load_matrix(
                self.path, format=self.file_format, key=self.key, grading=grading
            )
        if self.causal and isinstance(instance.pattern, SignMatrix):
            raise InputError(
                f"{self.path}: --causal is for patterns, and this is a matrix of signs"
            )
        return self._ignore_later(instance)

    def read_signs(self) -> SignMatrix:
        """Read a sign matrix: see `samapprox.formats.signs.as_sign_matrix`."""
        from samapprox.formats.signs import as_sign_matrix

        with _show_reading(self.path):
            return as_sign_matrix(self.path, format=self.file_format, key=self.key)

    def read_for(self, certificate: Certificate) -> Pattern:
        """Read what a certificate is about: a pattern, or for ranks a sign matrix."""
        from samapprox.proofs.questions import Rank

        if certificate.task != Rank.TASK:
            return self.read().pattern
        if self.causal:
            raise InputError("--causal is for patterns, and this certificate is about a rank")
        return self.read_signs()

    def _ignore_later(self, instance: Instance) -> Instance:
        """Ignore the entries above the diagonal, if attention is causal."""
        with errors_within(self.path):
            return instance.causal() if self.causal else instance


def _source_argument(name: str, *more: Decorator[Any]) -> Decorator[Any]:
    return together(
        click.argument("path", metavar=name, shell_complete=complete_files(PATTERN_ENDINGS)),
        format_option(f"Format of {name}, if it cannot be recognised."),
        click.option("--key", help="Array of an npz file to read; S[3] is matrix 3 of a stack S."),
        *more,
        gather("source", Source),
    )


pattern = _source_argument("PATTERN", judgements)
"""PATTERN, and options for reading it; with `causal`, parameter `source`: a `Source`."""

matrix = _source_argument("MATRIX")
"""MATRIX, a sign matrix, and options for reading it: parameter `source`, a `Source`."""

causal = click.option(
    "--causal", is_flag=True, help="Ignore entries above the diagonal (causal attention)."
)
"""``--causal``: parameter `causal`."""


def _show_reading(source: str) -> AbstractContextManager[object]:
    return show_progress(f"reading {source}") if source != "-" else nullcontext()


def require_index(option: str, kind: str, index: int, size: int) -> None:
    """Refuse a row or column that a pattern does not have."""
    if not 0 <= index < size:
        raise InputError(f"{option}: there is no {kind} {index}; {kind}s are 0..{size - 1}")
