"""Groups of automorphisms: exactly the signed permutations that keep the covectors."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.automorphisms import Group, find_automorphisms

Signs = np.ndarray


def lines(signs: Signs) -> set[tuple[int, ...]]:
    """The covectors and their opposites."""
    return set(map(tuple, np.concatenate([signs, -signs]).tolist()))


def plain_automorphisms(signs: Signs) -> set[tuple[int, ...]]:
    """All signed permutations, tried one by one, as maps of elements and antipodes."""
    elements, every = signs.shape[1], lines(signs)
    found = set()
    for permutation in permutations(range(elements)):
        for flips in product([1, -1], repeat=elements):
            if lines(signs[:, permutation] * np.array(flips)) == every:
                flipped = np.array(flips) < 0
                nodes = np.array(permutation) + elements * flipped
                antipodes = np.array(permutation) + elements * ~flipped
                found.add((*nodes.tolist(), *antipodes.tolist()))
    return found


def members(group: Group) -> set[tuple[int, ...]]:
    return set(map(tuple, group.sample(100_000, np.random.RandomState(0)).tolist()))


@given(st.integers(1, 4), st.integers(1, 5), st.booleans(), st.integers(0, 2**31))
def test_they_are_all_that_there_are(elements: int, covectors: int, stars: bool, seed: int) -> None:
    rng = np.random.RandomState(seed)
    values = [1, -1, 0] if stars else [1, -1]
    signs = rng.choice(values, size=(covectors, elements)).astype(np.int8)
    group = find_automorphisms(signs, Search())
    assert members(group) == plain_automorphisms(signs)
    assert group.order == len(members(group))


@settings(max_examples=30, deadline=None)
@given(st.integers(5, 9), st.integers(0, 2**31))
def test_larger_patterns_keep_their_covectors(elements: int, seed: int) -> None:
    """Circulants, whose rotations must be among the automorphisms."""
    rng = np.random.RandomState(seed)
    row = rng.choice([1, -1], size=elements).astype(np.int8)
    signs = np.array([np.roll(row, shift) for shift in range(elements)])
    maps = find_automorphisms(signs, Search()).sample(500, rng)
    for each in maps:
        flips = np.where(each[:elements] < elements, 1, -1)
        assert lines(signs[:, each[:elements] % elements] * flips) == lines(signs)
    rotation = np.roll(np.arange(elements), 1)
    whole = find_automorphisms(signs, Search())
    if whole.order <= 500:
        assert (*rotation.tolist(), *(rotation + elements).tolist()) in members(whole)


@pytest.mark.parametrize(("n", "order"), [(4, 192), (8, 21_504), (16, 10_321_920)])
def test_hadamard_matrices_have_the_groups_of_the_literature(n: int, order: int) -> None:
    """For n = 2^m: 2 n times the affine group's order, n |GL(m, 2)|."""
    signs = (2 * generate("hadamard", n=n).pattern.to_array() - 1).astype(np.int8)
    assert find_automorphisms(signs, Search()).order == order


def test_a_sample_has_so_many_members_and_starts_with_the_identity() -> None:
    signs = (2 * generate("hadamard", n=16).pattern.to_array() - 1).astype(np.int8)
    maps = find_automorphisms(signs, Search()).sample(1_000, np.random.RandomState(0))
    assert 500 < len(np.unique(maps, axis=0)) == len(maps) <= 1_000
    assert (maps[0] == np.arange(32)).all()


def test_without_time_a_subgroup_is_left() -> None:
    signs = (2 * generate("hadamard", n=8).pattern.to_array() - 1).astype(np.int8)
    assert find_automorphisms(signs, Search(deadline=0.0)).order == 1
