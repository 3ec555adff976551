"""The smoothed margin of unit queries and keys: its value, its gradient, and its ascent."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.margins.unit_embedding import UnitEmbedding
from samapprox.proofs.parts.simplify import Simplification
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Floats

# Steps after which an ascent ends: more would spend all the time on one sharpness.
_STEPS = 2000
# Pairs of L-BFGS: more save few steps, and make each one slower.
_MEMORY = 6
# Relative gains, and gradients, that end an ascent.
_TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Unit queries, and keys of norm at most 1."""

    queries: Floats
    keys: Floats

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return int(self.keys.shape[1])

    @property
    def logits(self) -> Floats:
        """All products of queries and keys."""
        return np.asarray(self.queries @ self.keys.T)


def random_vectors(shape: tuple[int, int], d: int, random: np.random.Generator) -> Vectors:
    """Draw queries and keys of norm 1."""
    return Vectors(*(_normalize(random.standard_normal((size, d))) for size in shape))


def unit_vectors(entries: NDArray[np.int8], d: int) -> Vectors:
    """Return vectors of which the keys form a simplex, or the queries are unit vectors.

    The fewer of them are chosen. d is at least min(m, n), and the margin at least
    1 / sqrt(min(m, n)). With keys at the vertices
    of a regular simplex of n > 1, a row with k ones and z zeros has
    sqrt((1 / k + 1 / z) n / (n - 1)) / 2, the most that is possible with these keys. Queries are
    unit vectors, which have no thresholds to be shifted.

    >>> entries = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 1]], dtype=np.int8)
    >>> round(measure_margin(entries, unit_vectors(entries, 3).logits), 3)  # 3 / 4
    0.75
    """
    height, width = entries.shape
    if width <= height:
        ones, zeros = ((entries == value).astype(np.float64) for value in (1, 0))
        shares = (part / part.sum(axis=1, keepdims=True) for part in (ones, zeros))
        queries, keys = np.subtract(*shares), np.eye(width)
        queries = _normalize(queries)
        if width > 1:
            keys = (keys - 1 / width) * np.sqrt(width / (width - 1))
    else:
        queries, keys = np.eye(height), np.sign(2.0 * entries.T - 1) * (entries.T >= 0)
        keys /= np.sqrt(height)
    return Vectors(*(np.pad(part, ((0, 0), (0, d - part.shape[1]))) for part in (queries, keys)))


def measure_margin(entries: NDArray[np.int8], logits: Floats) -> float:
    """Return the margin that the best thresholds leave: half the least gap of a row."""
    ones = np.where(entries == 1, logits, np.inf).min(axis=1)
    zeros = np.where(entries == 0, logits, -np.inf).max(axis=1)
    return float((ones - zeros).min() / 2)


def smooth_margin(
    entries: NDArray[np.int8], logits: Floats, sharpness: float
) -> tuple[float, Floats]:
    """Return the smoothed margin and its gradient: signed weights whose rows have the sum 0.

    The least distance from a threshold is replaced by a soft minimum,
    -log(sum of exp(-sharpness distance)) / sharpness, and each row has the threshold that is best
    for it. The value is below the margin by at most log(m n) / sharpness. The absolute values of
    the weights have the sum 1.

    >>> entries = np.array([[1, 0]], dtype=np.int8)
    >>> value, weights = smooth_margin(entries, np.array([[0.5, -0.5]]), 100)
    >>> round(value, 2), weights.tolist()
    (0.49, [[0.5, -0.5]])
    """
    from samapprox.solvers.questions.margins.soft_minimum_kernel import soft_minimum

    return soft_minimum(entries, logits, float(sharpness))  # one type: compiled once


def ascend(
    entries: NDArray[np.int8],
    start: Vectors,
    sharpness: float,
    search: Search,
    *,
    steps: int = _STEPS,
    on_sphere: bool = False,
) -> Vectors:
    """Improve the smoothed margin by L-BFGS until it is stationary, or the time is up.

    Queries and keys are directions: queries in R^d, keys in R^(d + 1), whose last coordinate, which
    no query has, makes keys shorter than 1, unless they are to stay on the sphere. Each step costs
    O(m n d).

    A key has the gradients of m logits, a query those of n. Directions of keys are longer or
    shorter by sqrt(m / n), so that a step turns both by similar angles: half as many steps do.
    """
    from scipy.optimize import minimize

    height, d = start.queries.shape
    missing = np.sqrt(np.maximum(0, 1 - (start.keys**2).sum(axis=1, keepdims=True)))
    split = height * d
    given = start.keys if on_sphere else np.hstack([start.keys, missing])
    balance = np.sqrt(height / len(given))
    best = np.concatenate([start.queries.ravel(), balance * given.ravel()])
    most = -np.inf

    def unpack(point: Floats) -> tuple[Floats, Floats]:
        return point[:split].reshape(height, d), point[split:].reshape(given.shape)

    def loss(point: Floats) -> tuple[float, Floats]:
        nonlocal best, most
        if search.out_of_time:
            raise _OutOfTimeError
        raw = unpack(point)
        lengths = [_lengths(vectors) for vectors in raw]
        queries, keys = (part / length for part, length in zip(raw, lengths, strict=True))
        value, weights = smooth_margin(entries, queries @ keys[:, :d].T, sharpness)
        if value > most:
            best, most = point, value
        gradients = weights @ keys[:, :d], np.zeros_like(keys)
        gradients[1][:, :d] = weights.T @ queries
        changes = []
        for unit, length, gradient in zip((queries, keys), lengths, gradients, strict=True):
            radial = np.einsum("ij,ij->i", gradient, unit)[:, None] * unit
            changes.append(((gradient - radial) / length).ravel())
        return -value, -np.concatenate(changes)

    options = {"maxiter": steps, "maxcor": _MEMORY, "ftol": _TOLERANCE, "gtol": _TOLERANCE}
    with suppress(_OutOfTimeError):
        best = minimize(loss, best, jac=True, method="L-BFGS-B", options=options).x
    queries, keys = map(_normalize, unpack(best))
    return Vectors(queries, keys[:, :d])


