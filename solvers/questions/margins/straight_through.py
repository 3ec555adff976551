"""Gradient descent through the rounding of a number format, which gradients do not see.

Vectors are rounded before each step, and the step is applied to the vectors that were not
(Bengio, Leonard, Courville, 2013, arXiv 1308.3432: the straight-through estimator). Rows that come
out wrong move the vectors until roundings of queries and keys fit together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.precision import ARITHMETICS, dtype_of, round_floats
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.embeddings.logits import gaps
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.ascent import Vectors
from samapprox.solvers.questions.margins.rounding import embed
from samapprox.support.arrays import Floats

# Steps of a descent. Most that succeed take some dozens.
_STEPS = 1000
# Decays of the moments, and the rate of the last step relative to the first.
_MEAN, _SQUARE, _LAST = 0.9, 0.99, 0.05
# Bits of whole numbers that stand for numbers of a format: products stay within 64 bits.
_BITS = 24
# Exponents beyond this are as good as infinite.
_MOST = 30.0


@dataclass(frozen=True, slots=True)
class _Pace:
    """The first rate, and the sharpness with which entries close to being wrong count."""

    rate: float
    sharpness: float


# Fine steps mend few rows, coarse ones many.
_PACES = (_Pace(0.002, 300.0), _Pace(0.01, 100.0), _Pace(0.003, 1000.0))


def descend(
    entries: NDArray[np.int8], start: Vectors, arithmetic: str, search: Search
) -> Iterator[Embedding]:
    """Yield integer embeddings, of numbers of a format, that come out right in it but for sums.

    Sums are taken in float64, so the order of the format's sums is left to be tested. Each step
    costs O(m n d).
    """
    for pace in _PACES:
        if (found := _follow(entries, start, arithmetic, pace, search)) is not None:
            yield found


def count_wrong(entries: NDArray[np.int8], vectors: Vectors, arithmetic: str) -> int:
    """Return how many rows come out wrong when queries and keys are rounded, but no logits."""
    queries, keys = center(vectors.queries, vectors.keys)
    logits = round_floats(queries, 1, arithmetic) @ round_floats(keys, None, arithmetic).T
    zeros, ones = gaps(entries, logits)
    return int((zeros >= ones).sum())


def _follow(
    entries: NDArray[np.int8], start: Vectors, arithmetic: str, pace: _Pace, search: Search
) -> Embedding | None:
    """Descend until no row is wrong, or for all steps."""
    queries, keys = start.queries.copy(), start.keys.copy()
    moments = _Moments(queries.shape), _Moments(keys.shape)
    for step in range(_STEPS):
        if search.out_of_time:
            break
        queries, keys = center(queries, keys)
        rounded = round_floats(queries, 1, arithmetic), round_floats(keys, None, arithmetic)
        logits = round_logits(rounded[0] @ rounded[1].T, arithmetic)
        lengths = _lengths(rounded[0]), _lengths(rounded[1]).max()
        wrong, weights = _weigh(entries, logits / lengths[0] / lengths[1], pace.sharpness)
        if not wrong:
            return embed(entries, scale_to_whole(rounded[0], 1), scale_to_whole(rounded[1], None))
        gradients = weights @ rounded[1] / lengths[1], weights.T @ (rounded[0] / lengths[0])
        rate = pace.rate * (1 - (1 - _LAST) * step / _STEPS)
        queries += rate * moments[0].follow(gradients[0])
        keys += rate * moments[1].follow(gradients[1])
    return None


def _weigh(entries: NDArray[np.int8], logits: Floats, sharpness: float) -> tuple[int, Floats]:
    """Return the number of wrong rows, and weights of the entries.

    In each row, ones with low logits and zeros with high ones share the weight of the row, which is
    close to 1 if the row is wrong, and close to 0 if it is right by far.
    """
    ones = np.where(entries == 1, -logits, -np.inf)
    zeros = np.where(entries == 0, logits, -np.inf)
    lowest, highest = ones.max(axis=1, keepdims=True), zeros.max(axis=1, keepdims=True)
    over = lowest + highest  # the highest zero less the lowest one
    weights = 1 / (1 + np.exp(np.clip(-sharpness * over, -_MOST, _MOST)))
    shares = []
    for part, top in ((ones, lowest), (zeros, highest)):
        powers = np.exp(sharpness * (part - top))
        shares.append(powers / powers.sum(axis=1, keepdims=True))
    return int((over >= 0).sum()), weights * (shares[0] - shares[1])


def center(queries: Floats, keys: Floats) -> tuple[Floats, Floats]:
    """Scale queries to the length 1 and the longest key, too, and centre the range of the keys."""
    keys = keys - (keys.max(axis=0) + keys.min(axis=0)) / 2
    longest = _lengths(keys).max()
    return queries / _lengths(queries), keys / (longest if longest > 0 else 1.0)


def _lengths(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.where(lengths > 0, lengths, 1.0))


def round_logits(logits: Floats, arithmetic: str) -> Floats:
    """Round logits as the format does, if it does."""
    kept = dtype_of(arithmetic if arithmetic in ARITHMETICS else "float32")
    return logits.astype(kept).astype(np.float64)


def scale_to_whole(numbers: Floats, axis: int | None) -> NDArray[np.int64]:
    """Scale rounded numbers by powers of two to whole ones, each row (axis 1) or all."""
    top = np.frexp(np.abs(numbers).max(axis=axis, keepdims=True))[1]
    whole = np.rint(np.ldexp(numbers, _BITS - top)).astype(np.int64)
    common = np.gcd.reduce(whole, axis=axis, keepdims=True) if axis else np.gcd.reduce(whole, None)
    return np.asarray(whole // np.maximum(common, 1))


class _Moments:
    """Means of a gradient and of its square, as Adam uses them."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._mean, self._square, self._steps = np.zeros(shape), np.zeros(shape), 0

    def follow(self, gradient: Floats) -> Floats:
        """Add a gradient, and return the direction of the step."""
        self._steps += 1
        self._mean += (1 - _MEAN) * (gradient - self._mean)
        self._square += (1 - _SQUARE) * (gradient**2 - self._square)
        mean = self._mean / (1 - _MEAN**self._steps)
        square = self._square / (1 - _SQUARE**self._steps)
        return np.asarray(mean / (np.sqrt(square) + 1e-9))
