"""Vectors with given orientations: found for all that have some, never for others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox.reductions.families.arrangements import _extended, _nearly_pappus
from samapprox.reductions.oriented_matroid import OrientedMatroid, orientations
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.realize import (
    approach,
    cocircuits,
    signs_of_determinants,
    topes,
)

RINGEL = _nearly_pappus(0)
BITS = (6, 10, 14, 20, 30)


def random_matroid(elements: int, rank: int, seed: int) -> OrientedMatroid:
    """Of integer vectors in general position."""
    vectors = np.random.RandomState(seed).randint(-50, 51, size=(elements, rank))
    assume(0 not in orientations(vectors))
    return OrientedMatroid.from_vectors(vectors)


def whole_vectors(matroid: OrientedMatroid, patience: float) -> NDArray[np.int64] | None:
    """Integer vectors with exactly these orientations, or exactly the opposite ones."""
    none = np.zeros((0, matroid.elements), dtype=np.int8)
    rng = np.random.RandomState(0)
    found = approach(matroid.signs, none, matroid.rank, rng, patience, Search())
    for vectors in rounded(found.vectors):
        if same(np.array(orientations(vectors)), matroid):
            return vectors
    return None


def same(signs: NDArray[np.int64], matroid: OrientedMatroid) -> bool:
    return any(np.array_equal(turn * signs, matroid.signs) for turn in (1, -1))


def rounded(vectors: NDArray[np.float64]) -> Iterator[NDArray[np.int64]]:
    unit = vectors / abs(vectors).max(axis=1, keepdims=True)
    for bits in BITS:
        yield np.rint(unit * (1 << bits)).astype(np.int64)


@settings(max_examples=30)
@given(st.integers(2, 5), st.integers(0, 4), st.integers(0, 2**31))
def test_topes_are_those_of_the_oriented_matroid(rank: int, more: int, seed: int) -> None:
    matroid = random_matroid(rank + more, rank, seed)
    found = topes(cocircuits(matroid.signs, matroid.elements, rank))
    assert sorted(found.tolist()) == sorted(matroid.topes().tolist())
    assert len(found) == matroid.tope_pairs


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_sides_of_hyperplanes_are_determinants(rank: int) -> None:
    vectors = np.random.RandomState(rank).normal(size=(6, rank))
    wanted = [
        [0 if j in T else np.sign(np.linalg.det(vectors[[*T, j]])) for j in range(6)]
        for T in combinations(range(6), rank - 1)
    ]
    assert cocircuits(signs_of_determinants(vectors), 6, rank).tolist() == wanted


@settings(max_examples=30)
@given(st.sampled_from([(3, 8), (3, 9), (4, 8), (4, 9), (5, 9)]), st.integers(0, 2**31))
def test_orientations_of_random_vectors_have_vectors(size: tuple[int, int], seed: int) -> None:
    rank, elements = size
    assert whole_vectors(random_matroid(elements, rank, seed), 20.0) is not None


@pytest.mark.parametrize(
    "resolution",
    [
        *range(1, 511, 30),
        *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 511) if k % 30 != 1),
    ],
)
def test_all_stretchable_arrangements_near_pappus_have_vectors(resolution: int) -> None:
    assert whole_vectors(_nearly_pappus(resolution), 100.0) is not None


@pytest.mark.parametrize("resolution", [0, 511])
def test_those_that_are_not_stretchable_have_none(resolution: int) -> None:
    assert whole_vectors(_nearly_pappus(resolution), 30.0) is None


def test_nor_have_arrangements_that_contain_them() -> None:
    extended = _extended(RINGEL, np.random.RandomState(0))
    assert whole_vectors(extended, 10.0) is None


def test_more_topes_than_fit_are_drawn_at_random() -> None:
    """Of 16 vectors in rank 6 there are 9,949 topes; a part of them still fits all covectors."""
    rng = np.random.RandomState(1)
    vectors, normals = rng.normal(size=(16, 6)), rng.normal(size=(20, 6))
    covectors = np.sign(normals @ vectors.T).astype(np.int8)
    found = approach(signs_of_determinants(vectors), covectors, 6, rng, 2.0, Search())
    assert found.arrived
    assert np.array_equal(np.sign(found.normals @ found.vectors.T), covectors)
    assert not np.array_equal(signs_of_determinants(found.vectors), signs_of_determinants(vectors))
