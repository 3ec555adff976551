"""Scores of the similarities as products of queries with features of the keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.similarities.balls import Balls
from samapprox.proofs.similarities.caps import Caps
from samapprox.support.arrays import Array

Floats = NDArray[np.floating[Any]]
"""Mostly in single precision, which halves the time of a search."""

NumericWitness = Embedding | Balls | Caps
"""Witnesses with numbers for all queries and keys."""

# With these bits products are exact in floats, and so are sums of 32 of them.
_QUERY_BITS, _KEY_BITS = 22, 26
# Bits of the keys of balls; centres have up to 10 more, and all products fit into 64.
_BALL_BITS = 22
# The least weight of a ball, relative to its largest coefficient; that of a halfspace is 0.
_LEAST_WEIGHT = 1e-3


@dataclass(frozen=True, slots=True)
class Scores:
    r"""The scores of a similarity in a dimension: linear in queries, given features of keys.

    A query q scores a key k by q . features(k), above 0 for a one. The features are (k, 1); these
    are the scores of dot products.
    """

    d: int

    @property
    def size(self) -> int:
        """The number of features."""
        return self.d + 1

    def features(self, keys: Floats) -> Floats:
        """Compute the features of keys."""
        return np.concatenate([keys, np.ones_like(keys[:, :1])], axis=1)

    def slopes(self, keys: Floats) -> Floats:
        """Compute the derivatives of the features by the keys' coordinates: shape (n, d, size)."""
        slopes = np.zeros((len(keys), self.d, self.size), dtype=keys.dtype)
        slopes[:, :, : self.d] = np.eye(self.d)
        return slopes

    def place(self, keys: Floats) -> Floats:
        """Move keys to where they may lie."""
        return keys

    def direct(self, queries: Floats) -> Floats:
        """Scale queries to length 1."""
        lengths = np.linalg.norm(queries, axis=1, keepdims=True)
        return np.asarray(queries / np.maximum(1e-30, lengths))

    def round(self, pattern: Pattern, queries: Floats, keys: Floats) -> NumericWitness:
        """Round queries and keys to integers; each threshold leaves the fewest entries wrong."""
        whole, whole_keys = self._round_vectors(queries, keys)
        thresholds = best_thresholds(pattern.to_array(), whole @ whole_keys.T)
        return Embedding(*_as_integers(whole, whole_keys, thresholds))

    def _round_vectors(self, queries: Floats, keys: Floats) -> tuple[Floats, Floats]:
        whole_keys = _to_integers(keys.astype(np.float64), _KEY_BITS)
        queries = queries[:, : self.d].astype(np.float64)
        lengths = np.abs(queries).max(axis=1, initial=1e-30)
        return np.rint(queries * ((1 << _QUERY_BITS) / lengths[:, None])), whole_keys


class CapScores(Scores):
    """The same with |k| = 1, for cosines."""

    __slots__ = ()

    def slopes(self, keys: Floats) -> Floats:
        """Compute the derivatives along the sphere."""
        slopes = Scores.slopes(self, keys)
        slopes[:, :, : self.d] -= keys[:, :, None] * keys[:, None, :]
        return slopes

    def place(self, keys: Floats) -> Floats:
        """Move keys to the sphere."""
        lengths = np.linalg.norm(keys, axis=1, keepdims=True)
        keys = np.where(lengths > 0, keys, 1.0)
        return np.asarray(keys / np.linalg.norm(keys, axis=1, keepdims=True))

    def round(self, pattern: Pattern, queries: Floats, keys: Floats) -> NumericWitness:
        """Round queries and keys to the integers of caps."""
        whole, whole_keys = self._round_vectors(queries, keys)
        directions = whole_keys / np.linalg.norm(whole_keys, axis=1, keepdims=True)
        thresholds = best_thresholds(pattern.to_array(), np.ceil(whole @ directions.T))
        return Caps(*_as_integers(whole, whole_keys, thresholds))


