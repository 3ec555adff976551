"""Borders of parts: found whenever there is one, and only real ones."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Pattern
from samapprox.pattern import UNSPECIFIED
from samapprox.solvers.division import parts as borders
from samapprox.solvers.division.parts import find_components, find_outside, join_unforced


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """Sparse enough to fall into components."""
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    kinds = st.sampled_from([0, 0, 0, 1, UNSPECIFIED] if draw(st.booleans()) else [0, 0, 1])
    entries = np.array([[draw(kinds) for _ in range(columns)] for _ in range(rows)])
    entries[(entries != 1).all(axis=1), draw(st.integers(0, columns - 1))] = 1
    return Pattern(np.where(entries == UNSPECIFIED, 0, entries), entries != UNSPECIFIED)


def is_border(pattern: Pattern, rows: list[int], columns: list[int], at: tuple[int, int]) -> bool:
    entries = pattern.to_array()
    row, column = at
    return (
        entries[row, column] == 1
        and (entries[row, columns] == 0).all()
        and (entries[rows, column] == 0).all()
    )


def lines_of(pattern: Pattern, part: int) -> tuple[list[int], list[int]]:
    parts = find_components(pattern)
    rows = np.flatnonzero(parts.part_of_row == part)
    return rows.tolist(), parts.columns[parts.parts == part].tolist()


@given(patterns())
def test_a_border_is_found_if_there_is_one(pattern: Pattern) -> None:
    parts = find_components(pattern)
    places = list(np.ndindex(pattern.shape))
    for part in range(parts.count):
        rows, columns = lines_of(pattern, part)
        found = find_outside(pattern, np.array(rows), np.array(columns))
        exists = any(is_border(pattern, rows, columns, at) for at in places)
        assert (found is not None) == exists
        assert found is None or is_border(pattern, rows, columns, found)


@given(patterns())
def test_joined_parts_have_borders_or_are_one(pattern: Pattern) -> None:
    before, joined = find_components(pattern), join_unforced(pattern, find_components(pattern))
    for part in range(before.count):  # no part is cut
        rows, _ = lines_of(pattern, part)
        assert len(set(joined.part_of_row[rows].tolist())) == 1
    if joined.count > 1:
        for part in range(joined.count):
            rows = np.flatnonzero(joined.part_of_row == part)
            columns = joined.columns[joined.parts == part]
            assert find_outside(pattern, rows, columns) is not None


def test_parts_of_large_patterns_are_joined_without_a_search(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    pattern = Pattern.from_text("1000\n0100\n0010\n0*01")
    monkeypatch.setattr(borders, "_MOST_STEPS", 0)
    assert join_unforced(pattern, find_components(pattern)).count == 1
