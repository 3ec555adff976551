"""Keys of +1 and -1: the corners of a cube for one nonzero a row, random keys for several."""

from __future__ import annotations

import numpy as np

from samapprox.attention.approximation.precision import least_that
from samapprox.attention.approximation.request import Construction, Request, make_layer
from samapprox.attention.approximation.target import Target
from samapprox.errors import InputError
from samapprox.support.arrays import Floats

_SAFETY = 1.25  # a factor of log(1 / eps1): room for the rounding of logits


def build_hypercube(request: Request) -> Construction:
    """Build keys as binary numbers in +1 and -1; the query of a row is the key of its column.

    Rows have one nonzero; d is ceil(log2 n), or twice that in the theorem's form. In float64; every
    entry of X is -1, 1, or plus or minus the one scale of the queries. Keys that differ in h
    coordinates have logits r - 2h: the gap is 2 times the scale and the spread at most r times
    that, log n times the least that any layer needs. O(n log n).
    """
    target = request.target
    if target.row_k > 1:
        raise InputError(f"the hypercube serves rows of one nonzero, not of {target.row_k}")
    rank = max(1, (target.n - 1).bit_length())
    bits = np.arange(target.n)[:, None] >> np.arange(rank) & 1
    keys = 2.0 * bits - 1
    scale = -_SAFETY * np.log(request.eps1) / 2
    return Construction(make_layer(request, scale * keys[target.columns], keys))


_HIGHEST = 0.75  # the highest product with other keys, where the row's own keys have 1


def build_random_keys(request: Request) -> Construction:
    """Build random keys of +1 and -1, and the least queries with a row's logarithms.

    The query h u + v of a row with columns T has u.k_t = 1 and v.k_t = log A_t on T, both of least
    length; h is as great as condition (7) asks. d is the rank, or twice it in the theorem's form;
    by default it is the least rank at which u.k_j <= 3/4 at all other columns, so that h is
    O(log(gamma / eps1)). The keys depend on n, the rank and the seed alone. Ratios are exact up to
    rounding, and no redraws are needed: with high probability u.k_j <= 3/4 for r = O(k log n),
    where the theorem has O(k^2 log n). O(n^2 r) for each rank tried.
    """
    target, d = request.target, request.d
    rng = np.random.default_rng(request.seed)
    signs = 2 * rng.integers(2, size=(2 * target.n, target.n), dtype=np.int8) - 1

    def serves(rank: int) -> bool:
        request.report_progress(f"rank {rank}")
        return (
            not request.out_of_time
            and _highest(target, signs[:rank].T.astype(np.float64)) <= _HIGHEST
        )

    facts: dict[str, str | float] = {"seed": request.seed}
    if d is None:
        rank = least_that(serves, target.n)
        facts |= request.cut_short
    else:
        # In the theorem's form the rank is d/2; where d_hid leaves no room for [Q K], it is meant.
        rank = d // 2 if request.d_hid is not None and request.d_hid < 2 * d else d
    keys = signs[:rank].T.astype(np.float64)
    highest = _highest(target, keys)
    if highest >= 1:
        raise InputError(f"random keys of rank {rank} do not serve; give a greater d, or none")
    queries = _interpolating(request, keys)
    facts["highest"] = highest
    return Construction(make_layer(request, queries, keys), facts)


def _directions(target: Target, keys: Floats) -> Floats:
    """Return the vectors u."""
    found = np.empty((target.n, keys.shape[1]))
    for i in range(target.n):
        own = keys[target.row(i)[0]]
        found[i] = np.linalg.lstsq(own, np.ones(len(own)), rcond=None)[0]
    return found


def _highest(target: Target, keys: Floats) -> float:
    """Return the greatest u.k_j off a row's columns; infinite if there is no interpolation."""
    values = _directions(target, keys) @ keys.T
    own = values[target.rows, target.columns]
    if not np.allclose(own, 1.0):
        return np.inf
    values[target.rows, target.columns] = -np.inf
    return float(values.max())


def _interpolating(request: Request, keys: Floats) -> Floats:
    """Return the queries h u + v."""
    target = request.target
    upward = _directions(target, keys)
    exact = np.empty_like(upward)
    logarithms = target.log_ratios
    for i in range(target.n):
        part = slice(target.indptr[i], target.indptr[i + 1])
        exact[i] = np.linalg.lstsq(keys[target.columns[part]], logarithms[part], rcond=None)[0]
    counts = ~target.support(0, target.n)
    if request.causal:
        counts &= np.tri(target.n, dtype=np.bool_)
    limit = -_SAFETY * np.log(request.eps1)
    wanted = (limit + exact @ keys.T) / (1 - np.where(counts, upward @ keys.T, 0.0))
    heights = np.where(counts, wanted, 0.0).max(axis=1)
    return np.asarray(heights[:, None] * upward + exact)
