"""The option that saves the queries and keys of an answer as floats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from samapprox.cli.files import FileToWrite
from samapprox.cli.terminal import echo, show_progress
from samapprox.cli.values import Decorator, gather, together
from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.proofs.base import Proof, Witness
from samapprox.similarities import ATTENTION, VALUE_SETS, SimilarityLike

__all__ = ["SavedEmbedding", "saved_embedding_option", "vectors_kind"]


def vectors_kind(path: str) -> str:
    """Return the ending of a file of vectors; refuse one that they are not written with."""
    if Path(path).suffix.lower() != ".npz":
        raise InputError(f"{path}: queries and documents are saved as .npz")
    return ".npz"


@dataclass(frozen=True, slots=True)
class SavedEmbedding:
    """The file for queries and keys, and whether it may be overwritten."""

    save_embedding: str | None
    force: bool

    def require_place(self) -> None:
        """Refuse a file that exists, before any search."""
        if self.save_embedding is None:
            if self.force:
                raise InputError("--force needs --save-embedding")
        elif not self.force and Path(self.save_embedding).exists():
            raise InputError(f"{self.save_embedding}: the file exists; --force overwrites it")

    def write(
        self,
        pattern: Pattern,
        proof: Proof | None,
        similarity: SimilarityLike,
        arithmetic: str | None = None,
    ) -> None:
        """Write the vectors of a proof of YES, if they are wanted and right in the format."""
        path = self.save_embedding
        if path is None:
            return
        if not isinstance(proof, Witness):
            raise InputError(f"{path}: there is no embedding to save, and no file is written")
        if similarity in VALUE_SETS:  # the file does not say which values its numbers have
            similarity = ATTENTION
        from samapprox.formats.vectors import save_vectors
        from samapprox.solvers.questions.evaluation.rounding import round_embedding

        with show_progress(f"writing {path}"):
            try:
                vectors = round_embedding(
                    pattern, proof, similarity=similarity, arithmetic=arithmetic or "float32"
                )
            except InputError as error:
                raise InputError(f"{path}: no file is written: {error}") from None
            save_vectors(vectors, path)
        echo(f"samapprox: queries and documents saved to {path}", err=True)


saved_embedding_option: Decorator[Any] = together(
    click.option(
        "--save-embedding",
        type=FileToWrite("samapprox.cli.options.saved_embedding:vectors_kind", (".npz",)),
        help="Save queries and documents of a YES with their ids (npz), in float32 or in the "
        "--arithmetic, if every row is right in it.",
    ),
    click.option("--force", is_flag=True, help="Let --save-embedding overwrite a file."),
    gather("saved", SavedEmbedding),
)
"""``--save-embedding`` and ``--force``: parameter `saved`, a `SavedEmbedding`."""
