"""Embeddings in files: arrays of whole numbers, or a certificate that states them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Witness
from samapprox.proofs.certificate import Certificate
from samapprox.support.atomic import replacing

__all__ = ["embedding_kind", "save_embedding"]

_BITS_IN_ARRAYS = 63


def save_embedding(pattern: Pattern, proof: Proof, path: str | os.PathLike[str]) -> None:
    """Write queries, keys and thresholds as npz, or as a certificate of kind `embedding`.

    An npz holds the arrays `queries`, `keys` and `thresholds` in 64 bits; the numbers of a
    certificate may have up to 4,300 digits.

    The proof holds for the pattern, and the path ends in .npz or .json.

    Refutations, other endings and numbers that are too many or too long for the file are refused.

    (m + n) d numbers, computed by `Witness.embedding`.
    """
    path = Path(path)
    kind = embedding_kind(path)
    if not isinstance(proof, Witness):
        raise InputError(f"{path}: a refutation has no queries and keys to write")
    try:
        embedding = proof.embedding(pattern)
    except InputError as error:
        raise error.within(str(path)) from None
    if kind == ".json":
        problem = Problem(pattern, max(embedding.dimension, 1))
        Certificate.of(problem, embedding).save(path)
        return
    arrays = {name: getattr(embedding, name) for name in ("queries", "keys", "thresholds")}
    extremes = [int(end) for array in arrays.values() for end in (array.min(), array.max())]
    bits = max(end.bit_length() for end in extremes)
    if bits > _BITS_IN_ARRAYS:
        raise InputError(
            f"{path}: the numbers have up to {bits} bits, arrays hold {_BITS_IN_ARRAYS}; "
            "write .json"
        )
    with replacing(path) as stream:
        np.savez(stream, **{name: array.astype(np.int64) for name, array in arrays.items()})


def embedding_kind(path: str | os.PathLike[str]) -> str:
    """Return the ending of a file's name; refuse one that embeddings are not written with."""
    ending = Path(path).suffix.lower()
    if ending not in (".npz", ".json"):
        raise InputError(f"{path}: embeddings are written as .npz or .json")
    return ending
