"""The cocircuits and topes of a uniform oriented matroid, from its orientations."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Side
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.refutations.orientation_clauses import sign_matrix, subset_ranks, subsets_of
from samapprox.solvers.embeddings.descent import homogeneous, widen, wrong_places
from samapprox.solvers.embeddings.projections import Approach
from samapprox.solvers.embeddings.whole_numbers import whole_numbers
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Floats, Signs

_MOST_ENTRIES = 30_000  # entries of the matrix of topes, for which a step takes about a millisecond
_MOST_BEFORE = 1 << 20  # entries of the topes among which these are drawn

_PATIENCE = 10.0  # patience with the first start; each later start gets twice as much


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


# ---------------------------------------------------------------- vectors


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


# ---------------------------------------------------------------- embeddings


def realize(
    problem: Problem, orientations: Signs, elements: Side, search: Search
) -> Embedding | str:
    """Look for an embedding whose elements have the given orientations.

    If points have these orientations, which satisfy the clauses of the pattern, then its rows are
    covectors: by Farkas' lemma some halfspace has the signs of a row unless a circuit forbids it.
    See `samapprox.solvers.orientations.realize.approach` for the search.
    """
    covectors = sign_matrix(problem.pattern.to_array(), elements)
    d = min(problem.d, covectors.shape[1])  # so many elements need no more dimensions
    rng = np.random.RandomState(search.seed)
    patience = _PATIENCE
    with one_blas_thread():
        while not search.out_of_time:
            found = approach(orientations, covectors, d + 1, rng, patience, search)
            proof = embedding(problem.pattern, elements, found, search)
            if proof is not None:
                return proof
            patience *= 2
    return "no points with these orientations were found in time"


def embedding(
    pattern: Pattern, elements: Side, found: Configuration, search: Search
) -> Embedding | None:
    """Return an integer embedding from vectors and normals of all covectors, if signs are right."""
    U, V = found.normals, found.vectors
    if elements == "rows":
        U, V = V, U
    signs = homogeneous(pattern)
    if len(wrong_places(signs, U, V)):
        return None
    return whole_numbers(pattern, *widen(signs, U, V, search), search)
