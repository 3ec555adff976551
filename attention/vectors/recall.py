"""The error of candidates against the furthest vectors, updated as candidates change."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.attention.vectors.near_ties import furthest_of
from samapprox.attention.vectors.rows import Rows, near_limit
from samapprox.vectors import as_vectors

__all__ = ["Recall"]

Indices = NDArray[np.int64]
Floats = NDArray[np.float64]


class Recall:
    """A comparison of candidates with the true furthest vectors.

    Attributes
    ----------
    right : ndarray of bool, shape (n,)
        Whether the candidate is as far as the furthest, exactly; equally far ones are right.
    regret : ndarray of float64, shape (n,)
        By how much the candidate's distance falls short of the greatest one: 0 where it is right.

    Parameters
    ----------
    vectors : array_like of float, shape (n, d)
    furthest : ndarray of int, shape (n,)
        The furthest vector of each.

    Notes
    -----
    O(n d); an update O(d) a token.

    Examples
    --------
    >>> recall = Recall([[0.0], [1.0], [4.0]], np.array([2, 2, 0]))
    >>> recall.update(np.array([1, 2, 0]), np.arange(3))
    >>> recall.right.tolist(), recall.regret.tolist()
    ([False, True, True], [3.0, 0.0, 0.0])
    """

    def __init__(self, vectors: ArrayLike, furthest: Indices) -> None:
        self._vectors = as_vectors(vectors)
        self._rows = Rows.of(self._vectors)
        self._furthest = np.asarray(furthest, dtype=np.int64)
        self._squares = self._rows.squares(np.arange(len(self._vectors)), self._furthest)
        self._least = near_limit(self._squares, self._rows, np.float64)
        self.right: NDArray[np.bool_] = np.zeros(len(self._vectors), dtype=np.bool_)
        self.regret: Floats = self._unscaled(np.sqrt(self._squares))

    def update(self, held: NDArray[np.integer], tokens: Indices) -> None:
        """Update the candidates (at least 0) of some tokens."""
        candidates, furthest = held[tokens].astype(np.int64), self._furthest[tokens]
        squares = self._rows.squares(tokens, candidates)
        right = candidates == furthest
        near = np.flatnonzero(~right & (squares >= self._least[tokens]))
        if len(near):
            # of equally far ones the candidate comes first, and is chosen
            both = np.column_stack((candidates[near], furthest[near])).ravel()
            place = np.repeat(np.arange(len(near)), 2)
            chosen = furthest_of(self._vectors, self._vectors, tokens[near], place, both)
            right[near] = chosen == candidates[near]
        short = np.sqrt(self._squares[tokens]) - np.sqrt(squares)
        short = self._unscaled(np.maximum(short, 0))
        self.right[tokens], self.regret[tokens] = right, np.where(right, 0.0, short)

    def _unscaled(self, lengths: Floats) -> Floats:
        """Return the lengths of the vectors themselves, capped at the greatest float."""
        with np.errstate(over="ignore", under="ignore"):
            return np.minimum(np.ldexp(lengths, self._rows.exponent), np.finfo(np.float64).max)
