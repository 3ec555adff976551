"""The trivial dimension of queries and keys with few values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import trivial_dimension
from samapprox.proofs.values.embedding import ValueEmbedding
from samapprox.similarities import Similarity
from samapprox.solvers.similarity.transfers import Transfers


class TrivialVectors(Transfers):
    """Vectors with the entries -1, 0 and 1, or -1 and 1, for every pattern."""

    @staticmethod
    def trivial(pattern: Pattern, similarity: Similarity) -> ValueEmbedding:
        """Represent a pattern in the trivial dimension; don't-cares count as 0.

        docs/theory/values.md explains the vectors. O(m n) for each coordinate.
        """
        ones = pattern.to_array() == 1
        signs = 2 * ones.astype(np.int64) - 1
        rows, columns = signs.shape
        d = trivial_dimension(pattern.shape, similarity)
        assert similarity.values is not None
        has_zero = 0 in similarity.values
        if d >= columns - 1:  # one coordinate for each key but the first
            first = min(1, columns - 1)
            queries, keys = signs[:, first:], np.eye(columns, dtype=np.int64)[:, first:]
            keys = keys if has_zero else 2 * keys - 1
        elif similarity.per_row == 1:  # one coordinate for each row
            queries, keys = np.eye(rows, dtype=np.int64), signs.T
        else:  # two: they cancel, except in the row's own
            apart = 1 - 2 * np.eye(rows, dtype=np.int64)
            queries = np.hstack([np.ones_like(apart), -apart])
            keys = np.hstack([signs.T, signs.T])
        return with_thresholds(ones, queries, keys)


def with_thresholds(
    ones: NDArray[np.bool_], queries: NDArray[np.int64], keys: NDArray[np.int64]
) -> ValueEmbedding:
    """Return vectors with thresholds just below the least logit of each row's ones."""
    logits = np.where(ones, queries @ keys.T, np.iinfo(np.int64).max)
    return ValueEmbedding(queries, keys, logits.min(axis=1) - 1)
