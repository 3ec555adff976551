"""Logits of layers: whole numbers over common denominators, or floats with bounds on rounding."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.layer import AttentionLayer, product
from samapprox.proofs.exact import ExactArray, exact, exact_matmul
from samapprox.support.arrays import Floats


class ExactLogits:
    """The logits of an exact layer, some rows at a time.

    Each query has a common denominator of its own, all keys share one: the rows hold
    numerators.
    """

    rounding = 0.0

    def __init__(self, layer: AttentionLayer) -> None:
        queries, keys = layer.queries, layer.keys
        denominators = [_common_denominator(row) for row in queries]
        common = _common_denominator(keys)
        self._queries = exact(
            [_times(row, own) for row, own in zip(queries, denominators, strict=True)], 2, "queries"
        )
        self._keys = exact(_times(keys, common), 2, "keys")
        self._denominators = [own * common for own in denominators]

    def rows(self, start: int, stop: int) -> ExactArray:
        """Return numerators of rows start..stop."""
        return exact_matmul(self._queries[start:stop], self._keys.T)

    def difference(
        self, numerators: ExactArray, start: int, row: int, first: int, second: int
    ) -> Fraction:
        """Return logit first minus logit second of a row."""
        gap = int(numerators[row, first]) - int(numerators[row, second])
        return Fraction(gap, self._denominators[start + row])

    def differences(
        self,
        numerators: ExactArray,
        start: int,
        rows: NDArray[np.int64],
        first: NDArray[np.int64],
        second: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Compute many differences, each rounded once to float64."""
        gaps = (numerators[rows, first] - numerators[rows, second]).tolist()
        below = [self._denominators[start + row] for row in rows.tolist()]
        return np.array([_quotient(a, b) for a, b in zip(gaps, below, strict=True)])


def less_than_log(number: Fraction, quotient: Fraction) -> bool:
    """Return whether number < log(quotient), decided for certain.

    Logarithms are enclosed with 30 digits, then twice as many, until these decide. They always do:
    the logarithm of a fraction other than 1 is transcendental (Lindemann), and that of 1 is 0.
    """
    if quotient == 1:
        return number < 0
    digits = 30
    while True:
        low, high = _log_between(quotient, digits)
        if number < low:
            return True
        if number > high:
            return False
        digits *= 2


def _log_between(quotient: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Bracket the logarithm by fractions: decimal's ln of an integer errs by half a digit."""
    context = Context(prec=digits)
    parts = [
        Fraction(context.ln(Decimal(part))) for part in (quotient.numerator, quotient.denominator)
    ]
    error = (abs(parts[0]) + abs(parts[1])) / Fraction(10) ** (digits - 1)
    value = parts[0] - parts[1]
    return value - error, value + error


def _common_denominator(numbers: NDArray[Any]) -> int:
    return math.lcm(*(int(number.denominator) for number in numbers.flat))


def _times(numbers: NDArray[Any], factor: int) -> NDArray[Any]:
    """Multiply fractions by a multiple of their denominators, which gives whole numbers."""
    whole = [int(number * factor) for number in numbers.flat]
    return np.array(whole, dtype=object).reshape(numbers.shape)


def _quotient(numerator: int, denominator: int) -> float:
    """Divide with a single rounding; infinite on overflow."""
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


class FloatLogits:
    """The logits of a layer of floats, some rows at a time.

    Higham's gamma: a sum of t rounded products is off by at most t u / (1 - t u) times the sum of
    their absolute values, in any order, fused or not. The terms count where W_Q and W_K are not
    zero; a W that only selects columns of X rounds nothing.
    """

    def __init__(self, layer: AttentionLayer) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            self._queries, self._keys = layer.queries, layer.keys
            self.rounding = _rounding(layer)

    def rows(self, start: int, stop: int) -> Floats:
        """Return rows start..stop, computed in the layer's arithmetic; overflow is infinite."""
        with np.errstate(over="ignore", invalid="ignore"):
            block = product(self._queries[start:stop], self._keys.T).astype(np.float64)
        # Logits that overflow have no order: they break every condition in which they occur.
        block[np.isnan(block)] = np.inf
        return np.asarray(block)

    @staticmethod
    def differences(
        logits: Floats,
        start: int,
        rows: NDArray[np.int64],
        first: NDArray[np.int64],
        second: NDArray[np.int64],
    ) -> Floats:
        """logits[rows, first] - logits[rows, second]; infinite where the second overflows."""
        left, right = logits[rows, first], logits[rows, second]
        with np.errstate(invalid="ignore"):
            found = left - right
        # The softmax of an overflow is not a number: the condition counts as broken.
        found[np.isnan(found) | (right == np.inf)] = np.inf
        found[first == second] = 0.0
        return np.asarray(found)


def _rounding(layer: AttentionLayer) -> float:
    kind: Any = layer.X.dtype
    if kind.itemsize <= 2:
        return math.inf
    unit = float(np.finfo(kind).eps) / 2
    terms = layer.d + _terms(layer.W_Q) + _terms(layer.W_K)
    gamma = terms * unit / (1 - terms * unit)
    sizes = [
        np.sqrt(((np.abs(layer.X.astype(np.float64)) @ np.abs(W.astype(np.float64))) ** 2).sum(1))
        for W in (layer.W_Q, layer.W_K)
    ]
    query, key = float(sizes[0].max()), float(sizes[1].max())
    # Each of `terms` products may lose half a subnormal before it is multiplied by d numbers.
    underflow = terms * layer.d * float(np.finfo(kind).smallest_subnormal) * (1 + query + key)
    return gamma * query * key * (1 + 1e-6) + underflow


def _terms(W: NDArray[Any]) -> int:
    """Count the roundings of an entry of X W, at most."""
    most = int((W != 0).sum(axis=0).max())
    return 0 if most <= 1 and bool(np.isin(W, (-1, 0, 1)).all()) else most
