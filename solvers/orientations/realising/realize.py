"""Embeddings whose elements have given orientations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Side
from samapprox.proofs.checks.orientation_clauses import sign_matrix
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.solvers.backends.blas import one_blas_thread
from samapprox.solvers.embeddings.logistic import homogeneous, widen, wrong_places
from samapprox.solvers.embeddings.whole_numbers import whole_numbers
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.realising.vectors import Configuration, approach

__all__ = ["embedding", "realize"]

Signs = NDArray[np.int8]

_PATIENCE = 10.0  # with the first start; with each later one twice as much


def realize(
    problem: Problem, orientations: Signs, elements: Side, search: Search
) -> Embedding | str:
    """Look for an embedding whose elements have the given orientations.

    If points have these orientations, which satisfy the clauses of the pattern, then its rows are
    covectors: by Farkas' lemma some halfspace has the signs of a row unless a circuit forbids it.
    See `samapprox.solvers.orientations.realising.vectors.approach` for the search.
    """
    covectors = sign_matrix(problem.pattern.to_array(), elements)
    d = min(problem.d, covectors.shape[1])  # so many elements need no more dimensions
    rng = np.random.RandomState(search.seed % (1 << 32))
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
