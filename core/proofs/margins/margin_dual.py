"""Weights of entries whose sum of logits is small for all unit queries and keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from samapprox.proofs.base import Submatrix
from samapprox.proofs.exact import ExactArray, Matrix, Vector, largest
from samapprox.proofs.margins.conditions import (
    find_fault_of_size,
    find_fault_of_weights,
    is_semidefinite,
    require_shapes,
)
from samapprox.proofs.members import Indices
from samapprox.proofs.questions import Margin
from samapprox.proofs.words import tabulate

if TYPE_CHECKING:
    from samapprox.proofs.parts.simplify import Simplification


_MOST_LINES = 1 << 11
"""Rows and columns of the largest core: the form has the square of their number of entries."""


@dataclass(frozen=True, slots=True, eq=False)
class MarginDual(Submatrix):
    r"""Weights of the entries of a core that bound the margin of all unit queries and keys.

    Let s be 1 at ones and -1 at zeros, W the weights, M_ij = s_ij W_ij, and a and b the diagonals.
    Every row of M has the sum 0, so that thresholds do not matter. With F the factor,
    [[diag a, -M], [-M^T, diag b]] - F^T F is diagonally dominant. Hence the form
    sum a_i q_i^2 + sum b_j k_j^2 - 2 sum M_ij q_i k_j is never negative, and no margin exceeds
    (sum a + sum b) / (2 sum W).

    Parameters
    ----------
    rows, columns : iterable of int
        The core, of r rows and c columns.
    weights : array_like of int, shape (r, c)
        W; not negative, and 0 at don't-cares.
    row_diagonal : array_like of int, shape (r,)
        a; not negative.
    column_diagonal : array_like of int, shape (c,)
        b; not negative.
    factor : array_like of int, shape (f, r + c)
        F.

    Raises
    ------
    InputError
        Not integers, negative diagonals, or shapes that do not fit together.

    References
    ----------
    docs/theory/margins.md has the proof, and shows that the bound is attained.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.proofs import MarginDual, check
    >>> proof = MarginDual([0, 1], [0, 1], [[1, 1], [1, 1]], [2, 2], [2, 2], [[1, -1, -1, 1]])
    >>> print(check(Margin(Pattern.from_text("10\n01"), 1, 1), proof))
    None
    """

    KIND = "margin-dual"
    TASK = "margin"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "NO: weights of the core's entries, 0 at don't-cares; with the entry's sign, those of each "
        "row have the sum 0. The matrix of both diagonals and of minus the signed weights is the "
        "factor's Gram matrix and a diagonally dominant rest. The sum of the diagonals is at most "
        "twice the margin times the sum of the weights."
    )
    caption = "weights of the marked entries bound the margin"
    dimension = 0  # the bound holds in every dimension, and excludes none
    MEMBERS = (
        Indices("rows"),
        Indices("columns"),
        Matrix("weights"),
        Vector("row_diagonal", minimum=0),
        Vector("column_diagonal", minimum=0),
        Matrix("factor"),
    )

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    weights: ExactArray
    row_diagonal: ExactArray
    column_diagonal: ExactArray
    factor: ExactArray

    def __init__(
        self,
        rows: Iterable[int],
        columns: Iterable[int],
        weights: ArrayLike,
        row_diagonal: ArrayLike,
        column_diagonal: ArrayLike,
        factor: ArrayLike,
    ) -> None:
        self._fill(rows, columns, weights, row_diagonal, column_diagonal, factor)
        height, width = len(self.rows), len(self.columns)
        require_shapes(
            height,
            width,
            ("weights", self.weights.shape, (height, width)),
            ("row_diagonal", self.row_diagonal.shape, (height,)),
            ("column_diagonal", self.column_diagonal.shape, (width,)),
            ("factor", self.factor.shape[1:], (height + width,)),
        )

    def lift(self, simplification: Simplification, /) -> MarginDual:
        """Carry the argument over to rows and columns of the original pattern.

        Notes
        -----
        A complement changes the signs of its row of M, and with it those of a column of F.
        """
        signs = np.where(simplification.turned[list(self.rows)], -1, 1)
        signs = np.concatenate([signs, np.ones(len(self.columns), dtype=np.int64)])
        return replace(Submatrix.lift(self, simplification), factor=self.factor * signs)

    def find_fault(self, question: Margin) -> str | None:
        """Return the reason why the weights do not bound the margin, or None."""
        pattern, weights, factor = question.pattern, self.weights, self.factor
        if factor.shape[1] > _MOST_LINES:
            return f"its core of {' x '.join(map(str, weights.shape))} is too large to check"
        diagonal = np.concatenate([self.row_diagonal, self.column_diagonal])
        if fault := find_fault_of_size(factor, max(largest(weights), largest(diagonal))):
            return fault
        entries = pattern.submatrix(self.rows, self.columns)
        if fault := find_fault_of_weights(pattern, self.rows, self.columns, weights):
            return fault
        signed = np.where(entries == 1, weights, -weights)
        if not is_semidefinite(_form(signed, diagonal), factor):
            return "the factor does not show that the form is never negative"
        total = 2 * int(weights.astype(object).sum())
        bound, value = int(diagonal.astype(object).sum()), question.value
        if total == 0:
            return "all weights are 0"
        if bound * value.denominator > total * value.numerator:
            return f"the weights bound the margin by {Fraction(bound, total)}, not by {value}"
        return None

    def explain(self, problem: Margin) -> list[str]:
        return [
            "Add up all distances from the thresholds, with weights for which the thresholds "
            "cancel. For all queries and keys",
            f"of norm at most 1, the sum is at most {problem.value} times the sum of the weights, "
            "so some distance is at most that:",
            *tabulate(problem.pattern, self.rows, self.columns),
        ]


def _form(signed: ExactArray, diagonal: ExactArray) -> ExactArray:
    """Return [[diag(a), -M], [-M^T, diag(b)]]."""
    form = np.diag(diagonal)
    height = len(signed)
    form[:height, height:] -= signed
    form[height:, :height] -= signed.T
    return form
