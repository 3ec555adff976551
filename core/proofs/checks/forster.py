"""The check of a matrix with a small norm."""

from __future__ import annotations

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.checks.orientation_clauses import sign_matrix
from samapprox.proofs.exact import largest
from samapprox.proofs.kinds.forster import Forster

__all__ = ["find_fault"]

_MOST_PRODUCTS = 1 << 28
"""Products of the largest Gram matrix that is computed: a second's worth."""


def find_fault(problem: Problem, proof: Forster) -> str | None:
    """Return the reason why the matrix does not exclude d, or None.

    Parameters
    ----------
    problem : Problem
    proof : Forster

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("10"), 1)
    >>> find_fault(problem, Forster(1, [0], [0, 1], [1, 1], [1, 1], [[1, 1], [1, -1]]))
    'the norm is not shown to be too small for d = 1'
    """
    pattern = problem.pattern
    signs = sign_matrix(pattern.submatrix(proof.rows, proof.columns), "columns")
    rank, matrix, x, y = proof.d + 1, proof.matrix, proof.row_weights, proof.column_weights
    high = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
    stacked = np.vstack([high, proof.padding])
    if stacked.size * stacked.shape[1] > _MOST_PRODUCTS:
        return f"its matrix of {len(stacked)} x {stacked.shape[1]} is too large to check"
    biggest = max(largest(stacked), largest(x), largest(y))
    if biggest**2 * len(stacked) >= 1 << 62:  # then no entry of the Gram matrix overflows
        return f"its numbers, of up to {biggest.bit_length()} bits, are too large to check"
    wrong = np.where(signs == 0, matrix != 0, signs * matrix < np.outer(x, y))
    if wrong.any():
        row, column = (int(index) for index in np.argwhere(wrong)[0])
        label = pattern.row_label(proof.rows[row - 1]) if row else "the row of +1"
        return (
            f"{label} and {pattern.column_label(proof.columns[column])}: the matrix must have "
            + ("the entry's sign and at least the weights' product" if signs[row, column] else "0")
        )
    gram = np.abs(stacked.T @ stacked).astype(object)
    norm_squared = max(gram.sum(axis=1).tolist(), default=0)
    squares = [value**2 for value in x.tolist()]
    total = sum(squares) * sum(value**2 for value in y.tolist())
    free = (signs == 0).astype(np.int64) @ (y * y)
    left = total - rank * sum(a * b for a, b in zip(squares, free.tolist(), strict=True))
    if left <= 0 or left**2 <= rank**2 * total * norm_squared:
        return f"the norm is not shown to be too small for d = {proof.d}"
    return None
