"""Conditions that several proofs about margins share: sizes, semidefinite forms, weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.proofs.exact import ExactArray, exact_matmul, largest

_MOST_DIMENSIONS = 1 << 10
"""Powers of this degree are computed; beyond, room for many more points than any core has."""

_MOST_PRODUCTS = 1 << 30
"""Products of the largest Gram matrix that is computed: a second's worth."""

_SAFE = 1 << 60


def find_fault_of_size(factor: ExactArray, biggest: int) -> str | None:
    """Return why a factor, or the largest number of its form, is too large to check, or None."""
    if factor.size * factor.shape[1] > _MOST_PRODUCTS:
        return f"its factor of {len(factor)} x {factor.shape[1]} is too large to check"
    biggest = max(biggest, largest(factor) ** 2 * len(factor))
    if biggest >= _SAFE:  # then no sum of two such numbers overflows
        return f"its numbers, of up to {biggest.bit_length()} bits, are too large to check"
    return None


def is_semidefinite(form: ExactArray, factor: ExactArray) -> bool:
    """Return whether a form less the factor's Gram matrix is diagonally dominant.

    Both are then positive semidefinite. `find_fault_of_size` has made sure of their sizes.
    """
    rest = form - exact_matmul(factor.T, factor)
    own = rest.diagonal().astype(object)
    return bool((2 * own >= np.abs(rest).astype(object).sum(axis=1)).all() and (own >= 0).all())


def find_fault_of_dimension(d: int) -> str | None:
    """Return why volumes in dimension d are not compared, or None."""
    return f"dimension {d} is too large to check" if d > _MOST_DIMENSIONS else None


def find_fault_of_weights(
    pattern: Pattern, rows: Sequence[int], columns: Sequence[int], weights: ExactArray
) -> str | None:
    """Return why weights are no weights of a core, or why the thresholds remain, or None.

    No weight is negative, don't-cares have the weight 0, and the ones of each row have the same
    total weight as its zeros.
    """
    entries = pattern.submatrix(rows, columns)
    wrong = (weights < 0) | ((weights != 0) & (entries != 0) & (entries != 1))
    if wrong.any():
        row, column = (int(index) for index in np.argwhere(wrong)[0])
        labels = pattern.row_label(rows[row]), pattern.column_label(columns[column])
        return f"{' and '.join(labels)}: the weight must be at least 0, and 0 at a don't-care"
    sums = np.where(entries == 1, weights, -weights).astype(object).sum(axis=1)
    if sums.any():
        row = int(np.flatnonzero(sums)[0])
        return f"{pattern.row_label(rows[row])}: ones and zeros have different total weights"
    return None


def require_shapes(
    height: int, width: int, *members: tuple[str, tuple[int, ...], tuple[int, ...]]
) -> None:
    """Refuse a member, given by its name, its shape and the right one, that fits no such core."""
    for name, shape, wanted in members:
        if shape != wanted:
            raise InputError(f"the {name} must fit a core of {height} x {width} entries")
