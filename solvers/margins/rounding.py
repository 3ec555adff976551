"""Whole numbers for what numeric searches find: exact margins and exact bounds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.exact import exact_matmul
from samapprox.proofs.kinds.margins.margin_dual import MarginDual
from samapprox.proofs.kinds.margins.unit_embedding import UnitEmbedding
from samapprox.proofs.margin import gaps
from samapprox.solvers.margins.smooth import Vectors, weigh

__all__ = ["bound_of", "dual_of", "round_vectors"]

Floats = NDArray[np.float64]

_DIGITS = 1_000_000
"""Margins are stated with this denominator."""

_MOST_BITS = 30
"""Of the scale of vectors."""

_SAFE_BITS, _QUICK_BITS = 62, 53
"""Products of two vectors stay below 2 to this power, so that many of them are checked quickly."""

_MANY = 1 << 26
"""Products of single numbers; for more, float64 has to hold them, which is faster still."""

_FACTOR = 1 << 24
"""The size of a factor's entries."""

_LEAST = 1e-3  # of a diagonal's mean
_SLACKS = (1e-5, 1e-4, 1e-3, 1e-2)
"""Room for rounding errors of the factor, tried in turn: a share of the diagonal's mean.

Every line gets the same room: errors of a line depend little on its own diagonal entry.
"""


def round_vectors(entries: NDArray[np.int8], vectors: Vectors) -> tuple[Fraction, UnitEmbedding]:
    """Round vectors to whole numbers within the unit ball, and compute their margin exactly.

    Parameters
    ----------
    entries : ndarray of int8, shape (m, n)
        Every row has a one and a zero.
    vectors : Vectors

    Returns
    -------
    margin : Fraction
        Rounded down to millionths; below 0 if some row is wrong.
    proof : UnitEmbedding
        It proves the margin if this is not negative.

    Examples
    --------
    >>> vectors = Vectors(np.array([[1.0], [-1]]), np.array([[1.0], [-1]]))
    >>> round_vectors(np.eye(2, dtype=np.int8), vectors)[0]
    Fraction(1, 1)
    """
    bits = _QUICK_BITS if entries.size * vectors.dimension > _MANY else _SAFE_BITS
    scale = 1 << min(_MOST_BITS, (bits - vectors.dimension.bit_length()) // 2)
    queries, keys = (
        np.trunc(part * scale).astype(np.int64) for part in (vectors.queries, vectors.keys)
    )
    queries, keys = (_shorten(part, scale) for part in (queries, keys))
    zeros, ones = gaps(entries, exact_matmul(queries, keys.T))
    thresholds = (zeros + ones) // 2
    distance = int(np.minimum(ones - thresholds, thresholds - zeros).min())
    margin = Fraction(distance * _DIGITS // scale**2, _DIGITS)
    return margin, UnitEmbedding(scale, scale, queries, keys, thresholds)


def _shorten(vectors: NDArray[np.int64], scale: int) -> NDArray[np.int64]:
    """Move the vectors that are longer than the scale towards 0."""
    long = (vectors**2).sum(axis=1) > scale**2  # the scale keeps all squares in 64 bits
    shorter = np.trunc(vectors * (1 - 4 * vectors.shape[1] / scale)).astype(np.int64)
    return np.asarray(np.where(long[:, None], shorter, vectors))


def bound_of(
    entries: NDArray[np.int8], vectors: Vectors, sharpness: float
) -> tuple[float, Floats, Floats]:
    """Return the bound on all margins that the gradient at some vectors gives, in floats.

    Parameters
    ----------
    entries : ndarray of int8, shape (m, n)
        Every row has a one and a zero.
    vectors : Vectors
        The closer they are to the best ones, the better is the bound.
    sharpness : float

    Returns
    -------
    bound : float
    weights : ndarray, shape (m, n)
        Signed, with absolute values of the sum 1.
    diagonal : ndarray, shape (m + n,)

    Notes
    -----
    At a maximum, the weighted sum of a query's keys is parallel to it; its length belongs on the
    diagonal. Elsewhere the diagonal is multiplied by the norm that makes the form semidefinite.
    O(m n min(m, n)).

    Examples
    --------
    >>> vectors = Vectors(np.array([[1.0], [-1]]), np.array([[1.0], [-1]]))
    >>> round(bound_of(np.eye(2, dtype=np.int8), vectors, 100.0)[0], 6)
    1.0
    """
    _, weights = weigh(entries, vectors.logits, sharpness)
    rows = _floor(np.linalg.norm(weights @ vectors.keys, axis=1))
    columns = _floor(np.linalg.norm(weights.T @ vectors.queries, axis=1))
    scaled = weights / np.sqrt(rows)[:, None] / np.sqrt(columns)
    diagonal = np.concatenate([rows, columns]) * np.linalg.norm(scaled, 2)
    return float(diagonal.sum() / 2), weights, diagonal


def _floor(diagonal: Floats) -> Floats:
    """Raise the entries that are nearly 0."""
    return np.asarray(np.maximum(diagonal, _LEAST * diagonal.mean()))


def dual_of(
    entries: NDArray[np.int8], weights: Floats, diagonal: Floats
) -> tuple[Fraction, MarginDual] | None:
    """Round weights and a diagonal to whole numbers that prove a bound on all margins.

    Parameters
    ----------
    entries : ndarray of int8, shape (m, n)
    weights : ndarray, shape (m, n)
    diagonal : ndarray, shape (m + n,)
        As from `bound_of`.

    Returns
    -------
    (Fraction, MarginDual) or None
        The bound, rounded up to millionths, and its proof; None if rounding errors are too large.

    Notes
    -----
    O((m + n)^3) for a Cholesky decomposition.

    Examples
    --------
    >>> vectors = Vectors(np.array([[1.0], [-1]]), np.array([[1.0], [-1]]))
    >>> entries = np.eye(2, dtype=np.int8)
    >>> bound, proof = dual_of(entries, *bound_of(entries, vectors, 100.0)[1:])
    >>> 1 <= bound < 1.0001
    True
    """
    height, width = entries.shape
    unit = float(_FACTOR) ** 2 / diagonal.max()
    signed = _balance(entries, np.rint(np.abs(weights) * unit).astype(np.int64))
    for slack in _SLACKS:
        room = slack * diagonal.mean()
        whole = np.ceil((diagonal + room) * unit).astype(np.int64)
        form = np.diag(whole - room / 2 * unit)
        form[:height, height:] = -signed
        form[height:, :height] = -signed.T
        try:
            factor = np.rint(np.linalg.cholesky(form).T).astype(np.int64)
        except np.linalg.LinAlgError:
            continue
        rest = np.diag(whole) - exact_matmul(factor.T, factor)
        rest[:height, height:] -= signed
        rest[height:, :height] -= signed.T
        own = rest.diagonal()
        if (2 * own >= np.abs(rest).sum(axis=1)).all():
            bound = Fraction(int(whole.sum()), 2 * int(np.abs(signed).sum()))
            proof = MarginDual(
                range(height), range(width), np.abs(signed), whole[:height], whole[height:], factor
            )
            return Fraction(-(-bound.numerator * _DIGITS // bound.denominator), _DIGITS), proof
    return None


def _balance(entries: NDArray[np.int8], weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return signed weights whose rows have the sum 0: the lighter side's largest grows."""
    signed = np.where(entries == 1, weights, np.where(entries == 0, -weights, 0))
    sums = signed.sum(axis=1)
    lighter = np.where(entries == np.where(sums < 0, 1, 0)[:, None], weights, -1)
    signed[np.arange(len(signed)), lighter.argmax(axis=1)] -= sums
    return signed
