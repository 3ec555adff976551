"""Final polynomials by linear programming: found where all inequalities have one, and small."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from samapprox.proofs.refutations.final_polynomial import TERM_SIGNS, FinalPolynomial
from samapprox.proofs.refutations.orientation_clauses import (
    subset_ranks,
    subsets_of,
    three_term_relations,
)
from samapprox.reductions.families.arrangements import _extended, _nearly_pappus
from samapprox.reductions.oriented_matroid import OrientedMatroid, orientations
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.biquadratic import (
    _join,
    _list_pairs_of_arcs,
    final_polynomial,
    final_polynomial_of_part,
    least_elements,
)

Chi = NDArray[np.int8]


def pseudolines(seed: int, more: int) -> Chi:
    """Return orientations of nine elements or more, of which many have no vectors."""
    rng = np.random.RandomState(seed)
    matroid = _nearly_pappus(int(rng.choice([0, 511, rng.randint(512)])))
    for _ in range(more):
        matroid = _extended(matroid, rng)
    return np.append(np.int8(0), matroid.signs)


def has_multipliers(chi: Chi, elements: int, rank: int) -> bool:
    """Return whether all inequalities, two for each relation, have Farkas' multipliers."""
    terms = three_term_relations(elements, rank).variables.reshape(-1, 3, 2)
    values = chi[terms].prod(axis=2) * TERM_SIGNS
    alone = np.argmax(values != np.sign(values.sum(axis=1))[:, None], axis=1)
    matrix = np.zeros((2 * len(terms), len(chi)))
    rows = np.arange(len(terms))
    for at in (1, 2):
        for bracket in (0, 1):
            np.add.at(matrix, (2 * rows + at - 1, terms[rows, alone, bracket]), 1)
            np.add.at(matrix, (2 * rows + at - 1, terms[rows, (alone + at) % 3, bracket]), -1)
    found = linprog(
        np.zeros(len(matrix)),
        A_eq=np.vstack([matrix.T, np.ones(len(matrix))]),
        b_eq=np.append(np.zeros(len(chi)), 1.0),
    )
    return bool(found.status == 0)


def elements_of(polynomial: FinalPolynomial) -> set[int]:
    return {element for step in polynomial.steps for element in (*step.fixed, *step.four)}


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31), st.integers(0, 2))
def test_it_finds_one_if_and_only_if_all_inequalities_have_multipliers(
    seed: int, more: int
) -> None:
    chi = pseudolines(seed, more)
    found = final_polynomial(chi, 9 + more, 3, Search())
    assert (found is not None) == has_multipliers(chi, 9 + more, 3)
    if found is not None:
        assert found.find_fault(9 + more, 3) is None
        assert all(chi[abs(sign)] == np.sign(sign) for sign in found.signs)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from([(2, 6), (3, 7), (3, 8), (4, 7), (5, 8)]))
def test_vectors_never_have_one(seed: int, size: tuple[int, int]) -> None:
    rank, elements = size
    subsets = subsets_of(elements, rank)
    vectors = np.random.RandomState(seed).standard_normal((elements, rank))
    chi = np.zeros(1 + comb(elements, rank), dtype=np.int8)
    chi[1 + subset_ranks(subsets)] = np.sign(np.linalg.det(vectors[subsets]))
    assert final_polynomial(chi, elements, rank, Search()) is None


def test_too_few_vectors_for_a_relation_have_none() -> None:
    chi = np.array([0, 1, 1, -1], dtype=np.int8)
    assert final_polynomial(chi, 3, 2, Search()) is None


@pytest.mark.parametrize("more", [1, 2])
def test_elements_that_take_little_part_are_left_out(more: int) -> None:
    """Nine elements contradict each other; most polynomials of more are found on these alone."""
    found = []
    for seed in range(6):
        rng = np.random.RandomState(seed)
        matroid = _nearly_pappus(0)
        for _ in range(more):
            matroid = _extended(matroid, rng)
        chi = np.append(np.int8(0), matroid.signs)
        polynomial = final_polynomial(chi, 9 + more, 3, Search())
        assert polynomial is not None
        found.append(len(elements_of(polynomial)))
    assert sum(size == 9 for size in found) >= 3


@given(st.dictionaries(st.integers(0, 19), st.integers(1, 5), max_size=12))
def test_joined_arcs_have_the_same_sum(chosen: dict[int, int]) -> None:
    size = 8
    pairs = _list_pairs_of_arcs(size)
    assert len(pairs) == size * (size - 3) // 2
    powers = {}
    for at, power in chosen.items():
        i, j, k, m = pairs[at].tolist()
        powers[(i, j), (k, m)] = power
    joined = _join(dict(powers))

    def total(inequalities: dict[tuple[tuple[int, int], tuple[int, int]], int]) -> Chi:
        sums = np.zeros((size, size), dtype=np.int64)
        for ((i, j), (k, m)), power in inequalities.items():
            for one, two, sign in ((i, k, 1), (j, m, 1), (i, m, -1), (j, k, -1)):
                sums[min(one, two), max(one, two)] += sign * power
        return sums

    assert (total(joined) == total(powers)).all()
    assert all(power > 0 for power in joined.values())
    for arcs in joined:
        assert len({place for arc in arcs for place in arc}) == 4


def test_two_neighbours_become_one() -> None:
    assert _join({((0, 1), (2, 3)): 2, ((0, 1), (3, 4)): 3}) == {
        ((0, 1), (2, 4)): 2,
        ((0, 1), (3, 4)): 1,
    }


@pytest.mark.parametrize(("rank", "least"), [(3, 9), (4, 8), (5, 9), (6, 9), (7, 10)])
def test_the_least_sizes_are_those_of_the_classifications(rank: int, least: int) -> None:
    """Rank r on n elements is dual to rank n - r, which has vectors up to rank 2."""
    assert least_elements(rank) == least
    assert least - rank >= 3


@pytest.mark.parametrize("more", [0, 1, 2])
@pytest.mark.parametrize("known", [True, False], ids=["told", "not told"])
def test_the_nine_elements_of_ringel_are_found_among_more(more: int, known: bool) -> None:
    matroid = _nearly_pappus(0)
    rng = np.random.RandomState(more)
    for _ in range(more):
        matroid = _extended(matroid, rng)
    doubtful = np.where(np.arange(matroid.elements) < 9, 2.0 * known, 0.5 * known)
    found = final_polynomial_of_part(matroid.signs, doubtful, 3, rng, Search())
    assert found is not None
    assert found.find_fault(matroid.elements, 3) is None
    # The orientations have all the signs that contradict each other.
    assert all(matroid.signs[abs(sign) - 1] == np.sign(sign) for sign in found.signs)
    if known:
        names = {element for step in found.steps for element in (*step.fixed, *step.four)}
        assert names <= set(range(9))


@settings(max_examples=10)
@given(st.sampled_from([(3, 9), (4, 8), (4, 9), (5, 9)]), st.integers(0, 2**31))
def test_vectors_have_none(size: tuple[int, int], seed: int) -> None:
    rank, elements = size
    vectors = np.random.RandomState(seed).randint(-50, 51, size=(elements, rank))
    assume(0 not in orientations(vectors))
    signs = OrientedMatroid.from_vectors(vectors).signs
    rng = np.random.RandomState(0)
    assert final_polynomial_of_part(signs, np.zeros(elements), rank, rng, Search()) is None
