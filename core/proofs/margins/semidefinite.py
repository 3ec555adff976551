"""Forms that are never negative, shown by a factor of whole numbers."""

from __future__ import annotations

import numpy as np

from samapprox.proofs.exact import ExactArray, exact_matmul, largest

__all__ = ["find_fault_of_size", "is_semidefinite"]

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
