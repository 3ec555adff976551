"""From floats to whole numbers: the fewest bits that keep an embedding right and wide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.exact import ExactArray, exact, exact_matmul
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.margin import gaps

__all__ = ["whole_numbers"]

Floats = NDArray[np.float64]

_BITS = (6, 8, 10, 12, 16, 20, 26, 32, 40)


def whole_numbers(pattern: Pattern, U: Floats, V: Floats) -> Embedding | None:
    """Round an embedding in homogeneous form to few bits that keep it right and half as wide.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
    U : ndarray of float64, shape (m + 1, d + 1)
        Row 0 is positive on all keys.
    V : ndarray of float64, shape (n, d + 1)

    Returns
    -------
    Embedding or None
        None where 40 bits are too few.

    Notes
    -----
    O(m n d) for each number of bits tried.

    Examples
    --------
    >>> U, V = np.array([[0.0, 2.0], [0.6, -0.1]]), np.array([[1.0, 2.0], [-0.9, 3.0]])
    >>> whole_numbers(Pattern.from_array([[1, 0]]), U, V).keys.ravel().tolist()
    [64, -64]
    """
    entries = pattern.to_array()
    # Coordinates in which row 0 is the last axis; then scale every key to have a 1 there.
    basis, _ = np.linalg.qr(np.column_stack([U[0], np.eye(U.shape[1])]))
    basis = np.roll(basis, -1, axis=1)
    queries, keys = U[1:] @ basis, V @ basis
    height = keys[:, -1:]
    if not ((height > 0).all() or (height < 0).all()):
        return None
    keys = keys[:, :-1] / height
    # The axis may have come out the other way round: then queries change sides.
    queries = queries[:, :-1] * np.sign(height[0])
    queries /= np.maximum(1e-300, np.abs(queries).max(axis=1))[:, None]
    keys = keys - (keys.max(axis=0) + keys.min(axis=0)) / 2
    keys /= max(1e-300, float(np.abs(keys).max()))
    wanted = 0.5 * _width(entries, queries @ keys.T)
    for bits in _BITS:
        whole_queries, whole_keys = (
            exact(np.rint(numbers * (1 << bits)).astype(np.int64), 2, "numbers")
            for numbers in (queries, keys)
        )
        logits = exact_matmul(whole_queries, whole_keys.T)
        zeros, ones = gaps(entries, logits)
        if (ones > zeros).all() and (bits == _BITS[-1] or _width(entries, logits) >= wanted):
            return Embedding(whole_queries, whole_keys, zeros)
    return None


def _width(entries: NDArray[np.int8], logits: ExactArray) -> float:
    """The least share that a row's gap has in its range of logits."""
    zeros, ones = gaps(entries, logits)
    ranges = np.maximum(1e-300, logits.max(axis=1) - logits.min(axis=1))
    return float(((ones - zeros) / ranges).min())
