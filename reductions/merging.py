"""Embeddings of a pattern as embeddings of its merged form."""

from __future__ import annotations

import numpy as np

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.checks import check
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.simplify import Simplified

__all__ = ["merge_embedding", "require_embedding"]


def require_embedding(pattern: Pattern, embedding: Embedding) -> None:
    """Check that an embedding represents a pattern, exactly.

    Raises
    ------
    InputError
        It does not.

    Examples
    --------
    >>> require_embedding(Pattern.from_text("10"), Embedding([[1]], [[1], [0]], [0]))
    >>> require_embedding(Pattern.from_text("01"), Embedding([[1]], [[1], [0]], [0]))
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: the embedding does not represent the pattern: row 0 ...
    """
    fault = check(Problem(pattern, embedding.dimension), embedding)
    if fault is not None:
        raise InputError(f"the embedding does not represent the pattern: {fault}")


def merge_embedding(embedding: Embedding, simplified: Simplified) -> Embedding:
    """Restrict an embedding of a pattern to its merged rows and columns.

    Parameters
    ----------
    embedding : Embedding
        Of the original pattern.
    simplified : Simplified

    Returns
    -------
    Embedding
        Of `simplified.pattern`; `Embedding.lift` is the way back.

    Examples
    --------
    >>> from samapprox.proofs.simplify import simplify
    >>> simplified = simplify(Pattern.from_text("1100"))
    >>> merge_embedding(Embedding([[1]], [[1], [1], [0], [0]], [0]), simplified).keys.tolist()
    [[1], [0]]
    """
    turned = simplified.turned
    sign = np.where(turned, -1, 1)
    return Embedding(
        embedding.queries[simplified.rows] * sign[:, None],
        embedding.keys[simplified.columns],
        embedding.thresholds[simplified.rows] * sign - turned,
    )
