"""Embeddings that are right in a number format and need no search."""

from __future__ import annotations

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.solvers.questions.margins.grid_annealing import has_grid, list_values
from samapprox.solvers.questions.margins.rounding import embed
from samapprox.solvers.questions.margins.straight_through import scale_to_whole


def give_queries_coordinates(pattern: Pattern) -> Embedding:
    """Return the embedding whose queries are unit vectors: it represents in every format."""
    height = pattern.shape[0]
    ones = (pattern.to_array() == 1).astype(np.int64)
    return Embedding(np.eye(height, dtype=np.int64), ones.T, np.zeros(height, dtype=np.int64))


def give_keys_coordinates(pattern: Pattern) -> Embedding:
    """Return the embedding whose keys are unit vectors: right where sums of n ones are exact."""
    height, width = pattern.shape
    ones = (pattern.to_array() == 1).astype(np.int64)
    return Embedding(ones, np.eye(width, dtype=np.int64), np.zeros(height, dtype=np.int64))


def spread(pattern: Pattern, embedding: Embedding, arithmetic: str) -> Embedding | None:
    r"""Spread keys on a line evenly over the numbers of a format, in the same order.

    Queries become 1 or -1, so that the format rounds nothing. None in more dimensions, for formats
    with so many numbers that this is not needed, and if there are more different keys than numbers.

    >>> three = Embedding([[1], [1]], [[0], [1], [9]], [0, 5])
    >>> spread(Pattern.from_text("011\n001"), three, "int8").keys.ravel().tolist()
    [-1, 0, 1]
    """
    if embedding.dimension != 1 or not has_grid(arithmetic):
        return None
    values = list_values(arithmetic)
    different, places = np.unique(embedding.keys.ravel(), return_inverse=True)
    if len(different) > len(values):
        return None
    chosen = np.rint(np.linspace(0, len(values) - 1, len(different))).astype(np.int64)
    keys = scale_to_whole(values[chosen][places][:, None], None)
    queries = np.where(embedding.queries >= 0, 1, -1)
    return embed(pattern.to_array(), queries.astype(np.int64), keys)
