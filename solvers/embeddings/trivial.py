"""The trivial proof of every pattern: one dimension per row, or n - 1 for n keys."""

from __future__ import annotations

import numpy as np

from samapprox.pattern import Pattern
from samapprox.problem import trivial_dimension
from samapprox.proofs.base import Witness
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.embeddings.moment_curve import MomentCurve

__all__ = ["trivial_embedding", "trivial_witness"]

# Entries times dimension of the largest embedding that is written down and multiplied out.
_MOST_PRODUCTS = 10_000_000


def trivial_witness(pattern: Pattern) -> Witness:
    """Prove the trivial dimension: by an embedding, or for large patterns by any order.

    Along any order of n keys, no row changes its sign more than n - 1 times; along one of row 0 and
    m queries, no column more than m times. The order costs O(m + n).
    """
    rows, columns = pattern.shape
    dimension = trivial_dimension(pattern.shape)
    if rows * columns * dimension <= _MOST_PRODUCTS:
        return trivial_embedding(pattern)
    if rows < columns:
        return MomentCurve(dimension, "rows", np.arange(rows + 1))
    return MomentCurve(dimension, "columns", np.arange(columns))


def trivial_embedding(pattern: Pattern) -> Embedding:
    """Embed a pattern in the trivial dimension.

    O(m n). With m rows, key j is column j of the pattern, and query i asks for coordinate i. With n
    keys, these are the origin and the axes of n - 1 dimensions, which halfspaces cut in every way.
    """
    entries = (pattern.to_array() == 1).astype(np.int64)
    rows, columns = entries.shape
    if rows <= columns - 1 or columns == 1:
        size = trivial_dimension(entries.shape)
        chosen = np.zeros((rows, size), dtype=np.int64)
        np.fill_diagonal(chosen, 1)
        if columns == 1:  # every row holds the only key
            return Embedding(0 * chosen, np.zeros((1, size), dtype=np.int64), [-1] * rows)
        return Embedding(chosen, entries.T, np.zeros(rows, dtype=np.int64))
    signs = 2 * entries - 1
    keys = np.vstack([np.zeros(columns - 1, dtype=np.int64), np.eye(columns - 1, dtype=np.int64)])
    # 2 q . k > t: t is odd, -1 where key 0 is a one and 1 where it is not.
    return Embedding(2 * signs[:, 1:], keys, -signs[:, 0])
