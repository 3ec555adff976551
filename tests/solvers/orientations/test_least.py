"""Clauses of the least orientations: one of each kind is left, and it is the least."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Problem, data, load
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.refutations.final_polynomial import FinalPolynomial
from samapprox.proofs.refutations.orientation_clauses import circuit_clauses, relation_clauses
from samapprox.proofs.refutations.symmetry import find_images
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.automorphisms import find_automorphisms
from samapprox.solvers.orientations.cores import Core
from samapprox.solvers.orientations.least import Breaker, BrokenClause, move, refute_least
from samapprox.solvers.refutations import polynomials

Flags = np.ndarray
Model = tuple[bool, ...]


def breaker_of(signs: np.ndarray, rank: int) -> Breaker:
    maps = find_automorphisms(signs, Search()).sample(5_000, np.random.RandomState(0))
    return Breaker(maps, rank, Search())


def images(positive: Flags, breaker: Breaker, rank: int) -> set[Model]:
    """All images of some orientations and their mirror images, by the checker's formula."""
    moved = _image_literals(breaker, len(positive), rank)
    found = positive[np.abs(moved) - 1] == (moved > 0)
    return {tuple(image) for image in np.concatenate([found, ~found]).tolist()}


@lru_cache(maxsize=1)
def _image_literals(breaker: Breaker, orientations: int, rank: int) -> np.ndarray:
    elements = breaker.maps.shape[1] // 2
    return np.array(
        [
            find_images(
                range(1, 1 + orientations),
                each % elements,
                np.where(each < elements, 1, -1).astype(np.int8),
                rank,
            )
            for each in breaker.maps[:, :elements]
        ]
    )


def satisfies(positive: Flags, clauses: list[tuple[int, ...]]) -> bool:
    return all(any(positive[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses)


def broken(models: list[Flags], breaker: Breaker) -> list[BrokenClause]:
    return [clause for model in models for clause in breaker.violated(model, 3)]


SYMMETRIC = {
    "an identity": np.vstack([np.ones((1, 4)), 2 * np.eye(4) - 1]),
    "a cycle": np.array([np.roll([1, 1, -1, -1, -1], shift) for shift in range(5)]),
    "with stars": np.array([np.roll([1, 0, -1, 1, 1], shift) for shift in range(5)]),
}


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        *[("an identity", 2), ("an identity", 3), ("with stars", 3)],
        *[
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [("a cycle", 2), ("a cycle", 3), ("with stars", 2)]
        ],
    ],
)
def test_of_all_orientations_one_of_each_kind_is_left(name: str, rank: int) -> None:
    """Every assignment, consistent or not: each orbit keeps its least member and no other."""
    signs = SYMMETRIC[name].astype(np.int8)
    count = comb(signs.shape[1], rank)
    breaker = breaker_of(signs, rank)
    models = [np.array(each) for each in product([True, False], repeat=count)]
    orbits = {frozenset(images(model, breaker, rank)) for model in models}
    assert 1 < len(orbits) < len(models) / 2
    clauses = broken(models, breaker)
    symmetry = breaker.symmetry(clauses)
    assert symmetry is not None
    assert symmetry.find_fault(signs, rank) is None
    literals = [clause.literals for clause in clauses]
    left = {tuple(model.tolist()) for model in models if satisfies(model, literals)}
    assert left == {max(orbit) for orbit in orbits}  # true is less than false


