"""The moment curve on the circle, in floats: rank 2k for every n."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.methods.column_order import spread_out
from samapprox.attention.approximation.methods.factors import make_layer
from samapprox.attention.approximation.methods.peaks import depth
from samapprox.attention.approximation.request import Construction, Request
from samapprox.errors import InputError

__all__ = ["build"]

Floats = NDArray[np.float64]

_SAFETY = 1.25  # of log(1 / eps1): room for the rounding of logits
_SAFETY_ALONE = 4.0  # for an arithmetic that is asked for, where there are no ratios to spoil


def build(request: Request) -> Construction:
    r"""Build keys (cos m theta_j, sin m theta_j), m = 1..k, and touching polynomials as queries.

    Parameters
    ----------
    request : Request
        d is 2k, or 4k in the theorem's form, for rows of at most k nonzeros.

    Returns
    -------
    Construction
        In float64. The keys depend on A by the order of its columns alone.

    Raises
    ------
    InputError
        Another d, d_hid < 4k, or a k so large that its polynomials vanish in float64.

    Notes
    -----
    O(n^2 k). With the columns in the right order logits are O(n^2) for every fixed k, whatever
    gamma, eps1 and eps2; ratios are exact up to rounding. Proofs: `docs/theory/constructions.md`.

    Examples
    --------
    >>> from samapprox.attention.approximation import check, sample
    >>> A = sample(200, 2, 3.0)
    >>> layer = build(Request(target=A, eps1=0.1, eps2=1e-6)).layer
    >>> layer.rank, check(layer, A, 0.1, 1e-6).is_proven
    (4, True)
    """
    target, degree = request.target, request.target.row_k
    places = spread_out(target, request.seed)
    angles: Floats = np.asarray((2 * np.pi / target.n) * places, dtype=np.float64)
    turns = np.arange(1, degree + 1) * angles[:, None]
    keys = np.stack([np.cos(turns), np.sin(turns)], axis=2).reshape(target.n, -1)
    alone = request.arithmetic is not None and degree == 1
    limit = -(_SAFETY_ALONE if alone else _SAFETY) * np.log(request.eps1)
    queries = np.zeros((target.n, 2 * degree))
    for i in range(target.n):
        columns, values = target.row(i)
        counted = angles[: i + 1] if request.causal else angles
        factors = 1 - np.cos(counted - angles[columns][:, None])
        logarithms = np.log(values / values.min())
        height = depth(factors, logarithms, columns, limit)
        if not np.isfinite(height):
            raise InputError(
                f"row {i} has {len(columns)} nonzeros: too many for the circle in float64 at "
                f"n = {target.n}; the line is exact"
            )
        queries[i] = _query(angles[columns], logarithms, height, degree)
    facts = {"curve": "circle", "places": places.tolist()}
    return Construction(make_layer(request, queries, keys), facts)


def _query(angles: Floats, logarithms: Floats, height: float, degree: int) -> Floats:
    """Return coefficients of the row's polynomial at cos and sin of theta, .., degree theta."""
    factors = [_touching(angle) for angle in angles.tolist()]
    total = np.zeros(2 * degree + 1, dtype=np.complex128)
    _add(total, _product(factors), -height)
    for s in np.flatnonzero(logarithms).tolist():
        others = _product(factors[:s] + factors[s + 1 :])
        gaps = 1 - np.cos(angles[s] - np.delete(angles, s))
        _add(total, others, logarithms[s] / gaps.prod())
    return np.asarray(np.stack([2 * total.real, -2 * total.imag], axis=1)[degree + 1 :].ravel())


def _touching(angle: float) -> NDArray[np.complex128]:
    """Return 1 - cos(theta - angle) as coefficients of e^(-i theta), 1, e^(i theta)."""
    turn = np.exp(1j * angle) / 2
    return np.array([-turn, 1, -turn.conjugate()])


def _product(factors: list[NDArray[np.complex128]]) -> NDArray[np.complex128]:
    product = np.ones(1, dtype=np.complex128)
    for factor in factors:
        product = np.convolve(product, factor)
    return product


def _add(total: NDArray[np.complex128], part: NDArray[np.complex128], times: float) -> None:
    """Add a polynomial of lower degree, its constant term in the middle."""
    edge = (len(total) - len(part)) // 2
    total[edge : len(total) - edge] += times * part
