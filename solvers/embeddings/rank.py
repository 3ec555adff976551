"""Patterns of small rank: their own rows as coordinates."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.solvers.scope import shared_tokens
from samapprox.solvers.search import Search

__all__ = ["NAME", "applies", "find_proof"]

NAME = "rank"

_PRIME = (1 << 31) - 1


def applies(problem: Problem) -> str | None:
    """Why this strategy has nothing to say about the problem; None when it applies."""
    return shared_tokens(problem)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Rows that span all others, the row of ones included, are the coordinates of the keys.

    Parameters
    ----------
    problem : Problem
    search : Search

    Returns
    -------
    Proof or str
        An embedding of dimension R - 1, where R is the rank of the pattern with a row of ones; at
        most min(m, n - 1). Don't-cares count as 0.

    Notes
    -----
    O(m n d) for finding the basis, modulo a prime; exact fractions for R x R numbers.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("100\n010\n001"), 2)
    >>> find_proof(problem, Search()).dimension
    2
    """
    entries = problem.pattern.to_array()
    entries[entries == UNSPECIFIED] = 0
    stacked = np.vstack([np.ones((1, entries.shape[1]), dtype=np.int64), entries])
    basis = _basis(stacked, problem.d + 1, search)
    if basis is None:
        if search.out_of_time:
            return "no time left"
        return f"with a row of ones its rank exceeds {problem.d + 1}"
    rows, columns = basis
    # Row i is a combination of the basis; times a positive scale, which the signs survive.
    coefficients = stacked[1:, columns].astype(object) @ _scaled_inverse(
        stacked[np.ix_(rows, columns)]
    )
    if len(rows) == 1:
        return "it has no row with a 0"
    return Embedding(coefficients[:, 1:], stacked[rows[1:]].T, -coefficients[:, 0])


def _basis(
    matrix: NDArray[np.int64], most: int, search: Search
) -> tuple[list[int], list[int]] | None:
    """Rows and columns of a regular submatrix of full rank, row 0 first; None if over `most`."""
    rest = matrix.copy()
    rows: list[int] = []
    columns: list[int] = []
    while rest.any():
        if len(rows) == most or search.out_of_time:
            return None
        row, column = 0, 0
        if rows:
            row, column = (int(index) for index in np.argwhere(rest)[0])
        rows.append(row)
        columns.append(column)
        factors = rest[:, column] * pow(int(rest[row, column]), -1, _PRIME) % _PRIME
        rest = (rest - factors[:, None] * rest[row] % _PRIME) % _PRIME
    return rows, columns


def _scaled_inverse(matrix: NDArray[np.int64]) -> NDArray[np.object_]:
    """The inverse times the least positive number that makes it whole, by exact elimination."""
    size = len(matrix)
    work = [
        [Fraction(int(value)) for value in row] + [Fraction(int(i == j)) for j in range(size)]
        for i, row in enumerate(matrix)
    ]
    for column in range(size):
        pivot = next(row for row in range(column, size) if work[row][column])
        work[column], work[pivot] = work[pivot], work[column]
        head = work[column][column]
        work[column] = [value / head for value in work[column]]
        for row in range(size):
            factor = work[row][column]
            if row != column and factor:
                work[row] = [a - factor * b for a, b in zip(work[row], work[column], strict=True)]
    inverse = [row[size:] for row in work]
    scale = lcm(*(value.denominator for row in inverse for value in row))
    return np.array([[int(v * scale) for v in row] for row in inverse], dtype=object)
