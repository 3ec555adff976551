"""Optimised layers: the least rank under a bound on the spread, or the least spread at a rank.

Factors of low rank are found by Adam on squared hinge losses, which keep logits within bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.layer import AttentionLayer
from samapprox.attention.approximation.methods import rings
from samapprox.attention.approximation.precision import least_that, report_in
from samapprox.attention.approximation.request import Construction, Request, make_layer
from samapprox.attention.approximation.target import Target
from samapprox.errors import InputError
from samapprox.support.limits import search_clock

Floats = NDArray[np.float32]

_FIRST, _SECOND = 0.9, 0.99  # decay of Adam's moments
_STEP = 0.02  # first step, relative to the root mean square of the keys
_PATIENCE = 100  # steps between two looks at the loss: fewer give up while it still falls
_FALL = 0.8  # if more than this share of the best loss is left, steps are halved
_HALVINGS = 3  # halvings of the step, after which the descent gives up
_TOLERANCE = 1 / 24  # tolerance of nonzeros, as a share of what the spread leaves to zeros
_LEAST = 1e-3  # the least spread that counts as left to zeros, so that the tolerance is positive


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """Logits: queries times keys; a row's offset is where its least nonzero should be."""

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
    """

    target: Target
    causal: bool
    own: Floats  # b
    tau: float
    safety: float
    upper: float
    lower: Floats

    @classmethod
    def of(cls, request: Request, spread: float) -> Bounds:
        """Return the bounds of a request for logits of a row that are at most `spread` apart."""
        target, room = request.target, -math.log(request.eps1)
        own = target.log_ratios
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

    O(n^2 r) a step, in float32 on one thread. Adam with steps that are halved when the loss stays;
    after the third time it gives up.

    Source: Kingma, Ba (2015), "Adam: a method for stochastic optimization".
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


_MARGIN = 1.5  # power of eps1 that descents aim at, so that rounding may spoil some of it
_NOISE = 0.3  # noise in further coordinates of keys of length 1
_SHRINK = 0.75  # shrinks the spread from one descent to the next; its root after a failure
_LEAST_SHRINK = 0.95  # smaller steps than this gain too little for a descent
_MOST_DESCENTS = 12  # descents that tighten one start: each costs as much as the first


def build(request: Request) -> Construction:
    """Minimise hinge losses from random factors or from a construction.

    With a bound on the spread (by default `_theorem_spread`) the layer has the least rank found;
    with an arithmetic the least rank at which a layer held in it; with d alone the least spread
    found at this rank; with several of these, it keeps all. The layer is in float64, though found
    in float32. O(n^2 r) a step, hundreds of steps a try. That no layer of less rank exists is not
    proven: see `samapprox.attention.approximation.frontier`.
    """
    if request.d is not None:
        theorem = request.d_hid is not None and request.d_hid < 2 * request.d
        rank = request.d // 2 if theorem else request.d
        if rank < 1:
            raise InputError(f"d_hid < 2d = {2 * request.d} needs an even d, the theorem's form")
        found = _at(request, rank)
    else:
        found = _least_rank(request)
    facts = {"seed": request.seed, **request.cut_short}
    layer = make_layer(request, found.queries.astype(np.float64), found.keys.astype(np.float64))
    return Construction(layer, facts)


def _theorem_spread(request: Request) -> float:
    """Return the greatest spread that Equation (19) allows the theorem's logits.

    Those of a row of B lie in 0 .. log(gamma / eps1) + eps2, and differences are kept to eps2.
    """
    return math.log(request.target.gamma / request.eps1) + 2 * request.eps2


def _least_rank(request: Request) -> Factors:
    """Search the least rank by doubling and halving; return the result at the least rank found.

    For an arithmetic, each rank is tried with the widest margins for its spread.
    """
    spread = request.spread or _theorem_spread(request)
    bounds = Bounds.of(request, spread)
    found: dict[int, Factors] = {}

    def find(rank: int) -> Factors | None:
        if request.arithmetic is not None:
            return _at(request, rank)
        start = random_factors(request.target, rank, spread, request.seed)
        return descend(bounds, start, deadline=request.deadline)

    def serves(rank: int) -> bool:
        request.report_progress(f"rank {rank}")
        with suppress(InputError):
            if (factors := find(rank)) is not None:
                found[rank] = factors
        return rank in found

    rank = least_that(serves, 2 * request.target.n)
    if rank not in found and not serves(rank):
        if request.arithmetic is not None:
            raise _nothing(request, f"that holds in {request.arithmetic}", "take a finer one")
        raise _nothing(request, f"with a spread of {spread:g}", "allow more")
    return found[rank]


def _at(request: Request, rank: int) -> Factors:
    """Find factors of this rank that keep the request's spread and hold in its arithmetic."""
    found = None
    for found, spread in _tighten(request, rank):
        if request.arithmetic is None:
            continue
        layer = AttentionLayer.from_factors(found.queries, found.keys, causal=request.causal)
        report = report_in(request.arithmetic, layer, request.target, request.eps1, request.eps2)
        if report is not None and report.holds and spread <= (request.spread or math.inf):
            return found
    if found is None or request.arithmetic is not None or spread > (request.spread or math.inf):
        wanted = "" if request.arithmetic is None else f" that holds in {request.arithmetic}"
        raise _nothing(request, f"of rank {rank}{wanted}", "give a greater d, or a greater spread")
    return found


