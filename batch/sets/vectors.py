"""Sets of vectors as instances: files and generated families, and what is known about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from samapprox.batch.sets.entry import require_checksum
from samapprox.errors import InputError, file_errors
from samapprox.vectors import VectorSet

__all__ = ["GeneratedVectors", "VectorFile", "known_pairs"]


class VectorFile(NamedTuple):
    """A file with one or two sets of vectors."""

    path: str
    sha256: str | None = None  # the checksum of its bytes, if a manifest states it

    def load(self, *, signs: bool = False) -> VectorSet:  # noqa: ARG002
        """Read the file."""
        from samapprox.formats import load_vectors

        with file_errors(self.path):
            require_checksum(self.path, self.sha256)
            return load_vectors(self.path)


@dataclass(frozen=True, slots=True)
class GeneratedVectors:
    """Vectors of a generated family."""

    family: str
    parameters: Mapping[str, int | float | str | bool]

    def load(self, *, signs: bool = False) -> VectorSet:  # noqa: ARG002
        """Generate the vectors."""
        from samapprox.reductions.vectors import generate

        return generate(self.family, **self.parameters)


def known_pairs(known: Mapping[str, Any]) -> int | None:
    """Return the number of orthogonal pairs that is known; None if none is.

    >>> known_pairs({"pairs": 1, "pair": [3, 17]}), known_pairs({"gap": 0.1})
    (1, None)
    """
    pairs = known.get("pairs")
    if pairs is not None and (type(pairs) is not int or pairs < 0):
        raise InputError(f"the known number of pairs must be a whole number, not {pairs!r}")
    return pairs
