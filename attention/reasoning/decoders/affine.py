"""Affine functions of the coordinates of a token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from samapprox.attention.reasoning.decoders.mlp import Floats

__all__ = ["Affine", "as_matrix"]


@dataclass(frozen=True, slots=True)
class Affine:
    """A sum of coordinates with coefficients, and a constant.

    Attributes
    ----------
    terms : mapping of int to float
        Coordinate -> coefficient.
    constant : float

    Examples
    --------
    >>> x, y = Affine({0: 1.0}), Affine({1: 1.0})
    >>> (2 * x - y + 3).terms, (2 * x - y + 3).constant
    ({0: 2.0, 1: -1.0}, 3.0)
    """

    terms: Mapping[int, float] = field(default_factory=dict)
    constant: float = 0.0

    def __add__(self, other: Affine | float) -> Affine:
        if not isinstance(other, Affine):
            return Affine(self.terms, self.constant + other)
        terms = {
            place: self.terms.get(place, 0.0) + other.terms.get(place, 0.0)
            for place in {**self.terms, **other.terms}
        }
        return Affine(terms, self.constant + other.constant)

    def __rmul__(self, factor: float) -> Affine:
        terms = {place: factor * coefficient for place, coefficient in self.terms.items()}
        return Affine(terms, factor * self.constant)

    def __sub__(self, other: Affine | float) -> Affine:
        return self + -1.0 * other


def as_matrix(functions: Sequence[Affine], d: int) -> tuple[Floats, Floats]:
    """Return the matrix and the constants of affine functions of d coordinates.

    Examples
    --------
    >>> matrix, constants = as_matrix([Affine({1: 2.0}, 5.0)], d=3)
    >>> matrix.tolist(), constants.tolist()
    ([[0.0, 2.0, 0.0]], [5.0])
    """
    matrix = np.zeros((len(functions), d))
    for row, function in zip(matrix, functions, strict=True):
        row[list(function.terms)] = list(function.terms.values())
    return matrix, np.array([function.constant for function in functions], dtype=np.float64)
