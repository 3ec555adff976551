"""Report on Step 3: the scales and errors of a probability map in place of hardmax."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.transformers.maps import ProbabilityMap
from samapprox.attention.transformers.universality.contextual import ContextualMapping
from samapprox.attention.transformers.universality.least_scale import (
    LEAST_BITS,
    LeastScale,
    SufficientEta,
    find_least_scale,
    find_sufficient_eta,
    measure_errors,
    require_few_scores,
)
from samapprox.attention.transformers.universality.published_scale import (
    is_printed,
    most_keys,
    published_scales,
    required_gap,
)

__all__ = ["BOUND", "Softening", "measure_softening"]

BOUND = Fraction(1, 4)
"""The bound delta~ / 4 of F.2 in units of delta, for delta~ = delta, its greatest value."""


@dataclass(frozen=True, slots=True)
class Softening:
    """The errors of a contextual mapping when a probability map replaces hardmax.

    Errors are maxima over all grid points and tokens, in units of delta; those of F.2 must be below
    `BOUND`.

    Attributes
    ----------
    least : LeastScale
        The least t found by search.
    published_error : mpf or None
        The error with the eta of F.2 and the zeta that it means, delta^2 / 2; None where the
        construction is not the printed one.
    misprinted_error : mpf or None
        The same with the zeta that F.2 prints, delta / 2.
    sufficient : SufficientEta
        An eta that suffices for every map of Assumption 2.
    sufficient_bits : float
        The logarithm to base 2 of the t that this map needs for it; `LEAST_BITS` if any t > 0.
    sufficient_error : mpf
        The error at this t.
    """

    least: LeastScale
    published_error: Any | None
    misprinted_error: Any | None
    sufficient: SufficientEta
    sufficient_bits: float
    sufficient_error: Any

    def to_json(self) -> dict[str, Any]:
        """Return its part of `samapprox schema graph-build`."""
        return {
            "least_scale_log2": self.least.bits,
            "error": float(self.least.error),
            "published_error": _as_float(self.published_error),
            "misprinted_error": _as_float(self.misprinted_error),
            "sufficient_eta_log2": 1 - self.sufficient.eta.denominator.bit_length(),
            "sufficient_scale_log2": self.sufficient_bits,
            "sufficient_error": float(self.sufficient_error),
        }


def measure_softening(
    mapping: ContextualMapping, attention: SparseAttention, rho: ProbabilityMap
) -> Softening:
    """Measure what a probability map in place of hardmax costs.

    Parameters
    ----------
    mapping : ContextualMapping
        The contextual mapping with hardmax.
    attention : SparseAttention
        That of the mapping.
    rho : ProbabilityMap
        The map that replaces hardmax.

    Raises
    ------
    InputError
        Too many scores, a map without an exact form or without Assumption 2.

    Notes
    -----
    Some 30 runs of all grid points in mpmath.

    References
    ----------
    Yun et al. (2020), F.2.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.transformers.maps import Softmax
    >>> from samapprox.attention.transformers.universality import Method, choose_route
    >>> from samapprox.attention.transformers.universality.construction import build_mapping
    >>> window = build("window:w=3", 3)
    >>> mapping = build_mapping(window, choose_route(window, Method.PRINTED), d=1, steps=2)
    >>> found = measure_softening(mapping, window, Softmax())
    >>> round(float(found.published_error / BOUND)), round(float(found.misprinted_error / BOUND))
    (129, 11450)
    >>> round(float(found.least.scale)), float(found.least.error) < BOUND
    (112, True)
    >>> round(2**found.sufficient_bits), round(float(found.sufficient_error), 3)
    (150, 0.002)
    """
    import mpmath

    require_few_scores(mapping, attention)
    printed = misprinted = None
    if is_printed(mapping, attention):
        printed, misprinted = (
            measure_errors(
                mapping, attention, rho, published_scales(mapping, attention, rho, zeta)
            )[-1]
            for zeta in _published_zetas(mapping)
        )
    sufficient = find_sufficient_eta(mapping, attention, BOUND)
    gap = required_gap(rho, most_keys(attention), _number(sufficient.eta))
    scale = max(mpmath.power(2, LEAST_BITS), gap / _number(sufficient.zeta))
    return Softening(
        find_least_scale(mapping, attention, rho, BOUND),
        printed,
        misprinted,
        sufficient,
        float(mpmath.log(scale, 2)),
        measure_errors(mapping, attention, rho, [scale] * len(mapping.layers))[-1],
    )


def _published_zetas(mapping: ContextualMapping) -> tuple[Fraction, Fraction]:
    """Return delta^2 / 2 and delta / 2."""
    steps = mapping.encoding.steps
    return Fraction(1, 2 * steps**2), Fraction(1, 2 * steps)


def _number(fraction: Fraction) -> Any:
    import mpmath

    return mpmath.mpf(fraction.numerator) / fraction.denominator


def _as_float(number: Any | None) -> float | None:
    return None if number is None else float(number)