class BallScores(Scores):
    """Features (k, |k|^2, 1) for distances; queries have a negative coefficient of |k|^2.

    >>> BallScores(2).features(np.array([[1.0, 2.0]])).tolist()
    [[1.0, 2.0, 5.0, 1.0]]
    """

    __slots__ = ()

    @property
    def size(self) -> int:
        """The number of features."""
        return self.d + 2

    def features(self, keys: Floats) -> Floats:
        """Compute the features of keys."""
        squares = (keys**2).sum(axis=1, keepdims=True)
        return np.concatenate([keys, squares, np.ones_like(squares)], axis=1)

    def slopes(self, keys: Floats) -> Floats:
        """Compute the derivatives of the features by the keys' coordinates."""
        slopes = Scores.slopes(self, keys)
        slopes[:, :, self.d] = 2.0 * keys
        return slopes

    def direct(self, queries: Floats) -> Floats:
        """Scale queries to length 1, after balls got a weight."""
        queries = queries.copy()
        longest = np.abs(queries).max(axis=1)
        queries[:, self.d] = np.minimum(queries[:, self.d], -_LEAST_WEIGHT * longest)
        return Scores.direct(self, queries)

    def round(self, pattern: Pattern, queries: Floats, keys: Floats) -> NumericWitness:
        r"""Round centers and keys to the integers of balls.

        >>> pattern = Pattern.from_text("110\n011")
        >>> queries, keys = np.array([[0.0, -1, 1], [4, -1, 1]]), np.array([[0.0], [1], [2]])
        >>> balls = BallScores(1).round(pattern, queries, keys)
        >>> found = balls.embedding()
        >>> (found.queries @ found.keys.T > found.thresholds[:, None]).astype(int).tolist()
        [[1, 1, 0], [0, 1, 1]]
        """
        queries, keys = queries.astype(np.float64), keys.astype(np.float64)
        places = _to_integers(keys, _BALL_BITS).astype(np.int64)
        centers = -queries[:, : self.d] / (2 * queries[:, self.d : self.d + 1])
        whole = np.rint(centers * ((1 << _BALL_BITS) / _widest(keys))).astype(np.int64)
        logits = 2 * (whole @ places.T) - (places**2).sum(axis=1)
        weights = np.ones(len(whole), dtype=np.int64)
        return Balls(whole, weights, places, best_thresholds(pattern.to_array(), logits))


def compute_logits(found: NumericWitness) -> NDArray[np.int64]:
    """Compute the logits that `round` compares with thresholds: whole numbers, rounded for caps."""
    if isinstance(found, Caps):
        keys = found.keys.astype(np.float64)
        directions = keys / np.linalg.norm(keys, axis=1, keepdims=True)
        logits = found.queries.astype(np.float64) @ directions.T
        return np.asarray(np.ceil(logits), dtype=np.int64)
    witness = found.embedding() if isinstance(found, Balls) else found
    return np.asarray(
        witness.queries.astype(np.int64) @ witness.keys.astype(np.int64).T, dtype=np.int64
    )


def count_wrong(pattern: Pattern, found: NumericWitness) -> NDArray[np.int64]:
    """Count the wrong entries of each row in floats, which may round near ties."""
    witness = found.embedding() if isinstance(found, Balls) else found
    queries, keys, thresholds = (
        np.asarray(part, dtype=np.float64)
        for part in (witness.queries, witness.keys, witness.thresholds)
    )
    if isinstance(found, Caps):
        keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    entries = pattern.to_array()
    ones = (queries @ keys.T > thresholds[:, None]).astype(np.int8)
    return np.asarray(((entries >= 0) & (entries != ones)).sum(axis=1), dtype=np.int64)


def _to_integers(vectors: Floats, bits: int) -> Floats:
    """Scale vectors together to so many bits, and round them."""
    return np.asarray(np.rint(vectors * (float(1 << bits) / _widest(vectors))))


def _widest(vectors: Floats) -> float:
    return max(1e-30, float(np.abs(vectors).max(initial=0.0)))


def _as_integers(*parts: NDArray[np.generic]) -> Iterator[NDArray[np.int64]]:
    return (part.astype(np.int64) for part in parts)


def best_thresholds(entries: NDArray[np.int8], logits: Array) -> Array:
    """Find for each row a threshold that leaves the fewest specified entries wrong.

    Entries are negative for don't-cares; logits are whole numbers.

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
