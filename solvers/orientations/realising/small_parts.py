"""Final polynomials of few elements, found where a search for vectors fails."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.checks.orientation_clauses import (
    count_relations,
    subset_ranks,
    subsets_of,
)
from samapprox.proofs.kinds.final_polynomial import FinalPolynomial
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.biquadratic import final_polynomial, least_elements
from samapprox.solvers.orientations.renumbering import renumber

__all__ = ["final_polynomial_of_part"]

Signs = NDArray[np.int8]

_MOST_RELATIONS = 16_000  # of a linear program
_PARTS = 2  # that are tried of each size


def final_polynomial_of_part(
    orientations: Signs,
    doubtful: NDArray[np.float64],
    rank: int,
    rng: np.random.RandomState,
    search: Search,
) -> FinalPolynomial | None:
    """Find a final polynomial of few elements; None if there is none, or no time.

    A polynomial of few elements forbids more, and its linear program is smaller: 252 inequalities
    for 8 elements of rank 4 instead of 900 for 10. Parts grow until one has a polynomial, as far as
    16,000 relations.
    """
    for part in _parts(doubtful, rank, rng):
        if search.out_of_time:
            break
        subsets = subsets_of(len(part), rank)
        variables = np.empty(len(subsets), dtype=np.int64)
        variables[subset_ranks(subsets)] = 1 + subset_ranks(part[subsets])
        chi = np.append(np.int8(0), orientations[variables - 1])
        found = final_polynomial(chi, len(part), rank, search)
        if found is not None:
            return renumber(found, part, rank)
    return None


def _parts(
    doubtful: NDArray[np.float64], rank: int, rng: np.random.RandomState
) -> Iterator[NDArray[np.int64]]:
    """Yield sets of elements, ascending, from the least size on, the doubtful ones first."""
    count = len(doubtful)
    size = min(least_elements(rank), count)
    while size <= count and count_relations(size, rank) <= _MOST_RELATIONS:
        for noise in np.arange(_PARTS if size < count else 1):
            scores = doubtful + noise * rng.random_sample(count) * doubtful.max(initial=1.0)
            yield np.sort(np.argsort(-scores, kind="stable")[:size])
        size += 1
