"""The matching tree: its pairs, what they leave, and how faces are replaced, in small systems."""

from __future__ import annotations

import numpy as np
from helpers.truth.sign_patterns import SIGNS, SignPattern, opposed, up
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox.solvers.refutations import matching_kernel, tree_cycles
from samapprox.solvers.refutations.elimination_kernel import find
from samapprox.solvers.refutations.flow_kernel import forget
from samapprox.solvers.refutations.partners_kernel import WITH_SMALLER, find_partner, insert
from samapprox.solvers.refutations.tree_cycles import Growth


def faces(pattern: SignPattern) -> list[SignPattern]:
    """The face without each place."""
    return [up(pattern[:place] + pattern[place + 1 :]) for place in range(len(pattern))]


def grow_tree(signs: np.ndarray, size: int, steps: int = 1_000) -> tuple[Growth, list[SignPattern]]:
    """The complete tree, and the columns without a partner as they are written."""
    growth = Growth(signs, size)
    written: list[SignPattern] = []
    while not growth.is_complete:
        found = growth.go(matching_kernel, steps)
        assert found is not None
        written += map(tuple, found.tolist())
    return growth, written


def find_pairs(growth: Growth, rows: set[SignPattern]) -> dict[SignPattern, tuple[int, int, int]]:
    """The partner of each row, as the tree has it, the rank and the places that were decided."""
    marks = growth.numbering.marks
    return {row: find_partner(np.array([0, *row]), growth.tree, marks) for row in rows}


def partner_of(row: SignPattern, element: int) -> tuple[SignPattern, int]:
    """The row and one more signed element, and the place of this element."""
    pattern = np.array([0, *row])
    place = insert(pattern, element)
    return tuple(pattern.tolist()), place


@settings(deadline=None)
@given(SIGNS, st.integers(2, 4))
def test_pairs_are_disjoint_and_acyclic(signs: np.ndarray, size: int) -> None:
    """From a row to its partner, and from there to another face with a partner, ranks go down."""
    if size > signs.shape[1]:
        return
    growth, written = grow_tree(signs, size)
    rows, columns = opposed(signs, size - 1), opposed(signs, size)
    pairs = find_pairs(growth, rows)
    partners = []
    for row, (element, rank, decided) in pairs.items():
        if element < 0:
            continue
        partner, place = partner_of(row, element)
        partners.append(partner)
        others = faces(partner)
        assert others.pop(place) == row
        for left_out, face in enumerate(others):  # without the same place of the row
            if decided >> (left_out + 1) & 1:
                assert pairs[face][0] < 0 or pairs[face][1] < rank
            else:
                assert pairs[face][0] == WITH_SMALLER
    assert set(partners) <= columns
    assert len(set(partners)) == len(partners)
    assert set(partners).isdisjoint(written)


@settings(deadline=None)
@given(SIGNS, st.integers(3, 4))
def test_rows_with_a_smaller_partner_are_its_columns(signs: np.ndarray, size: int) -> None:
    """A row that is left out is the partner of one of its own faces, in the same tree."""
    if size > signs.shape[1]:
        return
    growth, _ = grow_tree(signs, size)
    of_rows = find_pairs(growth, opposed(signs, size - 1))
    below = find_pairs(growth, opposed(signs, size - 2))
    taken = {
        partner_of(face, element)[0] for face, (element, _, _) in below.items() if element >= 0
    }
    assert {row for row, (element, _, _) in of_rows.items() if element == WITH_SMALLER} <= taken


@settings(deadline=None)
@given(SIGNS, st.integers(2, 4), st.integers(1, 50))
def test_columns_are_written_once_wherever_it_pauses(
    signs: np.ndarray, size: int, steps: int
) -> None:
    if size > signs.shape[1]:
        return
    _, written = grow_tree(signs, size, steps)
    assert written == grow_tree(signs, size)[1]
    assert len(set(written)) == len(written)
    assert set(written) <= opposed(signs, size)


@settings(deadline=None)
@given(SIGNS, st.integers(2, 4))
def test_counts_agree_with_the_euler_characteristic(signs: np.ndarray, size: int) -> None:
    """Columns of the largest size that occurs: each is written, or the partner of a row."""
    elements = signs.shape[1]
    if size > elements or (size < elements and opposed(signs, size + 1)):
        return
    growth, written = grow_tree(signs, size)
    paired = [
        each for each in find_pairs(growth, opposed(signs, size - 1)).values() if each[0] >= 0
    ]
    assert len(written) + len(paired) == len(opposed(signs, size))


@given(st.lists(st.tuples(st.integers(0, 20), st.booleans()), max_size=60))
def test_keys_of_a_hash_table_may_be_forgotten(changes: list[tuple[int, bool]]) -> None:
    keys, values = np.zeros(32, dtype=np.int64), np.full(32, -1, dtype=np.int32)
    wanted: dict[int, int] = {}
    for number, (key, remembered) in enumerate(changes):
        place = find(key, keys, values)
        if remembered:
            keys[place], values[place] = key, number
            wanted[key] = number
        elif wanted.pop(key, None) is not None:
            forget(place, keys, values)
        for each in range(21):
            assert values[find(each, keys, values)] == wanted.get(each, -1)


def test_unpacked_bits_are_in_order() -> None:
    words = np.array([[1 << 3, 1], [1 << 63, 0]], dtype=np.uint64)
    assert np.argwhere(tree_cycles._unpack(words)).tolist() == [[0, 3], [0, 64], [1, 63]]
