"""An eta that suffices for every probability map of Assumption 2, amplification included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.blocks.columns import Matrix
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.maps import Hardmax
from samapprox.attention.universality.contextual import ContextualMapping
from samapprox.attention.universality.id_errors import all_points
from samapprox.support.parameters import require

__all__ = ["SufficientEta", "find_sufficient_eta"]


@dataclass(frozen=True, slots=True)
class SufficientEta:
    """An eta and a zeta for which every map of Assumption 2 is close enough to hardmax.

    Attributes
    ----------
    eta : Fraction
        A power of two, the greatest that the proof allows.
    zeta : Fraction
        The least gap of scores in any layer, errors included; not in units of delta.
    error : Fraction
        The bound on the error of the ids, in units of delta.
    """

    eta: Fraction
    zeta: Fraction
    error: Fraction


def find_sufficient_eta(
    mapping: ContextualMapping, attention: SparseAttention, bound: Fraction
) -> SufficientEta:
    """Find the greatest power of two that is a sufficient eta.

    Parameters
    ----------
    mapping : ContextualMapping
    attention : SparseAttention
    bound : Fraction
        What the error must not exceed, in units of delta; at most 1/4.

    Raises
    ------
    InputError
        Two tokens of an input with the same id, or a greater bound.

    Notes
    -----
    Let all ids of an input have errors of at most E before a layer, and let D be the difference of
    its greatest and least id. While E < 1/4 (in units of delta), every head attends to the same key
    as with hardmax, and reads its id with an error of at most E + eta (D + 2 E). A token that is
    not shifted has two heads that attend to the same key, so that only eta (D + 2 E) remains of
    their difference. A layer of factor c therefore adds at most 2 c (E + eta (D + 2 E)) to the
    error of a shifted token, c eta (D + 2 E) to that of another one, and c (E + eta (D + 2 E)) in
    an all-max-shift. F.2 of Yun et al. (2020) leaves out the E in the first and the last.

    One exact run of all grid points, then O(inputs layers n) operations on fractions for each of
    some 20 powers.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.universality import choose_route
    >>> from samapprox.attention.universality.construction import build_mapping
    >>> full = build("full", 2)
    >>> mapping = build_mapping(full, choose_route(full), d=1, steps=2)
    >>> found = find_sufficient_eta(mapping, full, Fraction(1, 4))
    >>> found.error <= Fraction(1, 4), found.eta.numerator
    (True, 1)
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
    """The effect of one layer on all inputs under hardmax.

    Attributes
    ----------
    factor : int
        c.
    heads : int
    span : ndarray of object, shape (inputs, 1)
        D, before the layer.
    shifted : ndarray of bool, shape (inputs, n)
        Which tokens change.
    """

    factor: int
    heads: int
    span: Matrix
    shifted: NDArray[np.bool_]


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
