"""A matrix with the signs of a core and a small norm (Forster's theorem)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from samapprox.errors import InputError, require_items
from samapprox.problem import Problem
from samapprox.proofs.base import Submatrix
from samapprox.proofs.exact import ExactArray, Matrix, Vector, largest
from samapprox.proofs.members import Indices, Whole
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.proofs.words import tabulate

if TYPE_CHECKING:
    from samapprox.proofs.parts.simplify import Simplification


_MOST_PRODUCTS = 1 << 28
"""Products of the largest Gram matrix that is computed: a second's worth."""


@dataclass(frozen=True, slots=True, eq=False)
class Forster(Submatrix):
    """A matrix with the signs of the core and a norm too small for dimension d.

    Let A have the signs of the core under a row of +1 (the extra query that is positive on all
    keys), |A_ij| >= x_i y_j, and 0 at don't-cares; let X and Y be the sums of the x_i^2 and y_j^2,
    S that of the x_i^2 y_j^2 over the don't-cares. Dimension d allows only
    X Y - (d + 1) S <= (d + 1) sqrt(X Y) ||A||. The padding is put under A (under its transpose,
    if A is wider than high): that only raises the norm, and makes the columns nearly orthogonal, so
    that the largest absolute row sum of their Gram matrix is a good bound on the norm's square.

    Parameters
    ----------
    d : int
        The dimension that it excludes, and with it every smaller one.
    rows, columns : iterable of int
        The core, of r rows and c columns.
    row_weights : array_like of int, shape (r + 1,)
        x, the extra query's first; not negative, as all weights.
    column_weights : array_like of int, shape (c,)
        y.
    matrix : array_like of int, shape (r + 1, c)
        A.
    padding : array_like of int, shape (p, min(r + 1, c)), optional
        The rows that are put under A; none by default.

    Raises
    ------
    InputError
        Not integers, negative weights, or shapes that do not fit together.

    References
    ----------
    Forster (2002), "A linear lower bound on the unbounded error probabilistic communication
    complexity"; docs/theory/forster.md has the proof for weights and don't-cares.

    Examples
    --------
    >>> proof = Forster(1, [0], [0, 1], [1, 1], [1, 1], [[1, 1], [1, -1]])
    >>> proof.padding.shape
    (0, 2)
    """

    KIND = "forster"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "NO: a matrix with the signs of the core under a row of +1, at least row weight times "
        "column weight in each entry and 0 at don't-cares, whose norm is too small (Forster's "
        "theorem); the padding, put under it (or its transpose, if wider than high), makes its "
        "columns nearly orthogonal."
    )
    caption = "a matrix with the signs of the marked entries has too small a norm"
    MEMBERS = (
        Whole("d"),
        Indices("rows"),
        Indices("columns"),
        Vector("row_weights", least=1, minimum=0),
        Vector("column_weights", least=1, minimum=0),
        Matrix("matrix"),
        Matrix("padding", least=0),
    )

    d: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    row_weights: ExactArray
    column_weights: ExactArray
    matrix: ExactArray
    padding: ExactArray

    def __init__(
        self,
        d: int,
        rows: Iterable[int],
        columns: Iterable[int],
        row_weights: ArrayLike,
        column_weights: ArrayLike,
        matrix: ArrayLike,
        padding: Sequence[Sequence[int]] | ExactArray = (),
    ) -> None:
        for name, items in (("rows", rows), ("columns", columns), ("padding", padding)):
            require_items(name, items, "numbers")
        rows, columns, padding = list(rows), list(columns), list(padding)
        shape = len(rows) + 1, len(columns)
        self._fill(
            d,
            rows,
            columns,
            row_weights,
            column_weights,
            matrix,
            padding or np.zeros((0, min(shape)), dtype=np.int64),
        )
        for name, weights, size in (
            ("row_weights", self.row_weights, shape[0]),
            ("column_weights", self.column_weights, shape[1]),
        ):
            if len(weights) != size:
                raise InputError(f"{name} must be {size} numbers, not {len(weights)}")
        if self.matrix.shape != shape:
            raise InputError(
                f"the matrix must be {shape[0]} x {shape[1]}: the core and a row of +1"
            )
        if self.padding.shape[1] != min(shape):
            raise InputError(f"the padding must have rows of {min(shape)} numbers")

    @property
    def dimension(self) -> int:
        """The d that it excludes."""
        return self.d

    def lift(self, simplification: Simplification, /) -> Forster:
        """Carry the argument over to rows and columns of the original pattern.

        Notes
        -----
        A complement changes the signs of its row of the matrix; where rows stand side by side with
        the padding's columns (a matrix wider than high), those of the padding's column as well.
        """
        lifted = Submatrix.lift(self, simplification)
        signs = np.array([1, *np.where(simplification.turned[list(self.rows)], -1, 1)])
        height, width = self.matrix.shape
        return replace(
            lifted,
            matrix=self.matrix * signs[:, None],
            padding=self.padding if height >= width else self.padding * signs,
        )

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the matrix does not exclude d, or None."""
        pattern = problem.pattern
        signs = sign_matrix(pattern.submatrix(self.rows, self.columns), "columns")
        rank, matrix, x, y = self.d + 1, self.matrix, self.row_weights, self.column_weights
        high = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
        stacked = np.vstack([high, self.padding])
        if stacked.size * stacked.shape[1] > _MOST_PRODUCTS:
            return f"its matrix of {len(stacked)} x {stacked.shape[1]} is too large to check"
        biggest = max(largest(stacked), largest(x), largest(y))
        if biggest**2 * len(stacked) >= 1 << 62:  # then no entry of the Gram matrix overflows
            return f"its numbers, of up to {biggest.bit_length()} bits, are too large to check"
        wrong = np.where(signs == 0, matrix != 0, signs * matrix < np.outer(x, y))
        if wrong.any():
            row, column = (int(index) for index in np.argwhere(wrong)[0])
            label = pattern.row_label(self.rows[row - 1]) if row else "the row of +1"
            return (
                f"{label} and {pattern.column_label(self.columns[column])}: the matrix must have "
                + (
                    "the entry's sign and at least the weights' product"
                    if signs[row, column]
                    else "0"
                )
            )
        gram = np.abs(stacked.T @ stacked).astype(object)
        norm_squared = max(gram.sum(axis=1).tolist(), default=0)
        squares = [value**2 for value in x.tolist()]
        total = sum(squares) * sum(value**2 for value in y.tolist())
        free = (signs == 0).astype(np.int64) @ (y * y)
        left = total - rank * sum(a * b for a, b in zip(squares, free.tolist(), strict=True))
        if left <= 0 or left**2 <= rank**2 * total * norm_squared:
            return f"the norm is not shown to be too small for d = {self.d}"
        return None

    def explain(self, problem: Problem) -> list[str]:
        return [
            f"By Forster's theorem, queries and keys in dimension {self.d} can be transformed so "
            "that the logits on these rows and columns",
            "are large on average, but a matrix with the signs of the entries has a norm too "
            "small to allow that:",
            *tabulate(problem.pattern, self.rows, self.columns),
        ]
