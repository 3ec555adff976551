"""Exact signs of integers that are known to be small, modulo a power of two, in compiled code.

An integer has W words of 64 bits, the lowest one first. It stands for the residue modulo 2^(64 W)
that is least in absolute value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.support.arrays import Flags, Words
from samapprox.support.jit import compiled

Places = NDArray[np.int64]

_LOW, _HALF, _TOP = np.uint64((1 << 32) - 1), np.uint64(32), np.uint64(63)
_ZERO, _ONE = np.uint64(0), np.uint64(1)

_FIRST_ROW: Any = np.int64(0)  # one of Python's would be a type of its own for numba


@compiled
def _upper_word(left: np.uint64, right: np.uint64) -> np.uint64:
    """Return the upper half of a product of 128 bits; no sum of halves of words overflows."""
    low, high = left & _LOW, left >> _HALF
    other_low, other_high = right & _LOW, right >> _HALF
    cross = high * other_low + ((low * other_low) >> _HALF)
    other = low * other_high + (cross & _LOW)
    return high * other_high + (cross >> _HALF) + (other >> _HALF)


@compiled
def _add_product(total: Words, left: Words, own: int, right: Words, other: int) -> None:
    """Add the product of two rows to the first one of a third matrix."""
    words = total.shape[1]
    for i in range(words):
        carry = _ZERO
        for j in range(words - i):
            lower = left[own, i] * right[other, j]
            upper = _ZERO
            if i + j + 1 < words:
                upper = _upper_word(left[own, i], right[other, j])
            total[0, i + j] += lower
            if total[0, i + j] < lower:
                upper += _ONE
            total[0, i + j] += carry
            if total[0, i + j] < carry:
                upper += _ONE
            carry = upper


@compiled
def _sign(number: Words) -> int:
    """Return -1, 0 or 1 for the integer in the first row."""
    if number[0, -1] >> _TOP:
        return -1
    for place in range(number.shape[1]):
        if number[0, place]:
            return 1
    return 0


@compiled
def are_positive(left: Words, right: Words, depth: int, rows: Places, columns: Places) -> Flags:
    """Find the positive ones among products of rows of two matrices.

    `depth`: D, the length of the rows. `rows` and `columns`: the products to compute.

    O(D W^2) steps for each.
    """
    positive = np.empty(len(rows), dtype=np.bool_)
    total = np.empty((1, left.shape[1]), dtype=np.uint64)
    for entry in range(len(rows)):
        own, other = rows[entry] * depth, columns[entry] * depth
        total[:] = _ZERO
        for place in range(depth):
            _add_product(total, left, own + place, right, other + place)
        positive[entry] = _sign(total) > 0
    return positive


@compiled
def are_in_caps(
    queries: Words,
    keys: Words,
    squares: Words,
    norms: Words,
    below: Flags,
    depth: int,
    rows: Places,
    columns: Places,
) -> Flags:
    """Find the entries with q . k > t |k|.

    `squares` (shape (m, W)): -t^2. `norms` (shape (n, W)): |k|^2. `below` (shape (m,)): whether t <
    0. `depth`: d. `rows` and `columns`: the entries to decide.

    The sign of (q . k)^2 - t^2 |k|^2 decides where q . k and t have the same sign. O(d W^2) steps
    for each entry.
    """
    inside = np.empty(len(rows), dtype=np.bool_)
    product = np.empty((1, queries.shape[1]), dtype=np.uint64)
    difference = np.empty_like(product)
    for entry in range(len(rows)):
        row, column = rows[entry], columns[entry]
        product[:] = _ZERO
        for place in range(depth):
            _add_product(product, queries, row * depth + place, keys, column * depth + place)
        difference[:] = _ZERO
        _add_product(difference, product, _FIRST_ROW, product, _FIRST_ROW)
        _add_product(difference, squares, row, norms, column)
        if _sign(product) > 0:
            inside[entry] = below[row] or _sign(difference) > 0
        else:
            inside[entry] = below[row] and _sign(difference) < 0
    return inside
