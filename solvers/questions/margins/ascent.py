"""The smoothed margin of unit queries and keys: its value, its gradient, and its ascent."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.margins.unit_embedding import UnitEmbedding
from samapprox.proofs.parts.simplify import Simplification
from samapprox.solvers.engine.search import Search

__all__ = [
    "Vectors",
    "ascend",
    "climb",
    "climb_often",
    "measure_margin",
    "normalize",
    "project",
    "random_vectors",
    "restrict",
    "smooth_margin",
    "unit_vectors",
]

Floats = NDArray[np.float64]

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
    """Return vectors of which the queries or the keys, whichever are fewer, are unit vectors.

    d is at least min(m, n), and the margin at least 1 / sqrt(min(m, n)). If the keys are unit
    vectors, a row with k ones and z zeros has sqrt(1 / k + 1 / z) / 2, the most that is possible
    with these keys.

    >>> entries = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 1]], dtype=np.int8)
    >>> round(measure_margin(entries, unit_vectors(entries, 3).logits), 3)  # sqrt(1 + 1 / 2) / 2
    0.612
    """
    height, width = entries.shape
    if width <= height:
        ones, zeros = ((entries == value).astype(np.float64) for value in (1, 0))
        shares = (part / part.sum(axis=1, keepdims=True) for part in (ones, zeros))
        queries, keys = np.subtract(*shares), np.eye(width)
        queries = _normalize(queries)
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
    ones = np.where(entries == 1, -sharpness * logits, -np.inf)
    zeros = np.where(entries == 0, sharpness * logits, -np.inf)
    log_ones, ones = _softmax(ones)
    log_zeros, zeros = _softmax(zeros)
    rows = (log_ones + log_zeros) / 2  # with the best threshold, both sides weigh as much
    total, shares = _softmax(rows[None])
    value = -float(total[0] + np.log(2)) / sharpness
    return value, shares.T / 2 * (ones - zeros)


def ascend(entries: NDArray[np.int8], start: Vectors, sharpness: float, search: Search) -> Vectors:
    """Improve the smoothed margin by L-BFGS until it is stationary, or the time is up.

    Queries and keys are directions: queries in R^d, keys in R^(d + 1), whose last coordinate, which
    no query has, makes keys shorter than 1. Each step costs O(m n d).
    """
    from scipy.optimize import minimize

    height, d = start.queries.shape
    missing = np.sqrt(np.maximum(0, 1 - (start.keys**2).sum(axis=1, keepdims=True)))
    split = height * d
    best = np.concatenate([start.queries.ravel(), np.hstack([start.keys, missing]).ravel()])
    most = -np.inf

    def unpack(point: Floats) -> tuple[Floats, Floats]:
        return point[:split].reshape(height, d), point[split:].reshape(-1, d + 1)

    def loss(point: Floats) -> tuple[float, Floats]:
        nonlocal best, most
        if search.out_of_time:
            raise _OutOfTimeError
        steps = []
        raw = unpack(point)
        queries, keys = map(_normalize, raw)
        value, weights = smooth_margin(entries, queries @ keys[:, :d].T, sharpness)
        if value > most:
            best, most = point, value
        gradients = weights @ keys[:, :d], np.zeros_like(keys)
        gradients[1][:, :d] = weights.T @ queries
        for unit, vectors, gradient in zip((queries, keys), raw, gradients, strict=True):
            radial = (gradient * unit).sum(axis=1, keepdims=True) * unit
            length = np.linalg.norm(vectors, axis=1, keepdims=True)
            steps.append(((gradient - radial) / length).ravel())
        return -value, -np.concatenate(steps)

    options = {"maxiter": _STEPS, "maxcor": _MEMORY, "ftol": _TOLERANCE, "gtol": _TOLERANCE}
    with suppress(_OutOfTimeError):
        best = minimize(loss, best, jac=True, method="L-BFGS-B", options=options).x
    queries, keys = map(_normalize, unpack(best))
    return Vectors(queries, keys[:, :d])


class _OutOfTimeError(Exception):
    """The ascent was ended in the middle of a step."""


def _normalize(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _softmax(rows: Floats) -> tuple[Floats, Floats]:
    """Return the logarithm of each row's sum of exponentials, and their shares."""
    top = rows.max(axis=1, keepdims=True)
    powers = np.exp(rows - top)
    sums = powers.sum(axis=1, keepdims=True)
    return (top + np.log(sums))[:, 0], powers / sums


# The first sharpness of a climb, its bound, and the factor of each turn: smaller factors follow
# the maximum more closely, in more turns.
_FIRST, _LAST, _STEP = 10.0, 1e7, 4.0
# Climbs in each dimension.
_CLIMBS = 8
# The relative gain of a sharper search that ends the climb.
_ENOUGH = 0.002


def climb(
    entries: NDArray[np.int8], start: Vectors, search: Search, sharpness: float = _FIRST
) -> Vectors:
    """Improve the margin of vectors in their dimension, with a sharper and sharper soft minimum.

    Returns the best vectors on the way; their margin is below 0 if no embedding was found.
    """
    best, most, vectors = start, measure_margin(entries, start.logits), start
    while sharpness < _LAST and not search.out_of_time:
        vectors = ascend(entries, vectors, sharpness, search)
        margin = measure_margin(entries, vectors.logits)
        if margin > most:
            close = margin > 0 and margin - most < _ENOUGH * margin
            best, most = vectors, margin
            if close:
                break
        sharpness *= _STEP
    return best


def climb_often(
    entries: NDArray[np.int8],
    d: int,
    search: Search,
    starts: Sequence[Vectors] = (),
) -> Vectors:
    """Return the vectors of dimension d with the largest margin of a few climbs.

    The given starts come first, random ones follow.
    """
    random = np.random.default_rng(search.seed + d)
    height, width = entries.shape
    best = random_vectors((height, width), d, random)
    most = measure_margin(entries, best.logits)
    for number in range(_CLIMBS):
        fresh = random_vectors((height, width), d, random)
        start = starts[number] if number < len(starts) else fresh
        found = climb(entries, start, search)
        margin = measure_margin(entries, found.logits)
        if margin > most:
            best, most = found, margin
        if search.out_of_time and number:
            break
    return best


def project(vectors: Vectors, d: int) -> Vectors:
    """Project vectors to the d directions in which they are longest."""
    both = np.vstack([vectors.queries, vectors.keys])
    _, _, axes = np.linalg.svd(both, full_matrices=False)
    queries, keys = (part @ axes[:d].T for part in (vectors.queries, vectors.keys))
    return _fit(queries, keys, d)


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
    padding = d - queries.shape[1]
    if padding > 0:
        queries, keys = (np.pad(part, ((0, 0), (0, padding))) for part in (queries, keys))
    lengths = np.linalg.norm(queries, axis=1, keepdims=True)
    directions = np.where(lengths > 0, queries, np.eye(1, d)) / np.where(lengths > 0, lengths, 1)
    longest = np.linalg.norm(keys, axis=1).max()
    return Vectors(directions, keys / (longest if longest > 0 else 1.0))
