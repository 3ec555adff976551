"""Haar Stiefel matrices whose rows are drawn on demand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LazyFrame", "Part", "haar"]

Floats = NDArray[np.float64]
Reals = NDArray[Any]

_TALL = 4
"""With so many times as many rows as columns, a Gaussian is surely well conditioned (about 3),
and float32 serves for its Gram matrix."""


def haar(n: int, r: int, rng: np.random.Generator) -> Floats:
    """Draw a uniformly distributed n x r Stiefel matrix: QR of a Gaussian, signs corrected.

    Parameters
    ----------
    n, r : int
        r <= n.
    rng : numpy.random.Generator

    References
    ----------
    Stewart (1980), "The Efficient Generation of Random Orthogonal Matrices".

    Examples
    --------
    >>> Y = haar(5, 2, np.random.default_rng(0))
    >>> bool(np.allclose(Y.T @ Y, np.eye(2)))
    True
    """
    Q, R = np.linalg.qr(rng.standard_normal((n, r)))
    return np.asarray(Q * np.sign(np.diagonal(R)))


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of a frame as gaussian L^-T outer, kept as factors.

    Attributes
    ----------
    gaussian : ndarray of float32 or float64, shape (count, r)
    lower : ndarray, shape (r, r)
        L.
    outer : ndarray, shape (r, r), or None
        None is the identity.
    """

    gaussian: Reals
    lower: Floats
    outer: Floats | None

    def rows(self, places: NDArray[np.int64]) -> Floats:
        """Return some of the rows. O(r^2) each."""
        inner = _solved(self.lower, self.gaussian[places].T, transposed=False).T
        return np.asarray(inner if self.outer is None else inner @ self.outer)

    def products(self, queries: Floats) -> Reals:
        """Return inner products of vectors with all the rows, shape (vectors, count)."""
        turned = queries.T if self.outer is None else self.outer @ queries.T
        short = _solved(self.lower, turned, transposed=True).T.astype(self.gaussian.dtype)
        return np.asarray(short @ self.gaussian.T)


class LazyFrame:
    """A Haar n x r Stiefel matrix Y, some rows at a time.

    Parameters
    ----------
    n, r : int
        r <= n.
    rng : numpy.random.Generator

    Notes
    -----
    Let H be Haar, m x r, and its first c rows be wanted. H is the Q of a Gaussian G = [G1; G2],
    and all that the rows of G1 need of G2 is its Gram matrix: a Wishart matrix W = T T^T of m - c
    degrees of freedom, T by Bartlett. With G1^T G1 + W = L L^T the wanted rows are G1 L^-T and the
    others are H' T^T L^-T, where H', the Q of G2, is Haar, (m - c) x r, and independent of all
    that was drawn. So the rest is a lazy frame again. `docs/theory/approximate.md` has the proof.
    c rows cost O(c r^2 + r^3) and c r + r^2 / 2 random numbers, whatever n is.

    Gaussians are numbers of float32, and so are the Gram matrices of tall ones; the r x r algebra
    is of float64, and `complete` does it all again in float64 for the same Gaussians.

    Examples
    --------
    >>> frame = LazyFrame(100, 3, np.random.default_rng(0))
    >>> frame.reveal(10).gaussian.shape, frame.revealed
    ((10, 3), 10)
    >>> Y = frame.complete()
    >>> Y.shape, bool(np.allclose(Y.T @ Y, np.eye(3)))
    ((100, 3), True)
    """

    def __init__(self, n: int, r: int, rng: np.random.Generator) -> None:
        self.n, self.r, self.revealed = n, r, 0
        self.parts: list[Part] = []
        self._rng = rng
        self._rests: list[Floats] = []

    def reveal(self, count: int) -> Part:
        """Return the next rows: `count` of them, or all where fewer than r would remain."""
        left = self.n - self.revealed
        if left - count < self.r:
            count = left
        outer = _beyond(self.parts[-1], self._rests[-1]) if self.parts else None
        kind = np.float32 if left >= _TALL * self.r else np.float64
        drawn = self._rng.standard_normal((count, self.r), dtype=np.float32)
        gaussian: Reals = drawn.astype(kind, copy=False)
        rest = None if count == left else _bartlett(left - count, self.r, self._rng)
        if rest is not None:
            self._rests.append(rest)
        gram: Reals = gaussian.T @ gaussian
        lower = _lower(gram.astype(np.float64), rest)
        self.parts.append(Part(gaussian, lower, outer))
        self.revealed += count
        return self.parts[-1]

    def complete(self) -> Floats:
        """Return all of Y in float64, the rows in the order in which they were revealed."""
        if self.revealed < self.n:
            self.reveal(self.n - self.revealed)
        rows: list[Floats] = []
        outer: Floats | None = None
        for part, rest in zip(self.parts, [*self._rests, None], strict=True):
            wide = part.gaussian.astype(np.float64)
            again = Part(part.gaussian, _lower(wide.T @ wide, rest), outer)
            rows.append(again.rows(np.arange(len(wide))))
            outer = None if rest is None else _beyond(again, rest)
        return np.vstack(rows)


def _bartlett(degrees: int, r: int, rng: np.random.Generator) -> Floats:
    """Draw an upper triangular T with T T^T Wishart of at least r degrees of freedom."""
    T = np.zeros(r * r)
    T[_above_diagonal(r)] = rng.standard_normal(r * (r - 1) // 2, dtype=np.float32)
    T[:: r + 1] = np.sqrt(rng.chisquare(np.arange(degrees - r + 1, degrees + 1)))
    return T.reshape(r, r)


@cache
def _above_diagonal(r: int) -> NDArray[np.int64]:
    """Return flat places of the entries above the diagonal of an r x r matrix."""
    return np.flatnonzero(np.triu(np.ones((r, r), dtype=np.bool_), 1))


def _lower(gram: Floats, rest: Floats | None) -> Floats:
    """Return L with L L^T = gram + rest rest^T, for an upper triangular rest."""
    from scipy.linalg import lapack

    if rest is not None:
        square, _ = lapack.dlauum(rest, lower=0)
        gram = gram + square  # only the upper triangles count
    upper, _ = lapack.dpotrf(gram, lower=0)
    return np.asarray(upper.T)


def _solved(lower: Floats, right: Any, *, transposed: bool) -> Floats:
    """Return L^-1 right, or L^-T right."""
    from scipy.linalg import lapack

    found, _ = lapack.dtrtrs(lower.T, right, lower=0, trans=0 if transposed else 1)
    return np.asarray(found)


def _beyond(part: Part, rest: Floats) -> Floats:
    """Return the map from the Haar rows after a part to rows of Y: T^T L^-T outer."""
    outer = np.eye(len(rest)) if part.outer is None else part.outer
    return np.asarray(rest.T @ _solved(part.lower, outer, transposed=True))