class _OutOfTimeError(Exception):
    """The ascent was ended in the middle of a step."""


def _normalize(vectors: Floats) -> Floats:
    return np.asarray(vectors / _lengths(vectors))


def _lengths(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None])


# The first sharpness of a climb, and its bound.
_FIRST, _LAST = 20.0, 1e7


@dataclass(frozen=True, slots=True)
class Pace:
    """Steps for each sharpness of a climb, the factor from one to the next, and its end.

    More steps and smaller factors follow the maximum more closely, and take longer. A climb ends
    with a relative gain below `enough`.
    """

    steps: int = _STEPS
    factor: float = 4.0
    enough: float = 0.002


FAST, SLOW = Pace(100, 2.0, 0.003), Pace(200, 1.5, 0.0005)
"""Paces for many starts, and for few that follow the maximum closely."""


def climb(
    entries: NDArray[np.int8],
    start: Vectors,
    search: Search,
    sharpness: float = _FIRST,
    pace: Pace = Pace(),
) -> Vectors:
    """Improve the margin of vectors in their dimension, with a sharper and sharper soft minimum.

    Returns the best vectors on the way; their margin is below 0 if no embedding was found. Keys
    stay on the sphere until one is found: before that, they could reach 0 by shrinking to it.
    """
    best, most, vectors = start, measure_margin(entries, start.logits), start
    positive = most > 0
    while sharpness < _LAST and not search.out_of_time:
        on_sphere = not positive
        if on_sphere:
            vectors = Vectors(vectors.queries, _direct(vectors.keys))
        vectors = ascend(entries, vectors, sharpness, search, steps=pace.steps, on_sphere=on_sphere)
        margin = measure_margin(entries, vectors.logits)
        positive = positive or margin > 0
        if margin > most:
            close = margin > 0 and margin - most < pace.enough * margin
            best, most = vectors, margin
            if close:
                break
        sharpness *= pace.factor
    return best


def _direct(vectors: Floats) -> Floats:
    """Scale vectors to the length 1; those of length 0 become unit vectors."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    first = np.eye(1, vectors.shape[1])
    return np.where(lengths > 0, vectors, first) / np.where(lengths > 0, lengths, 1)


def project(vectors: Vectors, d: int) -> Vectors:
    """Project vectors to the d directions in which they are longest."""
    both = np.vstack([vectors.queries, vectors.keys])
    _, _, axes = np.linalg.svd(both, full_matrices=False)
    queries, keys = (part @ axes[:d].T for part in (vectors.queries, vectors.keys))
    return _fit(queries, keys, d)


def lift(vectors: Vectors, d: int) -> Vectors:
    """Return the same vectors in d dimensions, with coordinates 0."""
    padding = ((0, 0), (0, d - vectors.dimension))
    return Vectors(*(np.pad(part, padding) for part in (vectors.queries, vectors.keys)))


def normalize(embedding: Embedding, d: int) -> Vectors | None:
    """Scale an integer embedding to the unit ball; None if floats cannot hold it."""
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


def restrict(
    proof: Embedding | UnitEmbedding, simplified: Simplification, d: int
) -> Vectors | None:
    """Return the vectors of a proof for the simplified pattern; None if floats cannot hold them."""
    queries, keys = proof.queries[simplified.rows], proof.keys[simplified.columns]
    vectors = normalize(Embedding(queries, keys, np.zeros(len(queries), dtype=np.int64)), d)
    if vectors is None:
        return None
    turned = np.where(simplified.turned, -1, 1)[:, None]
    return Vectors(vectors.queries * turned, vectors.keys)


def _fit(queries: Floats, keys: Floats, d: int) -> Vectors:
    """Return vectors in d dimensions: queries of length 1, the longest key of length 1."""
    queries, keys = (
        np.pad(part, ((0, 0), (0, max(0, d - part.shape[1])))) for part in (queries, keys)
    )
    longest = np.linalg.norm(keys, axis=1).max()
    return Vectors(_direct(queries), keys / (longest if longest > 0 else 1.0))
