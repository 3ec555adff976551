"""The matching tree: its pairs, what they leave, and how faces are replaced, in small systems."""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise

import numpy as np
import pytest
from helpers.truth.sign_patterns import SIGNS, SignPattern, opposed, up
from hypothesis import example, given, settings
from hypothesis import strategies as st

from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.elimination import cycles, matching_kernel, tree_cycles
from samapprox.solvers.refutations.elimination.elimination_kernel import find, name_face
from samapprox.solvers.refutations.elimination.flow_kernel import forget
from samapprox.solvers.refutations.elimination.partners_kernel import (
    UNDECIDED,
    UNPAIRED,
    WITH_SMALLER,
    find_partner,
    insert,
)
from samapprox.solvers.refutations.elimination.tree_cycles import (
    NO_CYCLE,
    Growth,
    TreeSearch,
    _Flow,
)
from samapprox.support import plain as plain_code

Decided = tuple[int, int, list[int]]


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


def find_pairs(growth: Growth, rows: set[SignPattern]) -> dict[SignPattern, Decided]:
    """The partner of each row, as the tree has it, the rank and the places that were decided."""
    marks, path = growth.numbering.marks, growth.numbering.path
    pairs = {}
    for row in rows:
        found = find_partner(np.array([0, *row]), growth.tree, marks, path)
        places = [place for place in range(len(row)) if path[place + 1] != UNDECIDED or not place]
        pairs[row] = *found, places
        assert not marks.any()
    return pairs


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
            if left_out in decided:
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


def replace_faces(pattern: SignPattern, growth: Growth) -> tuple[set[SignPattern], bool]:
    """The faces that are left of a pattern, and whether oddly many patterns on the way alternate.

    Each face with a partner is replaced by all others of its partner, the highest rank first.
    """
    odd, waiting, left = alternates(pattern), Counter(faces(pattern)), set()
    while waiting:
        pairs = find_pairs(growth, set(waiting))
        row = max(waiting, key=lambda each: pairs[each][1])
        times, element = waiting.pop(row), pairs[row][0]
        if times % 2 and element >= 0:
            partner, place = partner_of(row, element)
            odd ^= alternates(partner)
            others = faces(partner)
            del others[place]
            waiting.update(others)
        elif times % 2 and element == UNPAIRED:
            left.add(row)
    return left, odd


def alternates(pattern: SignPattern) -> bool:
    return all((a ^ b) & 1 for a, b in pairwise(pattern))


@settings(deadline=None)
@given(SIGNS, st.integers(2, 4), st.booleans())
@example(np.array([[1, -1, 1, -1, -1], [-1] * 5, [0, 1, -1, -1, -1]], np.int8), 2, False)
def test_faces_are_replaced_until_none_has_a_partner(
    signs: np.ndarray, size: int, ranked: bool
) -> None:
    """The sums that a flow leaves are those of the definition, one by one, however it numbers."""
    if size > signs.shape[1]:
        return
    growth, written = grow_tree(signs, size)
    if ranked:
        growth.numbering = growth.numbering._replace(bits=0)
    if not written:
        return
    flow = _Flow(growth, np.array(written))
    assert flow.go(Search()) is None
    rows, bounds, odd = flow.columns()
    for number, pattern in enumerate(written):
        left = set()
        for row in rows[bounds[number] : bounds[number + 1]].tolist():
            face = np.zeros(size, dtype=np.int64)
            # Rows are numbers of faces times -1, as elimination takes the largest row first.
            name_face(-row, face, growth.numbering.binomials, growth.numbering.bits)
            left.add(tuple(face[1:].tolist()))
        assert (left, bool(odd[number])) == replace_faces(pattern, growth)


def has_odd_cycle(columns: set[SignPattern]) -> bool:
    """Plain elimination: whether patterns with evenly many of each face alternate oddly often."""
    numbers: dict[SignPattern, int] = {}
    pivots: dict[int, set[int]] = {}
    for pattern in columns:
        column = {numbers.setdefault(face, len(numbers)) for face in faces(pattern)}
        column |= {-1} if alternates(pattern) else set()
        while column and max(column) in pivots:
            column = column ^ pivots[max(column)]
        if column == {-1}:
            return True
        if column:
            pivots[max(column)] = column
    return False


@settings(deadline=None)
@given(SIGNS, st.integers(2, 4))
def test_a_cycle_is_found_if_there_is_one(signs: np.ndarray, size: int) -> None:
    columns = opposed(signs, size)
    found = TreeSearch(np.unique(signs, axis=0), size).resume(Search())
    if isinstance(found, str):
        assert found == NO_CYCLE
        assert not has_odd_cycle(columns)
        return
    cycle = set(map(tuple, found.tolist()))
    assert len(cycle) == len(found)
    assert cycle <= columns
    assert sum(map(alternates, cycle)) % 2 == 1
    assert all(times % 2 == 0 for times in Counter(chain(*map(faces, cycle))).values())


@pytest.mark.parametrize("seed", range(20))
def test_plain_and_compiled_code_find_the_same_cycle(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain Python loses bits of numbers that are 32 bits wide where compiled code does not."""
    random = np.random.RandomState(seed)
    signs = random.choice([-1, 1], size=(random.randint(14, 26), random.randint(7, 10)))
    size, found = random.randint(3, 5), []
    for plain in (0, 1 << 60):
        monkeypatch.setattr(cycles, "_MOST_PLAIN", plain)
        monkeypatch.setattr(plain_code, "_work", Counter())
        found.append(TreeSearch(signs.astype(np.int8), size).resume(Search()))
    if isinstance(found[0], str):
        assert found == [NO_CYCLE, NO_CYCLE]
        return
    compiled, interpreted = found
    assert compiled.tolist() == interpreted.tolist()
    assert len(set(map(tuple, compiled.tolist()))) == len(compiled)


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
