"""The compiled parts of the topological strategy, against plain Python on sets."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from samapprox.proofs.refutations.orientation_clauses import binomials
from samapprox.solvers.refutations.topology_kernel import face_ranks, list_simplices, make_stack

SIGNS = hnp.arrays(
    np.int8, st.tuples(st.integers(1, 7), st.integers(2, 6)), elements=st.sampled_from([-1, 0, 1])
)

Pattern = tuple[int, ...]
"""Elements e, descending, as 2 e for + and 2 e + 1 for -."""


def opposed(signs: np.ndarray, size: int) -> set[Pattern]:
    """All patterns that occur with both signs, the first element as +."""
    found = set()
    for elements in combinations(range(signs.shape[1] - 1, -1, -1), size):
        for values in product([1, -1], repeat=size - 1):
            wanted = np.array([1, *values])
            lines = signs[:, elements]
            if (lines == wanted).all(axis=1).any() and (lines == -wanted).all(axis=1).any():
                found.add(code(elements, wanted))
    return found


def code(elements: tuple[int, ...], signs: np.ndarray) -> Pattern:
    return tuple(2 * e + (s < 0) for e, s in zip(elements, signs.tolist(), strict=True))


def is_extended(pattern: Pattern, larger: set[Pattern], elements: int) -> bool:
    """Whether an element above the largest one makes a longer opposed pattern of it."""
    turned = tuple(each ^ 1 for each in pattern)
    return any(
        (2 * above, *rest) in larger
        for above in range(pattern[0] // 2 + 1, elements)
        for rest in (pattern, turned)
    )


def packed(mask: np.ndarray) -> np.ndarray:
    """The marked covectors of each element, as bits of one word."""
    weights = np.array([1 << at for at in range(len(mask))], dtype=np.uint64)
    return np.array([[(weights * column).sum()] for column in mask.T.astype(np.uint64)])


@settings(deadline=None)
@given(SIGNS, st.integers(2, 4), st.integers(1, 50))
def test_all_patterns_are_listed_once(signs: np.ndarray, size: int, steps: int) -> None:
    """In lexicographic order, wherever it pauses; less those that a larger element extends."""
    elements = signs.shape[1]
    if size > elements:
        return
    stack = make_stack(elements, size, 1)
    plus, minus = packed(signs == 1), packed(signs == -1)
    listed: list[Pattern] = []
    room = np.zeros((2, size), dtype=np.int64)
    while stack[0][0] >= 0:
        count = list_simplices(plus, minus, *stack, room, steps)
        listed += map(tuple, room[:count].tolist())
    larger = opposed(signs, size + 1)
    wanted = {each for each in opposed(signs, size) if not is_extended(each, larger, elements)}
    assert set(listed) == wanted
    assert len(listed) == len(wanted)
    assert [[e // 2 for e in each] for each in listed] == sorted(
        ([e // 2 for e in each] for each in listed), reverse=True
    )


@given(st.integers(3, 7), st.integers(2, 4), st.data())
def test_numbers_of_faces_are_equal_iff_the_faces_are(
    elements: int, size: int, data: st.DataObject
) -> None:
    size = min(size, elements)
    chosen = st.lists(
        st.integers(0, elements - 1), min_size=size, max_size=size, unique=True
    ).flatmap(
        lambda places: st.lists(st.booleans(), min_size=size, max_size=size).map(
            lambda minus: [
                2 * e + m for e, m in zip(sorted(places, reverse=True), minus, strict=True)
            ]
        )
    )
    simplices = np.array(data.draw(st.lists(chosen, min_size=1, max_size=8)), dtype=np.int64)
    faces, odd = face_ranks(simplices, binomials(elements, size))
    assert (np.diff(faces, axis=1) < 0).all()
    named: dict[int, frozenset[frozenset[int]]] = {}
    for simplex, ranks, alternates in zip(simplices.tolist(), faces.tolist(), odd, strict=True):
        kept = [simplex[:at] + simplex[at + 1 :] for at in range(size)]
        up_to_flip = [frozenset({frozenset(f), frozenset(e ^ 1 for e in f)}) for f in kept]
        for rank, face in zip(ranks, up_to_flip, strict=True):
            assert named.setdefault(rank, face) == face
        signs = [e & 1 for e in simplex]
        assert alternates == all(a != b for a, b in pairwise(signs))
    assert len(set(named.values())) == len(named)
