"""Layers rounded to the number formats of models: floating point, or integers of few bits."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from samapprox.attention.approximation.checker import Report, check
from samapprox.attention.approximation.layer import AttentionLayer
from samapprox.attention.approximation.target import Target
from samapprox.errors import InputError, require_type
from samapprox.precision import ARITHMETICS
from samapprox.support.arrays import Floats
from samapprox.support.packages import unknown_name

MOST_BITS = 26
"""Products of two numbers of so many bits are sums of exact ones in float64."""

_SLACK = 1.05  # a factor of log(1 / eps1), where a row's scale is chosen for its rounded numbers


def require_arithmetic(name: str) -> None:
    """Refuse names that are neither a floating-point type nor int1 .. int26."""
    require_type("arithmetic", name, str, "a text")
    if name not in ARITHMETICS and _bits(name) is None:
        error = unknown_name("arithmetic", name, ARITHMETICS)
        raise InputError(f"{error}, and int1 to int{MOST_BITS}")


def report_in(
    name: str, layer: AttentionLayer, target: Target, eps1: float, eps2: float
) -> Report | None:
    """Report on the layer rounded to an arithmetic: float64, .., float16, or intB for B bits.

    The factors go through `balance` first. Types of 2 bytes compute sums in float32 and round
    logits to the type. Whole numbers are in -M .. M with M = 2^(B - 1) - 1 (1 bit: -1 and 1), with
    one scale for all keys and one for each query; logits are then exact up to the scale, in
    float64. None is returned where the numbers overflow.
    """
    require_arithmetic(name)
    bits = _bits(name)
    if bits is not None:
        return check(round_layer(layer, target, eps1, bits), target, eps1, eps2)
    try:
        return check(balance(layer).astype(float_type(name)), target, eps1, eps2)
    except InputError:  # a number that overflows
        return None


def least_bits_of(layer: AttentionLayer, target: Target, eps1: float, eps2: float) -> int | None:
    """Return the fewest bits of whole numbers in which the layer still holds; None above 26.

    By halving the interval, as if more bits never hurt; O(n^2 r) for each of five.
    """

    def serves(bits: int) -> bool:
        return check(round_layer(layer, target, eps1, bits), target, eps1, eps2).holds

    bits = least_that(serves, MOST_BITS)
    return bits if bits < MOST_BITS or serves(bits) else None


def least_that(serves: Callable[[int], bool], most: int) -> int:
    """Find the least number that serves, by doubling and halving; `most` if no smaller one does.

    The predicate is asked about O(log most) numbers, never about `most` itself.
    """
    low, high = 0, 1
    while high < most and not serves(high):
        low, high = high, 2 * high
    high = min(high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if serves(middle) else (middle, high)
    return high


def balance(layer: AttentionLayer) -> AttentionLayer:
    """Centre the keys and balance the factors; the softmax is unchanged.

    A vector that is taken from all keys changes the logits of a row by the same number. Factors are
    scaled by powers of two. The result has d = r and is in float64.
    """
    queries, keys = _factors(layer)
    size = np.abs(queries).max() / max(np.abs(keys).max(), 1e-300)
    scale = 2.0 ** round(math.log2(size) / 2) if size > 0 else 1.0
    return AttentionLayer.from_factors(queries / scale, keys * scale, causal=layer.causal)


def round_layer(layer: AttentionLayer, target: Target, eps1: float, bits: int) -> AttentionLayer:
    """Round the layer to whole numbers of so many bits, with one scale for keys and one per query.

    The scale of a query is its own, or the one that condition (7) asks for after rounding if that
    is greater: of 24 bits, so that all products are exact.
    """
    queries, keys = _factors(layer)
    most = max(1, (1 << (bits - 1)) - 1)
    own = np.abs(queries).max(axis=1, keepdims=True)
    own[own == 0] = 1.0
    common = max(float(np.abs(keys).max()), 1e-300)
    left, right = _whole(queries / own, most), _whole(keys / common, most)
    scales = own[:, 0] * common / most**2
    wanted = -_SLACK * math.log(eps1) / _gaps(left @ right.T, target, causal=layer.causal)
    scales = np.where(wanted > scales, wanted, scales).astype(np.float32).astype(np.float64)
    return AttentionLayer.from_factors(left * scales[:, None], right, causal=layer.causal)


def _whole(numbers: Floats, most: int) -> Floats:
    """Return rounded multiples of 1 / most; signs for most = 1."""
    if most == 1:
        return np.where(numbers < 0, -1.0, 1.0)
    return np.asarray(np.rint(numbers * most))


def _gaps(logits: Floats, target: Target, *, causal: bool) -> Floats:
    """Return the least of a row's columns minus the greatest other logit; infinite if <= 0."""
    least = np.minimum.reduceat(logits[target.rows, target.columns], target.indptr[:-1])
    counts = ~target.support(0, target.n)
    if causal:
        counts &= np.tri(target.n, dtype=np.bool_)
    gaps = least - np.where(counts, logits, -np.inf).max(axis=1)
    return np.asarray(np.where(gaps > 0, gaps, np.inf))


def _factors(layer: AttentionLayer) -> tuple[Floats, Floats]:
    """Return queries and keys, those around 0, in float64."""
    queries, keys = layer.queries, layer.keys
    used = (keys != 0).any(axis=0) & (queries != 0).any(axis=0)
    if not used.any():
        used[0] = True
    half = Fraction(1, 2) if layer.is_exact else 0.5
    keys = keys[:, used] - (keys[:, used].max(axis=0) + keys[:, used].min(axis=0)) * half
    return queries[:, used].astype(np.float64), keys.astype(np.float64)


def _bits(name: str) -> int | None:
    match = re.fullmatch(r"int(\d{1,2})", name)
    bits = int(match[1]) if match else 0
    return bits if 1 <= bits <= MOST_BITS else None


def float_type(name: str) -> Any:
    """Return the type of numpy, or of ml_dtypes, with this name."""
    if name == "bfloat16":
        from ml_dtypes import bfloat16

        return bfloat16
    return np.dtype(name)
