"""Rows and columns by number and name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError

__all__ = ["as_lines", "as_names", "choose_names", "label"]


def as_lines(
    chosen: Sequence[int] | NDArray[np.integer], size: int, kind: str
) -> NDArray[np.int64]:
    """Return chosen rows or columns as an array.

    `size`: the number of rows or columns of the matrix. Raises IndexError: A number outside 0..size
    - 1.

    >>> as_lines([2, 0], 3, "row").tolist()
    [2, 0]
    """
    lines = np.asarray(chosen, dtype=np.int64)
    outside = lines[(lines < 0) | (lines >= size)]
    if outside.size:
        raise IndexError(f"{kind} {outside[0]} is outside a pattern of {size} {kind}s")
    return lines


def as_names(names: Sequence[str] | None, size: int, kind: str) -> tuple[str, ...] | None:
    """Return the names of all rows or columns.

    `size`: the number of rows or columns of the matrix. Raises InputError: too many or too few
    names.

    >>> as_names(["q1", "q2"], 2, "row")
    ('q1', 'q2')
    """
    if names is None:
        return None
    if len(names) != size:
        raise InputError(f"{len(names)} {kind} names for {size} {kind}s; give one each")
    return tuple(map(str, names))


def choose_names(names: tuple[str, ...] | None, lines: NDArray[np.int64]) -> list[str] | None:
    """Return the names of chosen rows or columns.

    >>> choose_names(("a", "b", "c"), np.array([2, 0]))
    ['c', 'a']
    """
    return None if names is None else [names[line] for line in lines.tolist()]


def label(kind: str, index: int, names: tuple[str, ...] | None) -> str:
    """Return the number of a row or column, and its name if it has one, as messages show it.

    >>> label("row", 0, ("q7",)), label("column", 1, None)
    ("row 0 ('q7')", 'column 1')
    """
    return f"{kind} {index}" if names is None else f"{kind} {index} ({names[index]!r})"
