"""Step 3: a probability map and ReLUs in place of hardmax, and the least scale of scores for it.

Errors of ids are measured on all grid points, in mpmath. An eta that suffices for every map of
Assumption 2, amplification included, is computed from bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.transformers import AttentionLayer, Head, Transformer
from samapprox.attention.transformers.columns import Matrix
from samapprox.attention.transformers.maps import Hardmax, ProbabilityMap
from samapprox.attention.transformers.universality.construction import Construction
from samapprox.attention.transformers.universality.contextual import ContextualMapping
from samapprox.attention.transformers.universality.grid import Grid
from samapprox.attention.transformers.universality.value_layers import (
    relu_quantization_layers,
    relu_value_layer,
)
from samapprox.errors import InputError
from samapprox.support.parameters import require

MOST_SCORES = 1 << 17
"""Most scores of all inputs, layers and heads together, each of which costs microseconds."""


def soften_layer(layer: AttentionLayer, scale: Any, steps: int) -> AttentionLayer:
    """Return a layer of hardmax for another map: queries are multiplied by the scale t.

    Scores become t (u^T X_j) (u^T X_k - b_Q) for entries that are not in units of delta = 1 /
    steps. Hardmax ignores the scale of queries, so the given layer may hold multiples of u^T X -
    b_Q.
    """
    return AttentionLayer(tuple(_soften_head(head, scale, steps) for head in layer.heads))


def _soften_head(head: Head, scale: Any, steps: int) -> Head:
    doubling = int(head.query[0, 0])  # u has a leading 1
    factor = scale / (doubling * steps**2)
    bias = None if head.query_bias is None else head.query_bias.astype(object) * factor
    return Head(
        head.query.astype(object) * factor, head.key, head.value, head.output, bias, head.pattern
    )


def soften_transformer(built: Construction, scale: Any, alpha: Fraction) -> Transformer:
    """Return a transformer with ReLUs, for any probability map, that approximates a construction.

    Parameters
    ----------
    built : Construction
        The transformer with hardmax.
    scale : number
        t of every attention layer.
    alpha : Fraction
        In (0, 1): the share of every interval of length delta that is not rounded down exactly.

    Returns
    -------
    Transformer
        In units of delta, of the class ST^(2,1,4): at most two heads of size 1 in a layer, and four
        ReLUs. Its outputs have the error of the ids in their first row, and none in the others, if
        that is at most 1/4.

    References
    ----------
    Yun et al. (2020), Lemma 4.

    Examples
    --------
    >>> from fractions import Fraction
    >>> import numpy as np
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.transformers.maps import Softmax
    >>> from samapprox.attention.transformers.universality import build_universal
    >>> full, swap = build("full", 2), [[[b, a]] for a in range(2) for b in range(2)]
    >>> soft = soften_transformer(build_universal(full, swap, d=1, steps=2), 1000, Fraction(1, 2))
    >>> outputs = soft.forward(np.array([[0.0, 1.0]]), full, Softmax())
    >>> [round(float(output), 6) for output in outputs[0]]  # (1, 0), in units of delta = 1/2
    [2.0, 0.0]
    """
    steps = built.grid.steps
    return Transformer(
        (
            *relu_quantization_layers(built.grid, alpha),
            *(soften_layer(layer, scale, steps) for layer in built.contextual.layers),
            *(relu_value_layer(built.values, i) for i in range(len(built.values))),
        ),
        built.contextual.encoding.positions.astype(object),
    )


def working_bits(mapping: ContextualMapping) -> int:
    """Return a precision for which rounding errors stay far below delta.

    An error made in a layer grows by no more than the ids themselves until the last layer, so
    twice the bits of the greatest id suffice for both, with 64 bits to spare.
    """
    return 2 * mapping.greatest_id.bit_length() + 64


def measure_errors(
    mapping: ContextualMapping,
    attention: SparseAttention,
    rho: ProbabilityMap,
    scales: Sequence[Any],
) -> list[Any]:
    """Measure the errors of ids after each layer, in units of delta.

    An error is the greatest difference from hardmax over all grid points and tokens.
    `rho` needs an exact form (`ProbabilityMap.apply_exact`); `scales` holds the t of every layer.
    """
    import mpmath

    require_few_scores(mapping, attention)
    points = all_points(mapping)
    errors = []
    with mpmath.workprec(working_bits(mapping)):
        hard = points.astype(object)
        soft = np.frompyfunc(mpmath.mpf, 1, 1)(hard)
        for t, (layer, scale) in enumerate(zip(mapping.layers, scales, strict=True)):
            if layer.heads:
                softened = soften_layer(layer, mpmath.mpmathify(scale), mapping.encoding.steps)
                hard = layer.apply(hard, attention.layer(t), Hardmax())
                soft = softened.apply(soft, attention.layer(t), rho)
            errors.append(np.abs(mapping.ids(soft) - mapping.ids(hard)).max())
    return errors


def all_points(mapping: ContextualMapping) -> Matrix:
    """Return all grid points plus E, shape (d, inputs, n)."""
    encoding = mapping.encoding
    grid = Grid(encoding.n, encoding.d, encoding.steps)
    grid.require_enumerable()
    points = grid.points(0, grid.size) + encoding.positions
    return np.ascontiguousarray(points.transpose(1, 0, 2))


def require_few_scores(mapping: ContextualMapping, attention: SparseAttention) -> None:
    """Refuse a mapping whose scores would take minutes to compute."""
    encoding = mapping.encoding
    inputs = Grid(encoding.n, encoding.d, encoding.steps).size
    edges = sum(
        len(layer.heads) * max(graph.edges for graph in attention.layer(t))
        for t, layer in enumerate(mapping.layers)
    )
    require(
        edges * inputs <= MOST_SCORES,
        f"{inputs} inputs have {edges * inputs} scores in all layers; at most {MOST_SCORES} are "
        "computed: reduce n, d or 1 / delta",
    )


@dataclass(frozen=True, slots=True)
class SufficientEta:
    """An eta and a zeta for which every map of Assumption 2 is close enough to hardmax."""

    eta: Fraction  # a power of two, the greatest that the proof allows
    zeta: Fraction  # the least gap of scores in any layer, errors included; not in units of delta
    error: Fraction  # the bound on the error of the ids, in units of delta


def find_sufficient_eta(
    mapping: ContextualMapping, attention: SparseAttention, bound: Fraction
) -> SufficientEta:
    """Find the greatest power of two that is a sufficient eta.

    Let all ids of an input have errors of at most E before a layer, and let D be the difference of
    its greatest and least id. While E < 1/4 (in units of delta), every head attends to the same key
    as with hardmax, and reads its id with an error of at most E + eta (D + 2 E). A token that is
    not shifted has two heads that attend to the same key, so that only eta (D + 2 E) remains of
    their difference. A layer of factor c therefore adds at most 2 c (E + eta (D + 2 E)) to the
    error of a shifted token, c eta (D + 2 E) to that of another one, and c (E + eta (D + 2 E)) in
    an all-max-shift. F.2 of Yun et al. (2020) leaves out the E in the first and the last.

    One exact run of all grid points, then O(inputs layers n) operations on fractions for each of
    some 20 powers.
    """
    require(0 < bound <= Fraction(1, 4), f"the bound must be in (0, 1/4], not {bound}")
    runs = list(_shifts(mapping, attention))
    low, high = 0, 1
    while _accumulate(runs, high)[0] > bound:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _accumulate(runs, middle)[0] > bound else (low, middle)
    error, before = _accumulate(runs, high)
    zeta = (1 - 2 * before) * (Fraction(1, 2) - before) / mapping.encoding.steps**2
    return SufficientEta(Fraction(1, 1 << high), zeta, error)


@dataclass(frozen=True, slots=True, eq=False)
class _Shift:
    """The effect of one layer on all inputs under hardmax."""

    factor: int  # c
    heads: int
    span: Matrix  # D, before the layer
    shifted: NDArray[np.bool_]  # which tokens change


def _shifts(mapping: ContextualMapping, attention: SparseAttention) -> Iterator[_Shift]:
    """Run all grid points with hardmax; yield every layer that is not the identity."""
    columns = all_points(mapping).astype(object)
    ids = mapping.ids(columns)
    for t, layer in enumerate(mapping.layers):
        if layer.heads:
            columns = layer.apply(columns, attention.layer(t), Hardmax())
            before, ids = ids, mapping.ids(columns)
            gaps = np.diff(np.sort(before, axis=1), axis=1)
            require(bool((gaps >= 1).all()), "two tokens of an input have the same id")
            span = before.max(axis=1, keepdims=True) - before.min(axis=1, keepdims=True)
            factor = abs(int(layer.heads[0].output[0, 0]))
            yield _Shift(factor, len(layer.heads), span, before != ids)


def _accumulate(runs: list[_Shift], bits: int) -> tuple[Fraction, Fraction]:
    """Bound the errors for eta = 2^-bits: after the last layer, and before any layer.

    All numbers are multiples of eta to some power; they are kept as integers over a common
    denominator, which grows by eta in every layer.
    """
    errors: Any = np.zeros(runs[0].shifted.shape, dtype=object)
    denominator, before = 1, Fraction(0)
    for run in runs:
        worst = errors.max(axis=1, keepdims=True)
        before = max(before, Fraction(int(worst.max()), denominator))
        fresh = run.span * denominator + 2 * worst  # times eta: over the next denominator
        moved = run.heads * run.factor * ((worst << bits) + fresh)
        errors = (errors << bits) + np.where(run.shifted, moved, run.factor * fresh)
        denominator <<= bits
    return Fraction(int(errors.max()), denominator), before


MOST_BITS = 1 << 48
"""Bits of the greatest scale that is tried."""

LEAST_BITS = -20
"""The logarithm to base 2 of the least scale that is tried."""

_TOLERANCE = 2.0**-10  # of the logarithm of t; each halving costs a run of all grid points


@dataclass(frozen=True, slots=True)
class LeastScale:
    """The least t, the same in all layers, that a search finds."""

    bits: float  # the logarithm of t to base 2; `LEAST_BITS` if any t > 0 suffices
    error: Any  # the error at t, in units of delta: below the bound
    # The error at the greatest smaller t that was tried, which is not below the bound; None if
    # any t suffices.
    error_below: Any | None

    @property
    def scale(self) -> Any:
        """The number t, in mpmath."""
        return _power_of_two(self.bits)


def find_least_scale(
    mapping: ContextualMapping, attention: SparseAttention, rho: ProbabilityMap, bound: Fraction
) -> LeastScale:
    """Find the least t by doubling and bisection of its logarithm.

    Some 20 to 60 runs of `measure_errors`. The result is the least t if the error falls as t grows,
    which holds in all cases measured; otherwise it is a t at which the error passes the bound.
    """
    import mpmath

    limit = mpmath.mpf(bound.numerator) / bound.denominator  # mpmath 1.3 compares no fractions

    def error_at(bits: float) -> Any:
        scales = [_power_of_two(bits)] * len(mapping.layers)
        return measure_errors(mapping, attention, rho, scales)[-1]

    low, below = float(LEAST_BITS), error_at(LEAST_BITS)
    if below < limit:
        return LeastScale(low, below, None)
    high = 1.0
    while not (error := error_at(high)) < limit:
        low, below, high = high, error, 2 * high
        if high > MOST_BITS:
            raise InputError(
                f"{rho} comes no closer to hardmax than {float(below):.3g} delta even with scores "
                f"scaled by 2^{low:.0f}: it does not satisfy Assumption 2"
            )
    while high - low > _TOLERANCE * max(1.0, high / 16):
        middle = (low + high) / 2
        found = error_at(middle)
        if found < limit:
            high, error = middle, found
        else:
            low, below = middle, found
    return LeastScale(high, error, below)


def _power_of_two(bits: float) -> Any:
    import mpmath

    return mpmath.power(2, bits)
