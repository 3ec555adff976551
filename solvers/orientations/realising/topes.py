"""The cocircuits and topes of a uniform oriented matroid, from its orientations."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.checks.orientation_clauses import subset_ranks, subsets_of

__all__ = ["cocircuits", "topes"]

Signs = NDArray[np.int8]


def cocircuits(orientations: Signs, elements: int, rank: int) -> Signs:
    """Mark, for each r - 1 elements, the side of their hyperplane on which the others lie.

    O(C(elements, rank - 1) elements rank).
    """
    through = subsets_of(elements, rank - 1)
    sides = np.zeros((len(through), elements), dtype=np.int8)
    for element in range(elements):
        apart = (through != element).all(axis=1)
        others = through[apart]
        subsets = np.sort(np.column_stack([others, np.full(len(others), element)]), axis=1)
        # The element comes last in the determinant, and moves past those that are greater.
        swaps = np.where((others > element).sum(axis=1) % 2, -1, 1)
        sides[apart, element] = orientations[subset_ranks(subsets)] * swaps
    return sides


def topes(circuits: Signs) -> Signs:
    """Return the topes next to some cocircuits, up to sign: + on element 0.

    Hyperplanes through r - 1 elements in general position may be moved to any side of each of them.
    O(k 2^(r-1) elements).
    """
    places = np.nonzero(circuits == 0)[1].reshape(len(circuits), -1)
    found = []
    for sides in product((1, -1), repeat=places.shape[1]):
        moved = circuits.copy()
        np.put_along_axis(moved, places, np.array([sides], dtype=np.int8), axis=1)
        found.append(moved * moved[:, :1])
    return np.unique(np.concatenate(found), axis=0)
