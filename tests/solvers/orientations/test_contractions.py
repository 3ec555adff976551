"""Violated relations, found exactly where the list of all has one, and orders of contractions."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox.proofs.refutations.final_polynomial import TERM_SIGNS
from samapprox.proofs.refutations.orientation_clauses import (
    subset_ranks,
    subsets_of,
    three_term_relations,
)
from samapprox.solvers.orientations.contractions import Contractions, relation_numbers

SIZES = [(4, 2), (7, 2), (5, 3), (7, 3), (8, 4), (8, 5), (8, 6)]


def violated(chi: NDArray[np.int8], elements: int, rank: int) -> NDArray[np.int64]:
    """List all violated relations: those whose three terms have one sign."""
    relations = three_term_relations(elements, rank)
    terms = chi[relations.variables].reshape(-1, 3, 2).prod(axis=2) * TERM_SIGNS
    return np.flatnonzero(abs(terms.sum(axis=1)) == 3)


def orient_vectors(elements: int, rank: int, rng: np.random.RandomState) -> NDArray[np.int8]:
    subsets = subsets_of(elements, rank)
    vectors = rng.standard_normal((elements, rank))
    chi = np.zeros(1 + comb(elements, rank), dtype=np.int8)
    chi[1 + subset_ranks(subsets)] = np.sign(np.linalg.det(vectors[subsets]))
    return chi


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from(SIZES), st.integers(0, 12))
def test_it_finds_one_if_and_only_if_there_is_one(
    seed: int, size: tuple[int, int], flips: int
) -> None:
    rng = np.random.RandomState(seed)
    chi = orient_vectors(*size, rng)
    np.negative.at(chi, 1 + rng.randint(len(chi) - 1, size=flips))
    every = violated(chi, *size)
    found = Contractions(*size).violated(chi, rng)
    assert np.isin(found, every).all()
    assert (len(found) == 0) == (len(every) == 0)
    assert (np.diff(found) > 0).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from(SIZES), st.booleans())
def test_vectors_satisfy_the_inequalities_of_all_arcs(
    seed: int, size: tuple[int, int], fewer: bool
) -> None:
    elements, rank = size
    rng = np.random.RandomState(seed)
    subsets = subsets_of(elements, rank)
    sizes = np.ones(1 + comb(elements, rank))
    determinants = np.linalg.det(rng.standard_normal((elements, rank))[subsets])
    sizes[1 + subset_ranks(subsets)] = determinants
    orders = Contractions(*size).orders(
        np.sign(sizes).astype(np.int8) * (np.arange(len(sizes)) > 0)
    )
    if fewer:
        orders = orders.without(int(rng.randint(elements)))
    lengths = np.abs(sizes)[orders.brackets]
    for i, j, k, m in combinations(range(lengths.shape[1]), 4):
        product = lengths[:, i, k] * lengths[:, j, m]
        assert (product > lengths[:, i, m] * lengths[:, j, k]).all()
        assert (product > lengths[:, i, j] * lengths[:, k, m]).all()


@pytest.mark.parametrize("size", SIZES)
def test_orders_name_the_elements_and_variables_of_their_contraction(size: tuple[int, int]) -> None:
    orders = Contractions(*size).orders(orient_vectors(*size, np.random.RandomState(0))).without(1)
    names = sorted(set(range(size[0])) - {1})
    for fixed, elements, brackets in zip(
        orders.fixed.tolist(), orders.elements.tolist(), orders.brackets, strict=True
    ):
        assert sorted([*fixed, *elements]) == names
        for (one, b), (two, c) in combinations(enumerate(elements), 2):
            subset = np.array(sorted([*fixed, b, c]))
            assert brackets[one, two] == brackets[two, one] == 1 + subset_ranks(subset)


@pytest.mark.parametrize("size", SIZES)
def test_numbers_are_places_in_the_list(size: tuple[int, int]) -> None:
    relations = three_term_relations(*size)
    numbers = relation_numbers(relations.fixed, relations.fours, *size)
    assert numbers.tolist() == list(range(len(relations.fours)))
