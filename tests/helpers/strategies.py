"""Hypothesis strategies for patterns."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

Entries = NDArray[np.uint8]


@st.composite
def valid_entries(draw: st.DrawFn, most_rows: int = 7, most_columns: int = 7) -> Entries:
    """Any small 0/1 matrix with a 1 in every row."""
    shape = draw(st.tuples(st.integers(1, most_rows), st.integers(1, most_columns)))
    entries = draw(hnp.arrays(np.uint8, shape, elements=st.integers(0, 1)))
    empty = entries.sum(axis=1) == 0
    entries[empty, draw(st.integers(0, shape[1] - 1))] = 1
    return entries


@st.composite
def square_entries(draw: st.DrawFn, most: int) -> Entries:
    """Any small square 0/1 matrix with a 1 in every row."""
    size = draw(st.integers(1, most))
    entries = draw(hnp.arrays(np.uint8, (size, size), elements=st.integers(0, 1)))
    entries[entries.sum(axis=1) == 0, draw(st.integers(0, size - 1))] = 1
    return entries


@st.composite
def line_entries(draw: st.DrawFn, most_rows: int = 8, most_columns: int = 8) -> Entries:
    """Ends of one column order: YES in dimension 1."""
    rows = draw(st.integers(1, most_rows))
    columns = draw(st.integers(1, most_columns))
    position = np.array(draw(st.permutations(range(columns))))
    lengths = draw(st.lists(st.integers(1, columns), min_size=rows, max_size=rows))
    ends = draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
    return np.array(
        [
            (position < length) if first else (position >= columns - length)
            for length, first in zip(lengths, ends, strict=True)
        ],
        dtype=np.uint8,
    )


def nearly_line_entries() -> st.SearchStrategy[Entries]:
    """Ends of one column order, with one entry flipped (where the row keeps a 1)."""

    def flip(entries: Entries, row: int, column: int) -> Entries:
        changed = entries.copy()
        row, column = row % len(entries), column % entries.shape[1]
        changed[row, column] ^= 1
        return changed if changed[row].any() else entries

    return st.builds(flip, line_entries(), st.integers(0, 99), st.integers(0, 99))


def any_entries() -> st.SearchStrategy[Entries]:
    """A mixture that has both answers often."""
    return st.one_of(valid_entries(), line_entries(), nearly_line_entries())
