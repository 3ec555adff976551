"""Integer embeddings from floats, each row with the best threshold for its logits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.solvers.embeddings.lbfgs import Floats

__all__ = ["best_thresholds", "count_wrong", "round_embedding"]

_BITS = 20  # products of two are exact in floats, and sums of 2^13 of them


def round_embedding(pattern: Pattern, queries: Floats, keys: Floats) -> Embedding:
    r"""Round queries and keys to integers; each threshold leaves the fewest entries wrong.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
    queries, keys : ndarray of float64, shapes (m, d) and (n, d)

    Examples
    --------
    >>> pattern = Pattern.from_text("110\n101")
    >>> embedding = round_embedding(pattern, np.ones((2, 1)), np.array([[3.0], [2.0], [1.0]]))
    >>> count_wrong(pattern, embedding).tolist()
    [0, 1]
    """
    scale = float(1 << _BITS)
    widest = np.maximum(1e-300, np.abs(queries).max(axis=1, initial=0.0))
    whole_queries = np.rint(queries / widest[:, None] * scale)
    whole_keys = np.rint(keys / max(1e-300, float(np.abs(keys).max(initial=0.0))) * scale)
    thresholds = best_thresholds(pattern.to_array(), whole_queries @ whole_keys.T)
    return Embedding(*(part.astype(np.int64) for part in (whole_queries, whole_keys, thresholds)))


def best_thresholds(entries: NDArray[np.int8], logits: Floats) -> Floats:
    """Find for each row a threshold that leaves the fewest specified entries wrong.

    Parameters
    ----------
    entries : ndarray of int8, shape (m, n)
        Negative for don't-cares.
    logits : ndarray of float64, shape (m, n)
        Whole numbers.

    Examples
    --------
    >>> entries = np.array([[1, 0, 0, 1]], dtype=np.int8)
    >>> best_thresholds(entries, np.array([[4.0, 1.0, 3.0, 3.0]])).tolist()
    [1.0]
    """
    order = np.argsort(logits, axis=1, kind="stable")
    heights = np.take_along_axis(logits, order, axis=1)
    sides = np.take_along_axis(entries, order, axis=1)
    gain = np.cumsum((sides == 0).astype(np.int64) - (sides == 1), axis=1)
    gain[:, :-1][heights[:, :-1] == heights[:, 1:]] = np.iinfo(np.int64).min
    best = gain.argmax(axis=1)
    rows = np.arange(len(entries))
    return np.where(gain[rows, best] >= 0, heights[rows, best], heights[:, 0] - 1)


def count_wrong(pattern: Pattern, embedding: Embedding) -> NDArray[np.int64]:
    """Count the wrong entries of each row, for numbers whose logits floats hold exactly.

    Examples
    --------
    >>> count_wrong(Pattern.from_text("10"), Embedding([[1]], [[1], [2]], [1])).tolist()
    [2]
    """
    queries, keys, thresholds = (
        np.asarray(part, dtype=np.float64)
        for part in (embedding.queries, embedding.keys, embedding.thresholds)
    )
    entries = pattern.to_array()
    found = (queries @ keys.T > thresholds[:, None]).astype(np.int8)
    return np.asarray(((entries >= 0) & (entries != found)).sum(axis=1), dtype=np.int64)
