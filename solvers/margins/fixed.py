"""The largest margin that is found in a given dimension."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.kinds.embedding import Embedding
from samapprox.solvers.margins.smooth import Vectors, ascend, margin_of, random_vectors
from samapprox.solvers.search import Search

__all__ = ["climb", "normalize", "project", "widen"]

Floats = NDArray[np.float64]

_FIRST, _LAST, _STEP = 10.0, 1e7, 4.0
_ENOUGH = 0.002
"""The relative gain of a sharper search that ends the climb."""


def climb(
    entries: NDArray[np.int8], start: Vectors, search: Search, sharpness: float = _FIRST
) -> Vectors:
    """Improve the margin of vectors in their dimension, with a sharper and sharper soft minimum.

    Parameters
    ----------
    entries : ndarray of int8, shape (m, n)
        Every row has a one and a zero.
    start : Vectors
    search : Search
    sharpness : float
        The first one.

    Returns
    -------
    Vectors
        The best on the way; the margin is below 0 if no embedding was found.

    Examples
    --------
    >>> entries = np.eye(4, dtype=np.int8)
    >>> found = widen(entries, 3, Search())
    >>> round(margin_of(entries, found.logits), 2)  # n / (2 (n - 1))
    0.67
    """
    best, most, vectors = start, margin_of(entries, start.logits), start
    while sharpness < _LAST and not search.out_of_time:
        vectors = ascend(entries, vectors, sharpness, search)
        margin = margin_of(entries, vectors.logits)
        if margin > most:
            close = margin > 0 and margin - most < _ENOUGH * margin
            best, most = vectors, margin
            if close:
                break
        sharpness *= _STEP
    return best


def widen(
    entries: NDArray[np.int8],
    d: int,
    search: Search,
    starts: Sequence[Vectors] = (),
    attempts: int = 8,
) -> Vectors:
    """Return the vectors of dimension d with the largest margin of a few climbs.

    Parameters
    ----------
    entries : ndarray of int8, shape (m, n)
        Every row has a one and a zero.
    d : int
    search : Search
    starts : sequence of Vectors
        Vectors to start from, before random ones.
    attempts : int
        The number of starts.
    """
    random = np.random.default_rng(search.seed + d)
    height, width = entries.shape
    best = random_vectors((height, width), d, random)
    most = margin_of(entries, best.logits)
    for number in range(attempts):
        fresh = random_vectors((height, width), d, random)
        start = starts[number] if number < len(starts) else fresh
        found = climb(entries, start, search)
        margin = margin_of(entries, found.logits)
        if margin > most:
            best, most = found, margin
        if search.out_of_time and number:
            break
    return best


def project(vectors: Vectors, d: int) -> Vectors:
    """Project vectors to the d directions in which they are longest.

    Examples
    --------
    >>> vectors = Vectors(np.eye(3), np.eye(3))
    >>> project(vectors, 2).keys.shape
    (3, 2)
    """
    both = np.vstack([vectors.queries, vectors.keys])
    _, _, axes = np.linalg.svd(both, full_matrices=False)
    queries, keys = (part @ axes[:d].T for part in (vectors.queries, vectors.keys))
    return _fit(queries, keys, d)


def normalize(embedding: Embedding, d: int) -> Vectors | None:
    """Scale an integer embedding to the unit ball; None if floats cannot hold it.

    Examples
    --------
    >>> normalize(Embedding([[3], [-2]], [[0], [4]], [6, -4]), 1).keys.tolist()
    [[-1.0], [1.0]]
    """
    keys = embedding.keys.astype(object)
    keys = 2 * keys - (keys.max(axis=0) + keys.min(axis=0))
    queries = embedding.queries.astype(object)
    try:
        sizes = np.maximum(np.abs(queries).max(axis=1), 1)
        return _fit(
            np.asarray(queries / sizes[:, None], dtype=np.float64),
            np.asarray(keys / max(1, np.abs(keys).max()), dtype=np.float64),
            d,
        )
    except OverflowError:
        return None


def _fit(queries: Floats, keys: Floats, d: int) -> Vectors:
    """Return vectors in d dimensions: queries of length 1, the longest key of length 1."""
    padding = d - queries.shape[1]
    if padding > 0:
        queries, keys = (np.pad(part, ((0, 0), (0, padding))) for part in (queries, keys))
    lengths = np.linalg.norm(queries, axis=1, keepdims=True)
    directions = np.where(lengths > 0, queries, np.eye(1, d)) / np.where(lengths > 0, lengths, 1)
    longest = np.linalg.norm(keys, axis=1).max()
    return Vectors(directions, keys / (longest if longest > 0 else 1.0))