def _nothing(request: Request, wanted: str, mend: str) -> InputError:
    """Describe a search that found nothing."""
    if request.out_of_time:
        return InputError(f"no layer {wanted} was found in time; give it more")
    return InputError(f"no layer {wanted} was found; {mend}")


def _tighten(request: Request, rank: int) -> Iterator[tuple[Factors, float]]:
    """Find factors within a bound on the spread, and tighten it while the descent can follow."""
    wanted = 0.0 if request.spread is None else request.spread
    if request.arithmetic is not None:
        request = replace(request, eps1=request.eps1**_MARGIN, eps2=request.eps2 / 2, spread=None)
    for start, wide in _starts(request, rank):
        kept, shrink = max(wide, wanted), _SHRINK
        found = descend(Bounds.of(request, kept), start, deadline=request.deadline)
        if found is None:
            continue
        yield found, kept
        for _ in range(_MOST_DESCENTS):
            if kept <= wanted or shrink > _LEAST_SHRINK:
                return
            aim = max(wanted, shrink * kept)
            request.report_progress(f"rank {rank}, spread {aim:.4g}")
            better = descend(Bounds.of(request, aim), found, deadline=request.deadline)
            if better is None:
                shrink = math.sqrt(shrink)
            else:
                found, kept = better, aim
                yield found, kept
        return


def _starts(request: Request, rank: int) -> Iterator[tuple[Factors, float]]:
    """Yield factors to begin with and a spread that they should be able to keep."""
    target = request.target
    plain = replace(request, d=None, d_hid=None, spread=None)
    if target.k <= 2 and rank >= 3:
        layer = rings.build(plain).layer
        yield _widened(request, layer, rank), 2.0 * target.n
    for power in (1, 4, 7):
        spread = 2.0**power * _theorem_spread(request)
        yield random_factors(target, rank, spread, request.seed), spread


def _widened(request: Request, layer: AttentionLayer, rank: int) -> Factors:
    """Add some random coordinates to a layer's factors; rows keep to their own."""
    target, fewer = request.target, layer.d
    rng = np.random.default_rng([request.seed, rank])
    more = _NOISE * rng.standard_normal((target.n, rank - fewer))
    means = np.add.reduceat(more[target.columns], target.indptr[:-1], axis=0)
    means /= np.diff(target.indptr)[:, None]
    length = np.linalg.norm(layer.queries, axis=1, keepdims=True)
    return Factors.of(
        target, np.hstack([layer.queries, length * means]), np.hstack([layer.keys, more])
    )
