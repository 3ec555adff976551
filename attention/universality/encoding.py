"""The positional embedding E: every token has an interval of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.blocks.columns import Matrix

__all__ = ["Encoding"]


@dataclass(frozen=True, slots=True)
class Encoding:
    """The positional embedding E and the column ids u^T (X + E), in units of delta.

    Attributes
    ----------
    blocks : tuple of int
        The number of each token's interval: token k has the entries E_k = blocks[k] in all rows, so
        that its entries plus E lie in [blocks[k], blocks[k] + 1).
    d, steps : int
        As in `Grid`.

    References
    ----------
    Yun et al. (2020), D.1 and E.2.1.

    Examples
    --------
    >>> encoding = Encoding.along([0, 1, 2], d=2, steps=2)
    >>> encoding.blocks, encoding.column_weights.tolist()
    ((2, 0, 1), [1, 2])
    >>> encoding.positions.tolist()
    [[4, 0, 2], [4, 0, 2]]
    >>> [encoding.least_id(k) for k in range(3)], encoding.largest_digit
    ([12, 0, 6], 3)
    """

    blocks: tuple[int, ...]
    d: int
    steps: int

    @classmethod
    def along(cls, tokens: Sequence[int], d: int, steps: int) -> Encoding:
        """Number the tokens by their first visit on a walk; the first token gets the last number.

        Parameters
        ----------
        tokens : sequence of int
            A walk that visits all tokens.
        d, steps : int

        Examples
        --------
        >>> Encoding.along([1, 0, 2, 0, 3], d=1, steps=2).blocks
        (0, 3, 1, 2)
        """
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
