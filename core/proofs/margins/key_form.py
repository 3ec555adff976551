"""A form in the keys alone that bounds the margin of unit queries and keys in every dimension."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from samapprox.proofs.base import Submatrix
from samapprox.proofs.exact import ExactArray, Matrix, Vector, exact_matmul, largest
from samapprox.proofs.margins.conditions import (
    find_fault_of_size,
    find_fault_of_weights,
    is_semidefinite,
    require_shapes,
)
from samapprox.proofs.members import Indices
from samapprox.proofs.questions import Margin
from samapprox.proofs.words import tabulate


@dataclass(frozen=True, slots=True, eq=False)
class KeyForm(Submatrix):
    r"""Weights of the entries of a core, and a form in the keys, that bound the margin.

    Let s be 1 at ones and -1 at zeros, W the weights and M_ij = s_ij W_ij. Every row of M has the
    sum 0, so that thresholds do not matter: sum over j of M_ij k_j is a vector whose length is at
    least the margin times T_i, the sum of row i of W. With b the diagonal and F the factor,
    diag(b) - M^T M - F^T F is diagonally dominant, so the squares of these lengths add up to at
    most sum b. Hence the square of the margin is at most sum b / sum of T_i^2.

    Parameters
    ----------
    rows, columns : iterable of int
        The core, of r rows and c columns.
    weights : array_like of int, shape (r, c)
        W; not negative, and 0 at don't-cares.
    diagonal : array_like of int, shape (c,)
        b; not negative.
    factor : array_like of int, shape (f, c)
        F.

    Raises
    ------
    InputError
        Not integers, a negative diagonal, or shapes that do not fit together.

    References
    ----------
    docs/theory/margins.md has the proof, and shows that the bound is attained.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.proofs import KeyForm, check
    >>> proof = KeyForm([0, 1], [0, 1], [[1, 1], [1, 1]], [4, 4], [[1, 1]])
    >>> print(check(Margin(Pattern.from_text("10\n01"), 1, 1), proof))
    None
    """

    KIND = "key-form"
    TASK = "margin"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "NO: weights of the core's entries, 0 at don't-cares; with the entry's sign, those of each "
        "row have the sum 0. The matrix of the diagonal, less the Gram matrix of the signed "
        "weights, is the factor's Gram matrix and a diagonally dominant rest. The sum of the "
        "diagonal is at most the square of the margin times the sum of the squared sums of the "
        "weights of each row."
    )
    caption = "weights of the marked entries bound the margin"
    dimension = 0  # the bound holds in every dimension, and excludes none
    MEMBERS = (
        Indices("rows"),
        Indices("columns"),
        Matrix("weights"),
        Vector("diagonal", minimum=0),
        Matrix("factor"),
    )

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    weights: ExactArray
    diagonal: ExactArray
    factor: ExactArray

    def __init__(
        self,
        rows: Iterable[int],
        columns: Iterable[int],
        weights: ArrayLike,
        diagonal: ArrayLike,
        factor: ArrayLike,
    ) -> None:
        self._fill(rows, columns, weights, diagonal, factor)
        height, width = len(self.rows), len(self.columns)
        require_shapes(
            height,
            width,
            ("weights", self.weights.shape, (height, width)),
            ("diagonal", self.diagonal.shape, (width,)),
            ("factor", self.factor.shape[1:], (width,)),
        )

    def find_fault(self, question: Margin) -> str | None:
        """Return the reason why the form does not bound the margin, or None."""
        weights, factor = self.weights, self.factor
        biggest = max(largest(self.diagonal), largest(weights) ** 2 * len(weights))
        if fault := find_fault_of_size(factor, biggest):
            return fault
        entries = question.pattern.submatrix(self.rows, self.columns)
        if fault := find_fault_of_weights(question.pattern, self.rows, self.columns, weights):
            return fault
        signed = np.where(entries == 1, weights, -weights)
        if not is_semidefinite(np.diag(self.diagonal) - exact_matmul(signed.T, signed), factor):
            return "the factor does not show that the form is never negative"
        total = sum(int(row) ** 2 for row in weights.astype(object).sum(axis=1))
        bound, value = int(self.diagonal.astype(object).sum()), question.value
        if total == 0:
            return "all weights are 0"
        if bound * value.denominator**2 > total * value.numerator**2:
            return f"the weights bound the margin by the root of {bound}/{total}, not by {value}"
        return None

    def explain(self, problem: Margin) -> list[str]:
        return [
            "Add up the logits of a row, with weights for which its threshold cancels: the product "
            "of the query and a sum of keys.",
            "For all keys of norm at most 1, these sums are so short that some distance from a "
            f"threshold is at most {problem.value}:",
            *tabulate(problem.pattern, self.rows, self.columns),
        ]
