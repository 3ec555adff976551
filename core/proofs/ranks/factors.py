"""Proofs of YES for ranks: two factors whose product has the signs of a matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.proofs.base import Witness
from samapprox.proofs.embeddings.embedding import Embedding, find_fault_of_shape
from samapprox.proofs.embeddings.logits import above_thresholds
from samapprox.proofs.exact import ExactArray, Matrix, Vector
from samapprox.proofs.questions import Rank, RankKind


@dataclass(frozen=True, slots=True, eq=False)
class Factors(Witness):
    r"""Integer factors L and R such that L R^T minus the thresholds has the signs of a matrix.

    Entry S_ij is 1 only if L_i . R_j > t_i, and 0 only if L_i . R_j < t_i. For the sign-rank, all
    thresholds are 0. For one threshold, all of them have the same sign: the rows of L divided by
    their absolute values give a matrix with the threshold 1 or -1.

    Parameters
    ----------
    left : array_like of int, shape (m, r)
        The factor L.
    right : array_like of int, shape (n, r)
        The factor R.
    thresholds : array_like of int, shape (m,)
        The thresholds t_i.

    Raises
    ------
    InputError
        Not integers, or shapes that do not fit together.

    Examples
    --------
    >>> factors = Factors([[1, 0], [0, 1]], [[1, -1], [-1, 1]], [0, 0])
    >>> factors.dimension
    2
    """

    KIND = "factors"
    TASK = "rank"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "YES for a rank: left[i] . right[j] > thresholds[i] for ones and < thresholds[i] for "
        "zeros; all thresholds are 0 for the sign-rank, and of one sign for one threshold."
    )
    MEMBERS = (Matrix("left"), Matrix("right"), Vector("thresholds"))
    EXPLICIT = True

    left: ExactArray
    right: ExactArray
    thresholds: ExactArray

    def __init__(self, left: ArrayLike, right: ArrayLike, thresholds: ArrayLike) -> None:
        self._fill(left, right, thresholds)
        if self.left.shape[1] != self.right.shape[1]:
            raise InputError(
                f"the factors have {self.left.shape[1]} and {self.right.shape[1]} columns"
            )
        if len(self.thresholds) != len(self.left):
            raise InputError(f"{len(self.thresholds)} thresholds for {len(self.left)} rows")

    @property
    def dimension(self) -> int:
        """The number of columns of both factors, r."""
        return int(self.right.shape[1])

    def embedding(self, _pattern: Pattern | None = None, /) -> Embedding:
        """Return the factors as queries and keys, which represent the matrix as a pattern."""
        return Embedding(self.left, self.right, self.thresholds)

    def find_fault(self, question: Rank) -> str | None:
        """Return the reason why the factors do not prove the rank, or None.

        2 m n r operations: products are compared with the thresholds from both sides.
        """
        if self.dimension > question.rank:
            return f"the factors have {self.dimension} columns, more than {question.rank}"
        if fault := find_fault_of_shape(question.pattern, self.left, self.right):
            return fault
        if fault := _find_fault_of_thresholds(question.kind, self.thresholds):
            return fault
        ones = Embedding(self.left, self.right, self.thresholds)
        if fault := _find_entry(question.pattern, ones, 1, "above"):
            return fault
        zeros = Embedding(-self.left, self.right, -self.thresholds)
        return _find_entry(question.pattern, zeros, 0, "below")

    def explain(self, question: Rank) -> list[str]:
        rows, columns = question.pattern.shape
        lines = [
            f"Integer factors L ({rows} x {self.dimension}) and R ({columns} x {self.dimension}) "
            f"have a product L R^T {_WORDS[question.kind]}."
        ]
        if question.kind == "global" and self.thresholds.any():
            sign = int(np.sign(self.thresholds[0]))
            lines.append(
                f"(With the rows of L divided by their |threshold|, the one threshold is {sign}.)"
            )
        return lines


_WORDS = {
    "sign": "with the signs of the matrix",
    "global": "that has the signs of the matrix relative to one threshold",
    "row": "that has the signs of the matrix relative to a threshold for each row",
}


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
