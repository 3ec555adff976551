"""Vectors with given orientations, by numeric search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.checks.orientation_clauses import subsets_of
from samapprox.solvers.embeddings.projections import Approach
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.realising.topes import cocircuits, topes

__all__ = ["Configuration", "approach", "signs_of_determinants"]

Signs = NDArray[np.int8]
Floats = NDArray[np.float64]

_MOST_ENTRIES = 30_000  # of the matrix of topes: a step then takes about a millisecond
_MOST_BEFORE = 1 << 20  # entries of topes among which these are drawn


@dataclass(frozen=True, slots=True, eq=False)
class Configuration:
    """Vectors, and halfspaces with given signs on them, as far as a search got."""

    vectors: Floats  # (N, r)
    normals: Floats  # (k, r): One for each of the given covectors
    # Whether all signs are right: those of the covectors, and of the topes that were asked for.
    arrived: bool


def approach(
    orientations: Signs,
    covectors: Signs,
    rank: int,
    rng: np.random.RandomState,
    patience: float,
    search: Search,
) -> Configuration:
    """Look for vectors with given orientations, and for halfspaces with given signs on them.

    Vectors have the given orientations, or all opposite ones, if and only if the topes are signs of
    products with them: a matrix of rank r with all topes as its rows is what
    `samapprox.solvers.embeddings.projections.Approach` looks for. If there are too many of them, a
    random part must do; then some of the orientations may come out differently, but no covector. In
    experiments the number of steps was about that of the topes: 20 to 100 for 8 to 10 vectors, up
    to 1,000 for 14 vectors in rank 5.
    """
    count = covectors.shape[1]
    wanted = [covectors]
    if count > rank:
        sides = cocircuits(orientations, count, rank)
        sides = _sample(sides, _MOST_BEFORE // (count << (rank - 1)), rng)
        wanted.append(_sample(topes(sides), _MOST_ENTRIES // count, rng))
    matrix = np.concatenate(wanted).astype(np.float64)
    path = Approach(matrix, rank, rng)
    arrived = path.go(round(patience * len(matrix)), search)
    normals, vectors = path.nearest
    return Configuration(vectors, normals[: len(covectors)], arrived)


def signs_of_determinants(vectors: Floats) -> Signs:
    """Return the signs of all determinants of r vectors, in colexicographic order, nearly.

    In floating point: determinants next to zero may come out with any sign.
    """
    count, rank = vectors.shape
    subsets = subsets_of(count, rank)
    signs: Signs = np.sign(np.linalg.det(vectors[subsets])).astype(np.int8)
    return signs[np.lexsort(subsets.T)]


def _sample(rows: Signs, most: int, rng: np.random.RandomState) -> Signs:
    """Return all rows, or as many of them, drawn at random."""
    if len(rows) <= most:
        return rows
    return rows[rng.permutation(len(rows))[:most]]
