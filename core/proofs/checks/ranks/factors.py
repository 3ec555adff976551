"""The check of two factors whose product has the signs of a matrix."""

from __future__ import annotations

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.checks.above import above_thresholds
from samapprox.proofs.exact import ExactArray
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.kinds.ranks.factors import Factors
from samapprox.proofs.questions.rank import Rank, RankKind

__all__ = ["find_fault"]


def find_fault(question: Rank, factors: Factors) -> str | None:
    r"""Return the reason why the factors do not prove the rank, or None.

    Parameters
    ----------
    question : Rank
    factors : Factors

    Notes
    -----
    2 m n r operations: products are compared with the thresholds from both sides.

    Examples
    --------
    >>> question = Rank(Pattern.from_text("10\n01"), 2)
    >>> find_fault(question, Factors([[1, 0], [0, 1]], [[1, -1], [-1, 1]], [0, 0])) is None
    True
    >>> find_fault(question, Factors([[1, 0], [0, 1]], [[1, 0], [0, 1]], [0, 0]))
    'row 0 and column 1: the entry is 0, but the product is not below the threshold'
    """
    if factors.dimension > question.rank:
        return f"the factors have {factors.dimension} columns, more than {question.rank}"
    shape = len(factors.left), len(factors.right)
    if shape != question.pattern.shape:
        rows, columns = question.pattern.shape
        return f"the factors are for {shape[0]} x {shape[1]}, the matrix is {rows} x {columns}"
    if fault := _find_fault_of_thresholds(question.kind, factors.thresholds):
        return fault
    ones = Embedding(factors.left, factors.right, factors.thresholds)
    if fault := _find_entry(question.pattern, ones, 1, "above"):
        return fault
    zeros = Embedding(-factors.left, factors.right, -factors.thresholds)
    return _find_entry(question.pattern, zeros, 0, "below")


def _find_fault_of_thresholds(kind: RankKind, thresholds: ExactArray) -> str | None:
    """Check that all thresholds are 0 for the sign-rank, and of one sign for one threshold."""
    if kind == "sign" and (wrong := np.flatnonzero(thresholds)).size:
        return f"the threshold of row {wrong[0]} is not 0"
    if kind == "global":
        signs = (thresholds > 0).astype(np.int8) - (thresholds < 0)
        if (wrong := np.flatnonzero(signs != signs[0])).size:
            return f"the thresholds of rows 0 and {wrong[0]} differ in sign"
    return None


def _find_entry(pattern: Pattern, embedding: Embedding, entry: int, side: str) -> str | None:
    """Name the first such entry at which the product does not exceed the threshold."""
    for start, above in above_thresholds(embedding):
        wrong = (pattern.block(start, start + len(above)) == entry) & ~above
        if wrong.any():
            row, column = (int(index) for index in np.argwhere(wrong)[0])
            return (
                f"{pattern.row_label(start + row)} and {pattern.column_label(column)}: the entry "
                f"is {entry}, but the product is not {side} the threshold"
            )
    return None