@pytest.mark.parametrize("rank", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_consistent_orientations_are_kept_by_every_automorphism(rank: int) -> None:
    signs = SYMMETRIC["a cycle"].astype(np.int8)
    clauses = [tuple(clause) for clause in circuit_clauses(signs, rank).tolist()]
    clauses += [tuple(clause) for clause in relation_clauses(5, rank).tolist()]
    breaker = breaker_of(signs, rank)
    for each in product([True, False], repeat=comb(5, rank)):
        model = np.array(each)
        fits = satisfies(model, clauses)
        assert all(satisfies(np.array(i), clauses) == fits for i in images(model, breaker, rank))


def planted(rng: np.random.RandomState, rank: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Vectors and covectors that a rotation of the coordinates permutes, in general position."""
    turn = np.roll(np.eye(rank, dtype=np.int64), 1, axis=0)
    turn[0] *= rng.choice([1, -1])

    def orbits(count: int) -> np.ndarray:
        seeds = rng.randint(-9, 10, size=(count, rank))
        powers = [np.linalg.matrix_power(turn, k) for k in range(rank)]
        return np.concatenate([seeds @ power for power in powers])

    elements, covectors = orbits(2), orbits(3)
    signs = np.sign(covectors @ elements.T).astype(np.int8)
    return (elements, signs) if (signs != 0).all() else None


@settings(max_examples=10, deadline=None)
@given(st.integers(2, 4), st.integers(0, 2**31))
def test_no_clause_excludes_the_least_orientations_of_planted_vectors(rank: int, seed: int) -> None:
    rng = np.random.RandomState(seed)
    made = planted(rng, rank)
    if made is None:
        return
    elements, signs = made
    subsets = sorted(combinations(range(len(elements)), rank), key=lambda s: s[::-1])
    values = [round(float(np.linalg.det(elements[list(subset)]))) for subset in subsets]
    if not all(values):
        return
    breaker = breaker_of(signs, rank)
    assert len(breaker.maps) >= 2 * rank
    least = np.array(max(images(np.array(values) > 0, breaker, rank)))
    models = [rng.rand(len(values)) < 0.5 for _ in range(200)]
    clauses = broken(models, breaker)
    symmetry = breaker.symmetry(clauses)
    assert symmetry is not None
    assert symmetry.find_fault(signs, rank) is None
    assert satisfies(least, [clause.literals for clause in clauses])
    # Flip elements so that covector 0 is the row of ones that every pattern has.
    entries = ((signs * signs[0])[1:] > 0).astype(np.int8)
    core = Core(rank - 1, entries, "columns", *(list(range(size)) for size in entries.shape))
    found = refute_least(core, breaker_of(core.signs, rank), Search())
    assert isinstance(found, str)


def test_without_time_some_automorphisms_are_left() -> None:
    signs = np.array([np.roll([1] * 3 + [-1] * 17, shift) for shift in range(20)], dtype=np.int8)
    maps = find_automorphisms(signs, Search()).sample(5_000, np.random.RandomState(0))
    breaker = Breaker(np.repeat(maps, 50, axis=0), 4, Search(deadline=0.0))
    model = np.zeros(comb(20, 4), dtype=np.bool_)
    assert all(clause.automorphism < len(maps) * 50 for clause in breaker.violated(model, 5))


PROBLEM = Problem(load(data.path("oriented-matroids/rank3_n9_2173.npz")), 2)


def polynomial() -> FinalPolynomial:
    found = polynomials.find_proof(PROBLEM, Search())
    assert isinstance(found, Chirotope)
    return found.polynomials[0]


POLYNOMIAL = polynomial()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.integers(9, 11))
def test_every_image_under_a_signed_permutation_is_one(seed: int, elements: int) -> None:
    rng = np.random.RandomState(seed)
    identity = np.arange(2 * elements)
    nodes = rng.permutation(elements) + elements * (rng.rand(elements) < 0.5)
    moved = np.concatenate([nodes, (nodes + elements) % (2 * elements)])
    breaker = Breaker(np.array([identity, moved]), 3, Search())
    images = breaker.images(POLYNOMIAL.clause)
    assert len(images.literals) == 4  # it, its image, and the mirror images of both
    assert sorted(POLYNOMIAL.clause) in images.literals.tolist()
    for literals, automorphism in zip(images.literals, images.automorphisms, strict=True):
        permutation = breaker.permutation(int(automorphism))
        image = move(POLYNOMIAL, (-literals).tolist(), permutation)
        assert image.find_fault(elements, 3) is None
        assert sorted(image.clause) == literals.tolist()


def test_with_the_permutation_of_another_image_it_is_refused() -> None:
    breaker = Breaker(np.array([[*range(1, 9), 0, *range(10, 18), 9]]), 3, Search())
    images = breaker.images(POLYNOMIAL.clause)
    wrong = move(POLYNOMIAL, (-images.literals[0]).tolist(), np.arange(9))
    assert wrong.find_fault(9, 3) is not None
