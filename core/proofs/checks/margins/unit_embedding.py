"""The check of queries and keys of norm at most 1 with a margin."""

from __future__ import annotations

import numpy as np

from samapprox.proofs.exact import ExactArray, exact_matmul, largest
from samapprox.proofs.kinds.margins.unit_embedding import UnitEmbedding
from samapprox.proofs.questions.margin import Margin

__all__ = ["find_fault"]

_MOST_PRODUCTS = 1 << 32
"""Products of numbers of 64 bits: some seconds' worth."""

_MOST_LONG_PRODUCTS = 1 << 25
"""Products of Python's integers, which long coordinates need: some seconds' worth."""

_BLOCK = 1 << 20
"""Logits that are computed at a time: for fewer, converting the keys each time takes longer."""

_SAFE = 1 << 62


def find_fault(question: Margin, proof: UnitEmbedding) -> str | None:
    r"""Return the reason why the vectors do not have the margin, or None.

    Parameters
    ----------
    question : Margin
    proof : UnitEmbedding

    Examples
    --------
    >>> from samapprox import Pattern
    >>> vectors = [[1], [-1]]
    >>> proof = UnitEmbedding(1, 1, vectors, vectors, thresholds=[0, 0])
    >>> find_fault(Margin(Pattern.from_text("10\n11"), 1, 1), proof)
    "row 1 and column 0: the logit is too close to the row's threshold, or on its wrong side"
    """
    pattern = question.pattern
    if question.d is not None and proof.dimension > question.d:
        return f"the vectors have dimension {proof.dimension}, more than d = {question.d}"
    shape = len(proof.queries), len(proof.keys)
    if shape != pattern.shape:
        return (
            f"the vectors are for {shape[0]} x {shape[1]}, the pattern is "
            f"{pattern.shape[0]} x {pattern.shape[1]}"
        )
    for name, vectors, scale in (
        ("query", proof.queries, proof.query_scale),
        ("key", proof.keys, proof.key_scale),
    ):
        if (longer := _first_longer(vectors, scale)) is not None:
            return f"{name} {longer} is longer than its scale, {scale}"
    products = shape[0] * shape[1] * max(1, proof.dimension)
    sizes = max(1, largest(proof.queries)) * max(1, largest(proof.keys))
    if products > _MOST_PRODUCTS:
        return f"{products} products are too large to check"
    if products > _MOST_LONG_PRODUCTS and sizes * proof.dimension >= _SAFE:
        return f"{products} products of long coordinates are too large to check"
    value = question.value * proof.query_scale * proof.key_scale
    least = -(-value.numerator // value.denominator)  # differences are whole numbers
    step = max(1, _BLOCK // max(1, shape[1]))
    for start in range(0, shape[0], step):
        rows = slice(start, start + step)
        differences = exact_matmul(proof.queries[rows], proof.keys.T)
        differences = differences - proof.thresholds[rows, None]
        entries = pattern.block(start, min(start + step, shape[0]))
        wrong = ((entries == 1) & (differences < least)) | ((entries == 0) & (differences > -least))
        if wrong.any():
            row, column = (int(index) for index in np.argwhere(wrong)[0])
            return (
                f"{pattern.row_label(start + row)} and {pattern.column_label(column)}: the logit "
                "is too close to the row's threshold, or on its wrong side"
            )
    return None


def _first_longer(vectors: ExactArray, scale: int) -> int | None:
    """Return the first vector whose norm exceeds the scale."""
    long = (np.abs(vectors) > scale).any(axis=1)
    if not long.any():  # no square exceeds that of the scale
        numbers = vectors.astype(np.int64 if vectors.shape[1] * scale**2 < _SAFE else object)
        long = (numbers * numbers).sum(axis=1) > scale**2
    return int(np.flatnonzero(long)[0]) if long.any() else None
