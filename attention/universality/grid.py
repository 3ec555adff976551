"""The grid of inputs: every matrix whose entries are multiples of delta in [0, 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.support.parameters import require

__all__ = ["MOST_TOKENS", "Grid"]

MOST_TOKENS = 1 << 20
"""Most tokens of all grid points together, each of which needs a value layer."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The grid G_delta of d x n matrices, in units of delta: entries 0, 1, .., 1/delta - 1.

    Grid points are numbered in the order of `itertools.product`: the last entry of the last row
    changes fastest.

    Attributes
    ----------
    n : int
        Tokens.
    d : int
        Embedding dimension.
    steps : int
        1 / delta.

    Raises
    ------
    InputError
        n or d below 1, or steps below 2.

    References
    ----------
    Yun et al. (2020), 4.1 and appendix C.

    Examples
    --------
    >>> grid = Grid(n=2, d=1, steps=3)
    >>> grid.size, grid.points(3, 5).tolist()
    (9, [[[1, 0]], [[1, 1]]])
    """

    n: int
    d: int
    steps: int

    def __post_init__(self) -> None:
        require(self.n >= 1, f"the number of tokens n must be at least 1, not {self.n}")
        require(self.d >= 1, f"d (embedding dimension) must be at least 1, not {self.d}")
        require(
            self.steps >= 2, f"1 / delta must be a whole number of at least 2, not {self.steps}"
        )

    @property
    def size(self) -> int:
        """The number of grid points, (1 / delta)^(d n)."""
        return int(self.steps ** (self.d * self.n))

    def require_enumerable(self) -> None:
        """Refuse a grid with too many points to enumerate, before anything is allocated.

        Raises
        ------
        InputError

        Examples
        --------
        >>> Grid(n=64, d=2, steps=8).require_enumerable()
        Traceback (most recent call last):
        ...
        samapprox.errors.InputError: the grid has 8^128 points of 64 tokens, ...
        """
        entries = self.d * self.n
        few = entries < MOST_TOKENS.bit_length() and self.n * self.size <= MOST_TOKENS
        require(
            few,
            f"the grid has {self.steps}^{entries} points of {self.n} tokens, each with a value "
            f"layer; at most {MOST_TOKENS} tokens are enumerated: reduce n, d or 1 / delta",
        )

    def points(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return some grid points, in units of delta.

        Returns
        -------
        ndarray of int64, shape (stop - start, d, n)

        Notes
        -----
        O((stop - start) d n). The grid must be enumerable.
        """
        numbers = np.arange(start, stop, dtype=np.int64)
        powers = self.steps ** np.arange(self.d * self.n, dtype=np.int64)[::-1]
        return (numbers[:, None] // powers % self.steps).reshape(-1, self.d, self.n)
