"""Pairs of sign patterns, and the columns that pairs leave, against a plain definition of them."""

from __future__ import annotations

from graphlib import TopologicalSorter
from itertools import combinations

import numpy as np
from helpers.truth.sign_patterns import SIGNS, SignPattern, opposed, up
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox.proofs.refutations.orientation_clauses import binomials
from samapprox.solvers.refutations.elimination import cycles
from samapprox.solvers.refutations.elimination.elimination_kernel import name_face, number_face
from samapprox.solvers.refutations.elimination.pairing_kernel import (
    UNPAIRED,
    WITH_SMALLER,
    find_partner,
    insert,
)
from samapprox.solvers.refutations.elimination.topology_kernel import list_columns


def pair_within(group: set[SignPattern], at: int, pairs: dict[SignPattern, SignPattern]) -> None:
    """Pair patterns with the first element that leads to another one if it is inserted there."""
    for pattern in group:
        for inner in range(pattern[at - 1] // 2 - 1, pattern[at] // 2, -1):
            found = [(*pattern[:at], 2 * inner + sign, *pattern[at:]) for sign in (1, 0)]
            if any(each in group for each in found):
                pairs[pattern] = next(each for each in found if each in group)
                break


def pair(signs: np.ndarray) -> dict[SignPattern, SignPattern]:
    """Pair opposed patterns with one more element: the largest, the second, or the third largest.

    An element that may have both signs gets the one unlike the smallest element, or the largest.
    """
    elements = signs.shape[1]
    every = set().union(*(opposed(signs, size) for size in range(1, elements + 1)))
    pairs: dict[SignPattern, SignPattern] = {}
    for pattern in every:
        for top in range(elements - 1, pattern[0] // 2, -1):
            unlike = 2 * top + 1 - pattern[-1] % 2
            found = [up((sign, *pattern)) for sign in (unlike, unlike ^ 1)]
            if any(each in every for each in found):
                pairs[pattern] = next(each for each in found if each in every)
                break
    rest = {each for each in every if each not in {*pairs, *pairs.values()} and len(each) > 1}
    groups: dict[tuple[int, ...], set[SignPattern]] = {}
    for pattern in rest:
        twin = pairs[up(pattern[1:])][0] == pattern[0]
        groups.setdefault((pattern[0], twin), set()).add(pattern)
    for group in groups.values():
        pair_within(group, 1, pairs)
    left: dict[tuple[int, ...], set[SignPattern]] = {}
    paired = {*pairs, *pairs.values()}
    for (top, twin), group in groups.items():
        for pattern in group - paired:
            if len(pattern) > 2:
                smaller = pairs.get((top, *pattern[2:]), (top, -1))
                twins = smaller[1] // 2 == pattern[1] // 2
                left.setdefault((top, twin, pattern[1], twins), set()).add(pattern)
    for group in left.values():
        pair_within(group, 2, pairs)
    return pairs


@settings(deadline=None)
@given(SIGNS)
def test_pairs_are_disjoint_and_acyclic(signs: np.ndarray) -> None:
    """From a pattern to its partner, from there to a face with a partner of its own, and so on."""
    pairs = pair(signs)
    lower, upper = set(pairs), set(pairs.values())
    assert len(lower) == len(upper)
    assert lower.isdisjoint(upper)
    faces = {
        each: {up(face) for face in combinations(pairs[each], len(each))} & lower - {each}
        for each in lower
    }
    assert set(TopologicalSorter(faces).static_order()) == lower  # raises if there is a cycle


@settings(deadline=None)
@given(SIGNS, st.integers(2, 4), st.integers(1, 50))
def test_all_columns_are_listed_once(signs: np.ndarray, size: int, steps: int) -> None:
    """Wherever it pauses: all that have no partner, in any order."""
    elements = signs.shape[1]
    if size > elements:
        return
    bits, stack = cycles.start_listing(signs, size)
    listed: list[SignPattern] = []
    room = np.zeros((2, size), dtype=np.int64)
    while stack.place[0] >= 0:
        count = list_columns(bits, stack, room, steps)
        listed += map(tuple, room[:count].tolist())
    pairs = pair(signs)
    wanted = opposed(signs, size) - set(pairs) - set(pairs.values())
    assert set(listed) == wanted
    assert len(listed) == len(wanted)


@settings(deadline=None)
@given(SIGNS, st.integers(2, 4), st.booleans())
def test_each_face_has_its_partner(signs: np.ndarray, size: int, ranked: bool) -> None:
    """The numbers of faces name them in lexicographic order, and partners are as defined."""
    elements = signs.shape[1]
    if size > elements:
        return
    code, stack = cycles.start_listing(signs, size)
    table, bits = binomials(elements, size), 0 if ranked else 3
    pairs = pair(signs)
    numbers = []
    for face in sorted(opposed(signs, size - 1), key=lambda face: [e // 2 for e in face]):
        numbers.append(number_face(np.array([0, *face]), 0, table, bits))
        pattern = np.zeros(size, dtype=np.int64)
        name_face(numbers[-1], pattern, table, bits)
        assert tuple(pattern[1:].tolist()) == face
        partner = find_partner(pattern, code, stack.room_sets, stack.room_masks)
        if face in pairs:
            place = insert(pattern, partner)
            assert tuple(pattern.tolist()) == pairs[face]
            assert up(np.delete(pattern, place).tolist()) == face
        else:
            assert partner == (WITH_SMALLER if face in pairs.values() else UNPAIRED)
    assert len(set(numbers)) == len(numbers)
    assert [n >> (size - 2) for n in numbers] == sorted(n >> (size - 2) for n in numbers)
