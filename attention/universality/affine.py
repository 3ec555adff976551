"""Ids as affine functions of the input, whose least and greatest values are exact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samapprox.attention.blocks.columns import Matrix

__all__ = ["AffineId"]


@dataclass(frozen=True, slots=True, eq=False)
class AffineId:
    """An integer function constant + weights . x of the digits x_k in 0..largest of all tokens.

    Which token attains a maximum or minimum does not depend on the input, so every shift keeps ids
    affine.

    Attributes
    ----------
    constant : int
    weights : ndarray of object, shape (n,)
        Python's integers.
    largest : int
        The largest digit.

    Examples
    --------
    >>> first, second = AffineId.of_token(0, 2, 8, 3), AffineId.of_token(1, 2, 0, 3)
    >>> shifted = second + 4 * (first - second)
    >>> shifted.low, shifted.high, shifted.spread
    (23, 44, 21)
    """

    constant: int
    weights: Matrix
    largest: int

    @classmethod
    def of_token(cls, token: int, n: int, least: int, largest: int) -> AffineId:
        """Return the id of one of n tokens before any shift: least + x_token."""
        weights = np.zeros(n, dtype=object)
        weights[token] = 1
        return cls(least, weights, largest)

    def __add__(self, other: AffineId) -> AffineId:
        return AffineId(self.constant + other.constant, self.weights + other.weights, self.largest)

    def __sub__(self, other: AffineId) -> AffineId:
        return AffineId(self.constant - other.constant, self.weights - other.weights, self.largest)

    def __rmul__(self, factor: int) -> AffineId:
        return AffineId(factor * self.constant, factor * self.weights, self.largest)

    @property
    def low(self) -> int:
        """The least value over all digits."""
        return int(self.constant + self.largest * sum(w for w in self.weights if w < 0))

    @property
    def high(self) -> int:
        """The greatest value over all digits."""
        return int(self.constant + self.largest * sum(w for w in self.weights if w > 0))

    @property
    def spread(self) -> int:
        """The greatest difference of two values."""
        return self.high - self.low
