"""The check of weights that bound the margin."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from samapprox.proofs.exact import ExactArray, exact_matmul, largest
from samapprox.proofs.kinds.margins.margin_dual import MarginDual
from samapprox.proofs.questions.margin import Margin

__all__ = ["find_fault"]

_MOST_PRODUCTS = 1 << 30
"""Products of the largest Gram matrix that is computed: a second's worth."""

_MOST_LINES = 1 << 11
"""Rows and columns of the largest core: the form has the square of their number of entries."""

_SAFE = 1 << 60


def find_fault(question: Margin, proof: MarginDual) -> str | None:
    r"""Return the reason why the weights do not bound the margin, or None.

    Parameters
    ----------
    question : Margin
    proof : MarginDual

    Examples
    --------
    >>> from samapprox import Pattern
    >>> proof = MarginDual([0, 1], [0, 1], [[1, 1], [1, 1]], [2, 2], [2, 2], [[1, -1, -1, 1]])
    >>> find_fault(Margin(Pattern.from_text("10\n01"), 1, 2), proof)
    'the weights bound the margin by 1, not by 1/2'
    """
    pattern, weights, factor = question.pattern, proof.weights, proof.factor
    if factor.shape[1] > _MOST_LINES:
        return f"its core of {' x '.join(map(str, weights.shape))} is too large to check"
    if factor.size * factor.shape[1] > _MOST_PRODUCTS:
        return f"its factor of {len(factor)} x {factor.shape[1]} is too large to check"
    diagonal = np.concatenate([proof.row_diagonal, proof.column_diagonal])
    biggest = max(largest(weights), largest(diagonal), largest(factor) ** 2 * len(factor))
    if biggest >= _SAFE:  # then no sum of two products overflows
        return f"its numbers, of up to {biggest.bit_length()} bits, are too large to check"
    entries = pattern.submatrix(proof.rows, proof.columns)
    wrong = (weights < 0) | ((weights != 0) & (entries != 0) & (entries != 1))
    if wrong.any():
        row, column = (int(index) for index in np.argwhere(wrong)[0])
        labels = pattern.row_label(proof.rows[row]), pattern.column_label(proof.columns[column])
        return f"{' and '.join(labels)}: the weight must be at least 0, and 0 at a don't-care"
    signed = np.where(entries == 1, weights, -weights)
    sums = signed.astype(object).sum(axis=1)
    if sums.any():
        row = int(np.flatnonzero(sums)[0])
        return f"{pattern.row_label(proof.rows[row])}: ones and zeros have different total weights"
    if not _is_semidefinite(signed, diagonal, factor):
        return "the factor does not show that the form is never negative"
    total = 2 * int(weights.astype(object).sum())
    bound, value = int(diagonal.astype(object).sum()), question.value
    if total == 0:
        return "all weights are 0"
    if bound * value.denominator > total * value.numerator:
        return f"the weights bound the margin by {Fraction(bound, total)}, not by {value}"
    return None


def _is_semidefinite(signed: ExactArray, diagonal: ExactArray, factor: ExactArray) -> bool:
    """Return whether [[diag, -M], [-M^T, diag]] less the factor's Gram matrix is dominant."""
    rest = np.diag(diagonal) - exact_matmul(factor.T, factor)
    height = len(signed)
    rest[:height, height:] -= signed
    rest[height:, :height] -= signed.T
    own = rest.diagonal().astype(object)
    return bool((2 * own >= np.abs(rest).astype(object).sum(axis=1)).all() and (own >= 0).all())
