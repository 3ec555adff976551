"""The least scale of scores at which a probability map is close enough to hardmax."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.maps import ProbabilityMap
from samapprox.attention.universality.contextual import ContextualMapping
from samapprox.attention.universality.id_errors import measure_errors
from samapprox.errors import InputError

__all__ = ["LEAST_BITS", "MOST_BITS", "LeastScale", "find_least_scale"]

MOST_BITS = 1 << 48
"""Bits of the greatest scale that is tried."""

LEAST_BITS = -20
"""The logarithm to base 2 of the least scale that is tried."""

_TOLERANCE = 2.0**-10


@dataclass(frozen=True, slots=True)
class LeastScale:
    """The least t, the same in all layers, that a search finds.

    Attributes
    ----------
    bits : float
        The logarithm of t to base 2; `LEAST_BITS` if any t > 0 suffices.
    error : mpf
        The error at t, in units of delta: below the bound.
    error_below : mpf or None
        The error at the greatest smaller t that was tried, which is not below the bound; None if
        any t suffices.
    """

    bits: float
    error: Any
    error_below: Any | None

    @property
    def scale(self) -> Any:
        """The number t, in mpmath."""
        return _power_of_two(self.bits)


def find_least_scale(
    mapping: ContextualMapping, attention: SparseAttention, rho: ProbabilityMap, bound: Fraction
) -> LeastScale:
    """Find the least t by doubling and bisection of its logarithm.

    Parameters
    ----------
    mapping : ContextualMapping
    attention : SparseAttention
    rho : ProbabilityMap
    bound : Fraction
        What the error must be below, in units of delta.

    Raises
    ------
    InputError
        The error stays too large up to `MOST_BITS`, as for a map without Assumption 2.

    Notes
    -----
    Some 20 to 60 runs of `measure_errors`. The result is the least t if the error falls as t grows,
    which holds in all cases measured; otherwise it is a t at which the error passes the bound.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.universality import choose_route
    >>> from samapprox.attention.universality.construction import build_mapping
    >>> full = build("full", 2)
    >>> mapping = build_mapping(full, choose_route(full), d=1, steps=2)
    >>> from samapprox.attention.maps import Softmax
    >>> found = find_least_scale(mapping, full, Softmax(), Fraction(1, 4))
    >>> bool(found.error < 0.25 <= found.error_below)
    True
    """

    def error_at(bits: float) -> Any:
        scales = [_power_of_two(bits)] * len(mapping.layers)
        return measure_errors(mapping, attention, rho, scales).last

    low, below = float(LEAST_BITS), error_at(LEAST_BITS)
    if below < bound:
        return LeastScale(low, below, None)
    high = 1.0
    while not (error := error_at(high)) < bound:
        low, below, high = high, error, 2 * high
        if high > MOST_BITS:
            raise InputError(
                f"{rho} comes no closer to hardmax than {float(below):.3g} delta even with scores "
                f"scaled by 2^{low:.0f}: it does not satisfy Assumption 2"
            )
    while high - low > _TOLERANCE * max(1.0, high / 16):
        middle = (low + high) / 2
        found = error_at(middle)
        if found < bound:
            high, error = middle, found
        else:
            low, below = middle, found
    return LeastScale(high, error, below)


def _power_of_two(bits: float) -> Any:
    import mpmath

    return mpmath.power(2, bits)
