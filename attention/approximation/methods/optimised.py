"""Optimised layers: the least rank under a bound on the spread, or the least spread at a rank."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from samapprox.attention.approximation.layer import AttentionLayer
from samapprox.attention.approximation.least import least_that
from samapprox.attention.approximation.methods import rings
from samapprox.attention.approximation.methods.descent import (
    Bounds,
    Factors,
    descend,
    random_factors,
)
from samapprox.attention.approximation.methods.factors import make_layer
from samapprox.attention.approximation.precision import report_in
from samapprox.attention.approximation.request import Construction, Request
from samapprox.errors import InputError

__all__ = ["build", "theorem_spread", "tighten"]

_MARGIN = 1.5
_NOISE = 0.3  # in further coordinates of keys of length 1
_SHRINK = 0.75
_LEAST_SHRINK = 0.95
_MOST_DESCENTS = 12


def build(request: Request) -> Construction:
    """Minimise hinge losses from random factors or from a construction.

    Parameters
    ----------
    request : Request
        With a bound on the spread (by default `theorem_spread`) the least rank found; with an
        arithmetic the least rank at which a layer held in it; with d alone the least spread found
        at this rank; with several, whatever keeps all.

    Returns
    -------
    Construction
        In float64, though found in float32.

    Raises
    ------
    InputError
        Nothing was found at this d, or in time.

    Notes
    -----
    O(n^2 r) a step, hundreds of steps a try. No proof that there is nothing of less rank: for that
    see `samapprox.attention.approximation.bounds`.

    Examples
    --------
    >>> from samapprox.attention.approximation import check, sample
    >>> A = sample(60, 1, 1.0)
    >>> layer = build(Request(target=A, eps1=0.1, eps2=1.0, spread=12.0)).layer
    >>> report = check(layer, A, 0.1, 1.0)
    >>> report.is_proven, report.spread <= 12, layer.rank < 9
    (True, True, True)
    """
    if request.d is not None:
        theorem = request.d_hid is not None and request.d_hid < 2 * request.d
        rank = request.d // 2 if theorem else request.d
        if rank < 1:
            raise InputError(f"d_hid < 2d = {2 * request.d} needs an even d, the theorem's form")
        found = _at(request, rank)
    elif request.arithmetic is not None:
        found = _least_rank_in(request)
    else:
        found = _least_rank(request, request.spread or theorem_spread(request))
    facts = {"seed": request.seed, **request.cut_short}
    layer = make_layer(request, found.queries.astype(np.float64), found.keys.astype(np.float64))
    return Construction(layer, facts)


def theorem_spread(request: Request) -> float:
    """Return the greatest spread that Equation (19) allows the theorem's logits.

    Those of a row of B lie in 0 .. log(gamma / eps1) + eps2, and differences are kept to eps2.

    Examples
    --------
    >>> from samapprox.attention.approximation import sample
    >>> theorem_spread(Request(target=sample(16, 1, 1.0), eps1=math.exp(-3), eps2=1.0))
    5.0
    """
    return math.log(request.target.gamma / request.eps1) + 2 * request.eps2


def _least_rank(request: Request, spread: float) -> Factors:
    """Search the least rank by doubling and halving; return the result at the least rank found."""
    bounds = Bounds.of(request, spread)
    found: dict[int, Factors] = {}

    def serves(rank: int) -> bool:
        request.tell(f"rank {rank}")
        start = random_factors(request.target, rank, spread, request.seed)
        factors = descend(bounds, start, deadline=request.deadline)
        if factors is not None:
            found[rank] = factors
        return factors is not None

    rank = least_that(serves, 2 * request.target.n)
    if rank not in found and not serves(rank):
        raise _nothing(request, f"with a spread of {spread:g}", "allow more")
    return found[rank]


def _least_rank_in(request: Request) -> Factors:
    """Return the same for an arithmetic, each rank with the widest margins for its spread."""
    found: dict[int, Factors] = {}

    def serves(rank: int) -> bool:
        request.tell(f"rank {rank}")
        try:
            found[rank] = _at(request, rank)
        except InputError:
            return False
        return True

    rank = least_that(serves, 2 * request.target.n)
    if rank not in found and not serves(rank):
        raise _nothing(request, f"that holds in {request.arithmetic}", "take a finer one")
    return found[rank]


def _at(request: Request, rank: int) -> Factors:
    """Find factors of this rank that keep the request's spread and hold in its arithmetic.

    Raises
    ------
    InputError
        None were found.
    """
    found = None
    for found, spread in tighten(request, rank):
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


def tighten(request: Request, rank: int) -> Iterator[tuple[Factors, float]]:
    """Find factors within a bound on the spread, and tighten it while the descent can follow.

    Parameters
    ----------
    request : Request
        With a `spread`, it stops there. With an `arithmetic`, (7) and (8) are kept with some room
        to be spoilt by rounding.
    rank : int
    """
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
            request.tell(f"rank {rank}, spread {aim:.4g}")
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
        spread = 2.0**power * theorem_spread(request)
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
