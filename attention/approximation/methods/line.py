"""The moment curve on the line, in whole numbers and fractions: rank 2k for every n, exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from samapprox.attention.approximation.methods.column_order import spread_out
from samapprox.attention.approximation.methods.factors import make_layer
from samapprox.attention.approximation.methods.peaks import depth
from samapprox.attention.approximation.request import Construction, Request
from samapprox.errors import InputError

__all__ = ["build"]

_LOG_BITS = 40  # of logarithms of ratios: what is lost is below 2^-40
_DEPTH_BITS = 8
_ROUNDING = 1 + 1e-6  # of the depth, computed in floats


def build(request: Request) -> Construction:
    """Build keys (t_j, .., t_j^2k) for whole t_j, and queries that touch them in a row's columns.

    Parameters
    ----------
    request : Request
        d is 2k, or 4k in the theorem's form, for rows of at most k nonzeros.

    Returns
    -------
    Construction
        An exact layer. The keys depend on A by the order of its columns alone.

    Raises
    ------
    InputError
        Another d, d_hid < 4k, or eps2 below what the logarithms are rounded to.

    Notes
    -----
    O(n^2 k) floating point operations for the depths, O(n k^3) with whole numbers of
    O(k log n) bits. Proofs: `docs/theory/constructions.md`.

    Examples
    --------
    >>> from samapprox.attention.approximation import check, sample
    >>> A = sample(50, 2, 3.0)
    >>> layer = build(Request(target=A, eps1=0.1, eps2=1e-6)).layer
    >>> layer.arithmetic, layer.rank, check(layer, A, 0.1, 1e-6).is_proven
    ('exact', 4, True)
    """
    target, degree = request.target, request.target.row_k
    if request.eps2 <= 2.0 ** (2 - _LOG_BITS):
        raise InputError(f"the line keeps ratios to 2^-38, not to eps2 = {request.eps2:g}")
    order = spread_out(target, request.seed)
    places = [place - target.n // 2 for place in order.tolist()]
    keys = np.array([[t**m for m in range(1, 2 * degree + 1)] for t in places], dtype=object)
    line = np.array(places, dtype=np.float64)
    queries = np.zeros_like(keys)
    for i in range(target.n):
        columns, values = target.row(i)
        counted = line[: i + 1] if request.causal else line
        factors = (counted - line[columns][:, None]) ** 2
        logarithms = np.log(values / values.min())
        height = depth(factors, logarithms, columns, -math.log(request.eps1))
        roots = [places[column] for column in columns.tolist()]
        exact = [_rounded(value) for value in logarithms.tolist()]
        queries[i] = _query(roots, exact, _rounded_up(height), degree)
    facts = {"curve": "line", "places": order.tolist()}
    return Construction(make_layer(request, queries, keys), facts)


def _query(
    roots: list[int], logarithms: list[Fraction], height: Fraction, degree: int
) -> list[Fraction]:
    """Return coefficients of the row's polynomial at t, .., t^(2 degree)."""
    total = [Fraction(0)] * (2 * degree + 1)
    for power, coefficient in enumerate(_squares(roots)):
        total[power] -= height * coefficient
    for s, value in enumerate(logarithms):
        if value:
            others = roots[:s] + roots[s + 1 :]
            times = value / math.prod((roots[s] - t) ** 2 for t in others)
            for power, coefficient in enumerate(_squares(others)):
                total[power] += times * coefficient
    return total[1:]


def _squares(roots: list[int]) -> list[int]:
    """Return coefficients of prod (x - t)^2, constant term first."""
    coefficients = [1]
    for root in [*roots, *roots]:
        shifted = [0, *coefficients]
        coefficients = [a - root * b for a, b in zip(shifted, [*coefficients, 0], strict=True)]
    return coefficients


def _rounded(value: float) -> Fraction:
    return Fraction(round(value * (1 << _LOG_BITS)), 1 << _LOG_BITS)


def _rounded_up(value: float) -> Fraction:
    """Round up slightly, to few bits."""
    if not value:
        return Fraction(0)
    if not math.isfinite(value):
        raise InputError("too many nonzeros in a row: the depth of its polynomial overflows")
    exact = Fraction(value * _ROUNDING)
    unit = Fraction(2) ** (math.frexp(value)[1] - _DEPTH_BITS)
    return math.ceil(exact / unit) * unit
