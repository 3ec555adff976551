"""Lines of the whole pattern that border a part: no row of the part holds the extra column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.solvers.division.parts import Parts

__all__ = ["find_outside", "join_unforced"]

Indices = NDArray[np.int64]

_MOST_STEPS = 1 << 28  # entries looked at to find borders among don't-cares


def find_outside(pattern: Pattern, rows: Indices, columns: Indices) -> tuple[int, int] | None:
    r"""Find a row and a column outside a part that make its border, [S, 0; 0, 1].

    Parameters
    ----------
    pattern : Pattern
    rows, columns : ndarray of int64
        Rows and columns of a part: these rows have ones in these columns alone, others have none.

    Returns
    -------
    (row, column) or None
        The row is 0 on the part's columns, the column is 0 on its rows, and they have a 1 in
        common; all of these entries are specified. None where there are none.

    Notes
    -----
    O(m n) with don't-cares, else O(m + n).

    Examples
    --------
    >>> pattern = Pattern.from_text("100\n01*\n0*1")
    >>> find_outside(pattern, np.array([0]), np.array([0]))
    (1, 1)
    >>> find_outside(Pattern.from_text("10\n*1"), np.array([0]), np.array([0])) is None
    True
    """
    outside = np.ones(pattern.shape[0], dtype=np.bool_)
    outside[rows] = False
    if pattern.unspecified is None:
        if not outside.any():
            return None
        row = int(outside.argmax())
        return row, int(np.flatnonzero(pattern.block(row, row + 1)[0] == 1)[0])
    entries = pattern.to_array()
    outside &= (entries[:, columns] == 0).all(axis=1)
    zero = (entries[rows] == 0).all(axis=0)
    found = np.argwhere((entries[outside] == 1) & zero)
    if not len(found):
        return None
    return int(np.flatnonzero(outside)[found[0, 0]]), int(found[0, 1])


def join_unforced(pattern: Pattern, parts: Parts) -> Parts:
    r"""Join the components that nothing borders into one, with don't-cares.

    Parameters
    ----------
    pattern : Pattern
        With don't-care entries.
    parts : Parts
        Its components.

    Returns
    -------
    Parts
        Each with a border (see `find_outside`), or all in one.

    Examples
    --------
    >>> from samapprox.solvers.division.parts import find_components
    >>> pattern = Pattern.from_text("1000\n0100\n0010\n0*01")
    >>> join_unforced(pattern, find_components(pattern)).part_of_row.tolist()
    [0, 1, 2, 3]
    >>> pattern = Pattern.from_text("10\n*1")
    >>> join_unforced(pattern, find_components(pattern)).part_of_row.tolist()
    [0, 0]
    """
    height, width = pattern.shape
    is_free = np.zeros(parts.count, dtype=np.bool_)
    if parts.count * height * width > _MOST_STEPS:
        return _join(parts, ~is_free)
    for part in range(parts.count):
        own = np.arange(parts.count) == part
        is_free[part] = find_outside(pattern, *_lines_of(parts, own)) is None
    if is_free.any() and find_outside(pattern, *_lines_of(parts, is_free)) is None:
        is_free[:] = True
    return _join(parts, is_free)


def _lines_of(parts: Parts, chosen: NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """Return rows and columns of chosen parts together."""
    rows = np.flatnonzero(chosen[parts.part_of_row])
    return rows, parts.columns[chosen[parts.parts]]


def _join(parts: Parts, chosen: NDArray[np.bool_]) -> Parts:
    """Join chosen parts into one, after all others."""
    if chosen.sum() < 2:
        return parts
    number = np.where(chosen, parts.count, np.arange(parts.count))
    _, part_of_row = np.unique(number[parts.part_of_row], return_inverse=True)
    part_of_row = part_of_row.reshape(-1).astype(np.int64)
    columns = parts.columns[parts.pairs]
    return Parts.of(int(part_of_row.max()) + 1, part_of_row, parts.rows, columns)
