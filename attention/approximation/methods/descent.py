"""Factors of low rank whose logits keep within bounds: squared hinge and Adam."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.request import Request
from samapprox.attention.approximation.target import Target
from samapprox.support.clock import search_clock

__all__ = ["Bounds", "Factors", "descend", "random_factors"]

Floats = NDArray[np.float32]

_FIRST, _SECOND = 0.9, 0.99  # decay of Adam's moments
_STEP = 0.02  # of the root mean square of the keys
_PATIENCE = 100  # steps after which the loss should have fallen
_FALL = 0.8  # to this share at least, else steps are halved
_HALVINGS = 3
_TOLERANCE = 1 / 24  # of nonzeros, as a share of what the spread leaves to zeros
_LEAST = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """Logits: queries times keys; a row's offset is where its least nonzero should be.

    Attributes
    ----------
    queries, keys : ndarray of float32, shape (n, r)
    offsets : ndarray of float32, shape (n,)
    """

    queries: Floats
    keys: Floats
    offsets: Floats

    @classmethod
    def of(cls, target: Target, queries: NDArray[np.float64], keys: NDArray[np.float64]) -> Factors:
        """Balance any factors and keep their offsets."""
        balance = math.sqrt(max(_size(queries), 1e-30) / max(_size(keys), 1e-30))
        left, right = queries / math.sqrt(balance), keys * math.sqrt(balance)
        own = (left[target.rows] * right[target.columns]).sum(axis=1)
        offsets = np.minimum.reduceat(own, target.indptr[:-1])
        return cls(*(part.astype(np.float32) for part in (left, right, offsets)))


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """The range of logits minus the row's offset for which (7), (8) and a spread hold.

    With b = log(A / least of the row) nonzeros must lie in b - tau .. b + tau, zeros below
    log(eps1) - tau and above the greatest b + tau - spread; all with some safety.

    Attributes
    ----------
    target : Target
    causal : bool
    own : ndarray of float32, shape (nonzeros,)
        b.
    tau, safety, upper : float
    lower : ndarray of float32, shape (n, 1)
    """

    target: Target
    causal: bool
    own: Floats
    tau: float
    safety: float
    upper: float
    lower: Floats

    @classmethod
    def of(cls, request: Request, spread: float) -> Bounds:
        """Return the bounds of a request for logits of a row that are at most `spread` apart."""
        target, room = request.target, -math.log(request.eps1)
        own = target.logs - np.repeat(np.log(target.least), np.diff(target.indptr))
        greatest = np.maximum.reduceat(own, target.indptr[:-1])
        left = spread - room - float(greatest.max())  # for zeros, which are many
        tau = min(request.eps2 / 4, max(left, _LEAST) * _TOLERANCE)
        safety = min(0.02, tau / 4)
        return cls(
            target,
            request.causal,
            own.astype(np.float32),
            tau,
            safety,
            -room - tau - safety,
            (greatest + tau + safety - spread).astype(np.float32)[:, None],
        )

    def violations(self, logits: Floats) -> Floats:
        """Return how far each logit is above (negative: below) its bounds."""
        rows, columns = self.target.rows, self.target.columns
        nonzeros = logits[rows, columns]
        found = logits - np.clip(logits, self.lower, np.float32(self.upper))
        reach = np.float32(self.tau - self.safety)
        found[rows, columns] = nonzeros - np.clip(nonzeros, self.own - reach, self.own + reach)
        return np.tril(found) if self.causal else found


def random_factors(target: Target, rank: int, spread: float, seed: int) -> Factors:
    """Return random keys on the sphere, and queries to the middle of a row's own."""
    rng = np.random.default_rng([seed, rank])
    keys = rng.standard_normal((target.n, rank))
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    queries = np.add.reduceat(keys[target.columns], target.indptr[:-1], axis=0)
    length = np.linalg.norm(queries, axis=1, keepdims=True)
    return Factors.of(target, 0.45 * spread * queries / np.maximum(length, 1e-9), keys)


def descend(
    bounds: Bounds, start: Factors, *, most_steps: int = 1500, deadline: float = math.inf
) -> Factors | None:
    r"""Minimise half the sum of squared violations; return the first factors without one, if any.

    Parameters
    ----------
    bounds : Bounds
    start : Factors
    most_steps : int
    deadline : float
        `search_clock` at which to give up.

    Returns
    -------
    Factors or None
        None where the loss no longer falls, or time is up. What is returned still has to be
        checked.

    Notes
    -----
    O(n^2 r) a step, in float32 on one thread. Adam with steps that are halved when the loss stays;
    after the third time it gives up.

    References
    ----------
    Kingma, Ba (2015), "Adam: a method for stochastic optimization".

    Examples
    --------
    >>> from samapprox.attention.approximation import sample
    >>> A = sample(16, 1, 1.0)
    >>> bounds = Bounds.of(Request(target=A, eps1=0.1, eps2=1.0), spread=9.0)
    >>> found = descend(bounds, random_factors(A, 8, 9.0, seed=0))
    >>> logits = found.queries @ found.keys.T - found.offsets[:, None]
    >>> bool(abs(bounds.violations(logits)).max() <= bounds.safety)
    True
    """
    from threadpoolctl import threadpool_limits

    rank = start.keys.shape[1]
    size = math.sqrt(_size(start.keys))
    # Offsets are one more coordinate of the queries, whose key is 1.
    left = np.hstack([start.queries, -start.offsets[:, None]])
    right = np.hstack([start.keys, np.ones((len(start.keys), 1), dtype=np.float32)])
    units = np.full(rank + 1, size, dtype=np.float32)
    units[rank] = size * size / 3
    queries, keys = _Adam(left, units), _Adam(right, units)
    rate, best, halvings = _STEP, math.inf, 0
    with threadpool_limits(1, user_api="blas"):
        for step in range(1, most_steps + 1):
            if search_clock.now() >= deadline:
                return None
            found = bounds.violations(left @ right.T)
            if max(float(found.max()), -float(found.min())) <= 0.9 * bounds.safety:
                return Factors(left[:, :rank].copy(), right[:, :rank].copy(), -left[:, rank])
            if step % _PATIENCE == 0:
                loss = float(np.vdot(found, found))
                if loss > _FALL * best:
                    rate, halvings = rate / 2, halvings + 1
                    if halvings > _HALVINGS:
                        return None
                best = min(best, loss)
            left_slope, right_slope = found @ right, found.T @ left
            right_slope[:, rank] = 0
            queries.move(left_slope, rate)
            keys.move(right_slope, rate)
    return None


class _Adam:
    """A matrix updated in place by Adam, each column in its own units."""

    def __init__(self, matrix: Floats, units: Floats) -> None:
        self.matrix, self.units = matrix, units
        self.first, self.second = np.zeros_like(matrix), np.zeros_like(matrix)
        self.steps = 0

    def move(self, slope: Floats, rate: float) -> None:
        """Take one step."""
        self.steps += 1
        self.first += (1 - _FIRST) * (slope - self.first)
        self.second += (1 - _SECOND) * (slope * slope - self.second)
        mean = self.first / (1 - _FIRST**self.steps)
        scale = np.sqrt(self.second / (1 - _SECOND**self.steps)) + 1e-8
        self.matrix -= rate * self.units * mean / scale


def _size(matrix: NDArray[np.floating]) -> float:
    """Return the mean square."""
    return float(np.mean(np.square(matrix, dtype=np.float64)))
