"""Step 3 in numbers: the scales and errors of a probability map in place of hardmax.

The eta, zeta and t are those of F.2 of Yun et al. (2020), and those that a search finds. `SlowMap`
satisfies Assumption 2, but no faster and no better than it must.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.transformers.maps import ProbabilityMap
from samapprox.attention.transformers.maps.base import Scores
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
from samapprox.support.parameters import require


@dataclass(frozen=True, slots=True)
class SlowMap(ProbabilityMap):
    """An adversarial map: all weight that the greatest score lacks goes to the least score.

    If the greatest score leads by g, the key of least score has probability
    eta(g) = 1 / (2 + log(1 + g)), and the greatest the rest. This satisfies Assumption 2, since
    eta(t zeta) tends to 0. But it falls so slowly that rows with wider gaps do no better than those
    with gap zeta, whereas softmax gains exponentially.

    O(keys) a row. Tied greatest scores share all weight. With one key the row is (1).

    Source: Yun et al. (2020), Assumption 2.
    """

    def _fill(self, scores: Scores, tops: Scores, out: Scores) -> None:
        for i, row in enumerate(scores):
            out[i] = [float(p) for p in self._exact_row((tops[i] - row).tolist())]

    def _exact_row(self, gaps: list[Any]) -> list[Any]:
        import mpmath

        row: list[Any] = [0] * len(gaps)
        order = sorted(range(len(gaps)), key=gaps.__getitem__)
        tied = gaps.count(0)
        if tied > 1 or len(gaps) == 1:
            return [mpmath.mpf(1) / tied if gap == 0 else 0 for gap in gaps]
        eta = 1 / (2 + mpmath.log1p(gaps[order[1]]))
        row[order[0]], row[order[-1]] = 1 - eta, eta
        return row

    def exact_gap(self, eta: Any) -> Any:
        """Return the gap that leaves eta to the least score, in mpmath: exp(1 / eta - 2) - 1."""
        import mpmath

        return mpmath.expm1(1 / mpmath.mpmathify(eta) - 2)

    def _gap(self, keys: int, eta: float) -> float:
        exponent = 1 / eta - 2
        return math.expm1(exponent) if exponent < 700 else math.inf


def published_etas(n: int, d: int, steps: int, s: int) -> tuple[Any, ...]:
    """Return the eta of F.2 for each set of selective shifts and for the all-max-shifts.

    They are those for delta~ = delta, its greatest value.

    Source: Yun et al. (2020), F.2.
    """
    import mpmath

    delta = mpmath.mpf(1) / steps
    selective = [
        delta ** (2 * d) * mpmath.log1p(delta ** ((j + 1) * d + 1) / (8 * n * n)) / 2
        for j in range(1, n)
    ]
    share = delta ** (s * (n * d + 1) + n * d + 1) / (2 ** (s + 3) * s**s * n ** (s + 1))
    return (*selective, delta ** (n * d) * mpmath.log1p(share) / (s * n))


def required_gap(rho: ProbabilityMap, keys: int, eta: Any) -> Any:
    """Return the gap between the greatest score and all others that leaves eta to the others.

    As `ProbabilityMap.least_gap`, in mpmath.
    """
    import mpmath

    if isinstance(rho, SlowMap):
        return rho.exact_gap(eta)
    return mpmath.mpf(rho.least_gap(keys, float(eta)))


def most_keys(attention: SparseAttention) -> int:
    """Return the most keys of a token in any pattern."""
    return max(
        int(graph.out_degrees.max())
        for t in range(attention.period)
        for graph in attention.layer(t)
    )


def is_printed(mapping: ContextualMapping, attention: SparseAttention) -> bool:
    """Return whether a mapping is that of E.2.2: p / delta^d layers for each token but the first.

    The factor of the all-max-shifts must be the printed one, too.
    """
    encoding, s = mapping.encoding, mapping.all_max_layers
    n, d, steps = encoding.n, encoding.d, encoding.steps
    selective = (n - 1) * _layers_of_token(mapping, attention)
    factor = 2 * s * n * steps ** (n * d + 1)
    return len(mapping.layers) == selective + s and mapping.factor == factor


def _layers_of_token(mapping: ContextualMapping, attention: SparseAttention) -> int:
    return int(attention.period * mapping.encoding.steps**mapping.encoding.d)


def published_scales(
    mapping: ContextualMapping, attention: SparseAttention, rho: ProbabilityMap, zeta: Fraction
) -> tuple[Any, ...]:
    """Return the scales t of F.2 for the mapping of E.2.2, with p / delta^d layers a token.

    `zeta` is the least gap of scores. F.2 prints delta / 2, but ids differ by delta and queries by
    delta / 2, so that scores differ by delta^2 / 2. Other constructions have no such scale:
    InputError.
    """
    import mpmath

    encoding, s = mapping.encoding, mapping.all_max_layers
    require(
        is_printed(mapping, attention),
        "F.2 of Yun et al. chooses eta for the printed construction, which this mapping is not",
    )
    selective, each = len(mapping.layers) - s, _layers_of_token(mapping, attention)
    etas, keys = published_etas(encoding.n, encoding.d, encoding.steps, s), most_keys(attention)
    scales = [required_gap(rho, keys, eta) * zeta.denominator / zeta.numerator for eta in etas]
    return tuple(mpmath.mpf(scales[min(t, selective) // each]) for t in range(len(mapping.layers)))


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

    Returns
    -------
    Softening
        The least scale that was found, and the errors at the published and at the sufficient eta.

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
