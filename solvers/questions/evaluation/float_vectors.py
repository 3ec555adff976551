"""Queries and keys of a proof of YES as floats, which `rounding` then tests.

Nothing here has to be exact: vectors that are not good enough fail the test.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.proofs.base import Witness
from samapprox.proofs.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.similarities.balls import Balls
from samapprox.proofs.similarities.caps import Caps
from samapprox.proofs.similarities.key_order import KeyOrder
from samapprox.proofs.values.embedding import ValueEmbedding
from samapprox.similarities import Similarity

__all__ = ["make_vectors"]

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]


def make_vectors(pattern: Pattern, proof: Witness, similarity: Similarity) -> Pair:
    """Return queries and keys that represent the pattern, up to rounding.

    Rows that a partial embedding gets wrong have a unit vector. Raises InputError: the proof states
    no vectors of this similarity, or they are too many.
    """
    if isinstance(proof, PartialEmbedding):
        rows = proof.right_rows(pattern)
        right, keys = make_vectors(proof.right_part(pattern), proof.proof, similarity)
        queries = np.zeros((pattern.shape[0], right.shape[1]))
        queries[:, 0] = 1
        queries[rows] = right
        return queries, keys
    if isinstance(proof, KeyOrder):
        return _on_line(pattern, proof) if proof.curve == "line" else _on_circle(pattern, proof)
    if isinstance(proof, ValueEmbedding):  # small numbers, which users expect as they are
        return proof.queries.astype(np.float64), proof.keys.astype(np.float64)
    if isinstance(proof, Balls):
        scale = _power_above(proof.keys)
        centers = proof.centers.astype(object) / proof.weights.astype(object)[:, None]
        return _divide(centers, scale), _divide(proof.keys, scale)
    if isinstance(proof, Caps):
        return _normalize(proof.queries), _normalize(proof.keys)
    if not similarity.is_attention:
        raise InputError(f"a proof of kind {proof.KIND} states no vectors for {similarity}")
    embedding = proof.embedding(pattern)
    keys = embedding.keys.astype(object)
    keys = 2 * keys - (keys.max(axis=0) + keys.min(axis=0))  # the middle of their range is 0
    scaled = [_divide(query, _power_above(query)) for query in embedding.queries]
    return np.array(scaled), _divide(keys, _power_above(keys))


def _power_above(numbers: NDArray[Any]) -> int:
    """Return a power of two above the absolute values of whole numbers."""
    return 1 << max(abs(int(number)).bit_length() for number in numbers.reshape(-1))


def _divide(numbers: NDArray[Any], scale: int) -> Floats:
    try:
        return np.asarray(numbers.astype(object) / scale, dtype=np.float64)
    except OverflowError:
        raise InputError("the numbers of the embedding exceed the range of floats") from None


def _normalize(vectors: NDArray[Any]) -> Floats:
    """Return unit vectors; one of zeros, which only a row without zeros has, becomes any."""
    scaled = np.array([_divide(vector, _power_above(vector)) for vector in vectors])
    scaled[~scaled.any(axis=1), 0] = 1
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True))


def _on_line(pattern: Pattern, proof: KeyOrder) -> Pair:
    """Return keys at whole numbers, and queries in the middle of their ones."""
    points = proof.points - proof.points.max() / 2
    middles = []
    for row in range(pattern.shape[0]):
        ones = points[pattern.block(row, row + 1)[0] == 1]
        middles.append((ones.min() + ones.max()) / 2)
    return np.array(middles)[:, None], points[:, None].astype(np.float64)


def _on_circle(pattern: Pattern, proof: KeyOrder) -> Pair:
    """Return keys that divide the unit circle evenly, and queries in the middle of their ones."""
    points = proof.points
    count = int(points.max()) + 1
    middles = [
        _middle_of_arc(points[entries == 1], points[entries == 0], count)
        for entries in (pattern.block(row, row + 1)[0] for row in range(pattern.shape[0]))
    ]
    queries, keys = (
        np.column_stack([np.cos(angles), np.sin(angles)])
        for angles in (2 * np.pi / count * np.asarray(places) for places in (middles, points))
    )
    return queries[:, : proof.dimension], keys[:, : proof.dimension]


def _middle_of_arc(ones: NDArray[np.int64], zeros: NDArray[np.int64], count: int) -> float:
    """Return the middle of the arc of some points, which contains no zero."""
    if not zeros.size:
        return float(ones[0])
    after = np.sort((ones - zeros[0]) % count)  # from some zero, around the circle
    return float(zeros[0] + (after[0] + after[-1]) / 2)
