"""Rows or keys whose vectors and their sums are so far apart that few fit into a ball."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.proofs.base import Side, Submatrix
from samapprox.proofs.exact import ExactArray, Matrix, Vector, exact_matmul, largest
from samapprox.proofs.margins.conditions import (
    find_fault_of_dimension,
    find_fault_of_size,
    is_semidefinite,
)
from samapprox.proofs.members import Choice, Indices
from samapprox.proofs.questions import Margin
from samapprox.proofs.words import tabulate

_MOST_ELEMENTS = 1 << 12
"""The most elements: all pairs are compared."""

_SAFE = 1 << 60

_SCALE = 1 << 20
"""The root of the spread is rounded up to a multiple of 1 / _SCALE."""


@dataclass(frozen=True, slots=True, eq=False)
class SpherePacking(Submatrix):
    r"""Distances and the spread of sums of vectors, which bound the margin in dimension d.

    The elements are rows or columns of the core, and the others its columns or rows. Let v_i be the
    vector of element i (its query or key), w the weights of the others, and s_i the sum of w_j
    times the vector of each other j where the entry is 1. The weights of the ones of each row have
    the same sum if the elements are rows. Then (v_i - v_l) . (s_i - s_l) is at least twice the
    margin times the total weight of the others in which i and l differ, so that the points
    v_i + c s_i are far apart. Their variance is small, by the diagonal and the factor.

    Parameters
    ----------
    elements : {"rows", "columns"}
        Whose vectors are packed.
    rows, columns : iterable of int
        The core, without don't-cares: N elements and c others.
    weights : array_like of int, shape (c,)
        w; not negative.
    diagonal : array_like of int, shape (c,)
        u: diag(u) less N^2 times the covariance of the elements' lines of weights is positive
        semidefinite.
    factor : array_like of int, shape (f, c)
        F, whose Gram matrix leaves a diagonally dominant rest of this matrix.

    Raises
    ------
    InputError
        Not integers, negative numbers, or shapes that do not fit together.

    References
    ----------
    docs/theory/margins.md has the proof.

    Examples
    --------
    >>> import numpy as np
    >>> from samapprox import Pattern
    >>> from samapprox.proofs import SpherePacking, check
    >>> n = 20
    >>> proof = SpherePacking(
    ...     "rows", range(n), range(n), [1] * n, [n] * n, np.ones((1, n), dtype=int)
    ... )
    >>> print(check(Margin(Pattern(np.eye(n)), 27, 250, 2), proof))
    None
    """

    KIND = "sphere-packing"
    TASK = "margin"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "NO in dimension d: the core has no don't-cares; if its rows are the elements, the weights "
        "of the ones of each row have the same sum. The matrix of the diagonal, less the squared "
        "number of elements times the covariance of their lines of weights, is the factor's Gram "
        "matrix and a diagonally dominant rest. By the sum of the diagonal and the least weight of "
        "the others in which two elements differ, Blichfeldt's bound on packings of balls "
        "excludes a larger margin."
    )
    caption = "the marked lines differ in so many places that few such vectors fit into a ball"
    dimension = 0  # the bound is about the dimension of the question, and excludes none
    MEMBERS = (
        Choice("elements", ("rows", "columns")),
        Indices("rows"),
        Indices("columns"),
        Vector("weights", minimum=0),
        Vector("diagonal", minimum=0),
        Matrix("factor"),
    )

    elements: Side
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    weights: ExactArray
    diagonal: ExactArray
    factor: ExactArray

    def __init__(
        self,
        elements: Side,
        rows: Iterable[int],
        columns: Iterable[int],
        weights: ArrayLike,
        diagonal: ArrayLike,
        factor: ArrayLike,
    ) -> None:
        self._fill(elements, rows, columns, weights, diagonal, factor)
        others = len(self.columns if self.elements == "rows" else self.rows)
        for name, size in (
            ("weights", len(self.weights)),
            ("diagonal", len(self.diagonal)),
            ("factor", self.factor.shape[1]),
        ):
            if size != others:
                raise InputError(f"the {name} must have {others} columns, one for each other line")

    def find_fault(self, question: Margin) -> str | None:
        """Return the reason why the elements do not bound the margin, or None."""
        if question.d is None:
            return "the elements bound no margin unless the dimension is stated"
        if fault := find_fault_of_dimension(question.d):
            return fault
        core = question.pattern.submatrix(self.rows, self.columns)
        if not ((core == 0) | (core == 1)).all():
            return "its core has a don't-care"
        lines = (core if self.elements == "rows" else core.T).astype(np.int64)
        if len(lines) > _MOST_ELEMENTS:
            return f"its {len(lines)} elements are too many to check"
        if len(lines) < 2:
            return "a single element is not apart from any other"
        size = max(1, largest(self.weights))
        biggest = max(2 * (len(lines) * size) ** 2, lines.shape[1] * size, largest(self.diagonal))
        if biggest >= _SAFE:
            return "its weights are too large to check"
        if fault := find_fault_of_size(self.factor, biggest):
            return fault
        apart, covariance = measure_spread(lines, self.weights)
        if self.elements == "rows" and len(set((lines @ self.weights).tolist())) > 1:
            return "the weights of the ones of two rows have different sums"
        if not apart:
            return "two of its elements differ in no other of positive weight"
        if not is_semidefinite(np.diag(self.diagonal) - covariance, self.factor):
            return "the factor does not show that the diagonal bounds the spread"
        spread = int(self.diagonal.astype(object).sum())
        if not balls_fill_space(len(lines), question.d, question.value * apart, spread):
            return f"{len(lines)} points may lie that far apart in dimension {question.d}"
        return None

    def explain(self, problem: Margin) -> list[str]:
        return [
            f"The vectors of the {self.elements}, each with a sum of vectors of the other side, "
            "are far apart if the margin is large.",
            f"Dimension {problem.d} has no room for a margin larger than {problem.value}:",
            *tabulate(problem.pattern, self.rows, self.columns),
        ]


def measure_spread(lines: NDArray[np.int64], weights: ExactArray) -> tuple[int, NDArray[np.int64]]:
    """Return the least weight in which two lines differ, and N^2 times their covariance.

    Each line of 0 and 1 is multiplied by the weights, for the covariance.
    """
    weighted = lines * weights
    sums = weighted.sum(axis=1)
    differing = sums[:, None] + sums - 2 * exact_matmul(lines, weighted.T)
    np.fill_diagonal(differing, differing.max())
    total = weighted.sum(axis=0)
    covariance = len(lines) * exact_matmul(weighted.T, weighted) - np.outer(total, total)
    return int(differing.min()), covariance


def balls_fill_space(points: int, d: int, distance: Fraction, spread: int) -> bool:
    """Return whether so many points with these products of differences have too small a spread.

    For each two points, (v_i - v_l) . (s_i - s_l) exceeds 2 `distance` if the margin exceeds what
    is claimed. The mean of |v_i|^2 is at most 1, and the variance of the s_i at most
    `spread` / N^2. The root of the spread is rounded up.

    >>> balls_fill_space(1000, 4, Fraction(2 * 61, 1000), 2 * 1000**2)
    True
    >>> balls_fill_space(1000, 4, Fraction(2 * 60, 1000), 2 * 1000**2)
    False
    """
    if distance <= 0:
        return False
    square = 4 * spread * _SCALE**2 / (distance * points) ** 2
    root = Fraction(1 + isqrt(max(0, -(-square.numerator // square.denominator) - 1)), _SCALE)
    least = Fraction(d + 2, 2 * d) * (root + Fraction(2 * d, d + 4))
    return bool(Fraction(2 * points, d + 2) ** 2 >= least**d)
