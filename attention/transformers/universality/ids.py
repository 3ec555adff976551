"""Ids of tokens before and after shifts: affine functions of the digits of the input.

The positional embedding E gives every token an interval of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.transformers.columns import Matrix


@dataclass(frozen=True, slots=True)
class Encoding:
    """The positional embedding E and the column ids u^T (X + E), in units of delta.

    Source: Yun et al. (2020), D.1 and E.2.1.
    """

    # The number of each token's interval: token k has the entries E_k = blocks[k] in all rows, so
    # that its entries plus E lie in [blocks[k], blocks[k] + 1).
    blocks: tuple[int, ...]
    d: int
    steps: int

    @classmethod
    def along(cls, tokens: Sequence[int], d: int, steps: int) -> Encoding:
        """Number a walk's tokens by their first visit; the first token gets the last number."""
        first, *others = dict.fromkeys(tokens)
        numbers = {token: number for number, token in enumerate([*others, first])}
        return cls(tuple(numbers[token] for token in range(len(numbers))), d, steps)

    @property
    def n(self) -> int:
        """Number of tokens."""
        return len(self.blocks)

    @property
    def positions(self) -> NDArray[np.int64]:
        """The matrix E in units of delta, shape (d, n)."""
        return np.tile(self.steps * np.array(self.blocks, dtype=np.int64), (self.d, 1))

    @property
    def column_weights(self) -> Matrix:
        """The vector u = (1, 1/delta, 1/delta^2, ..), shape (d,)."""
        weights = [self.steps**row for row in range(self.d)]
        return np.array(weights, dtype=np.int64 if weights[-1] < 1 << 62 else object)

    @property
    def largest_digit(self) -> int:
        """1/delta^d - 1: the ids of a token are its least id plus 0, 1, .., this digit."""
        return int(self.steps**self.d - 1)

    def least_id(self, token: int) -> int:
        """Return the least id that a token can have before any shift: Equation 7."""
        return int(self.steps * self.blocks[token] * sum(self.steps**i for i in range(self.d)))


@dataclass(frozen=True, slots=True, eq=False)
class AffineId:
    """An integer function constant + weights . x of the digits x_k in 0..largest of all tokens.

    Which token attains a maximum or minimum does not depend on the input, so every shift keeps ids
    affine.
    """

    constant: int
    weights: Matrix  # Python's integers
    largest: int  # the largest digit

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
