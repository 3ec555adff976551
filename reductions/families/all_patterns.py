"""All small patterns, or one of each class up to the order of rows and columns.

A row is a number, with bit j for column j. The classes of m rows come from those of m - 1 rows, to
each of which every row is added. The least image under all orders of the columns, its rows sorted,
stands for its class.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray

from samapprox.instance import Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import Origin, require_shape
from samapprox.support.parameters import require

_SYMMETRIES = ("none", "order", "complements")
"""Patterns that count as one: none; those that differ by the order of rows and of columns; and also
those that differ by complements of rows."""

_MOST_COLUMNS = 7  # whose 5,040 orders are all tried
_MOST_PATTERNS = 10**7  # up to the order of rows, from which classes are made

_Rows = NDArray[np.int64]


def all_patterns(
    rows: int = 3, columns: int = 4, symmetry: str = "order", number: int = 0
) -> Instance:
    """Make one of all patterns of a shape, or one of each class of them up to symmetry.

    Parameters
    ----------
    rows : int
        Number of queries.
    columns : int
        Number of keys, at most 7.
    symmetry : str
        What is counted once: each pattern (none), patterns up to the order of rows and columns
        (order), or also up to complements of rows (complements), which keep the least dimension for
        dot products and cosines, but not for Euclidean distances.
    number : int
        Chooses the instance, from 0 on.

    Notes
    -----
    A row of zeros is no row of a pattern; the complement of a row of ones is that row itself. The
    classes are made once in a process: 863 of the 4 x 5 patterns take less than a second.

    Examples
    --------
    >>> count_patterns(2, 2)
    4
    >>> [all_patterns(2, 2, number=at).pattern.to_text().split() for at in range(4)]
    [['10', '10'], ['10', '01'], ['10', '11'], ['11', '11']]
    """
    count = count_patterns(rows, columns, symmetry)
    require(0 <= number < count, f"number must be in 0..{count - 1}, not {number}")
    if symmetry == "none":
        base = (1 << columns) - 1
        codes = [number // base**row % base + 1 for row in range(rows)]
    else:
        codes = _classes(rows, columns, symmetry)[number].tolist()
    entries = [[code >> column & 1 for column in range(columns)] for code in codes]
    origin: Origin = {"family": "all", "rows": rows, "columns": columns}
    origin |= {"symmetry": symmetry, "number": number}
    return Instance(Pattern.from_array(entries), (), origin)


def count_patterns(rows: int = 3, columns: int = 4, symmetry: str = "order") -> int:
    """Return the number of patterns, or of classes, that `all_patterns` makes.

    Parameters
    ----------
    rows, columns, symmetry
        As for `all_patterns`.

    Raises
    ------
    InputError
        The shape has too many patterns.

    Examples
    --------
    >>> [count_patterns(2, 2, symmetry) for symmetry in _SYMMETRIES]
    [9, 4, 3]
    """
    require_shape(rows, columns)
    require(
        symmetry in _SYMMETRIES, f"symmetry must be one of {', '.join(_SYMMETRIES)}, not {symmetry}"
    )
    require(columns <= _MOST_COLUMNS, f"columns must be in 1..{_MOST_COLUMNS}, not {columns}")
    kinds = (1 << columns) - 1
    require(
        comb(kinds + rows - 1, rows) <= _MOST_PATTERNS,
        f"{rows} x {columns} has more than {_MOST_PATTERNS} patterns up to the order of rows",
    )
    return kinds**rows if symmetry == "none" else len(_classes(rows, columns, symmetry))


@lru_cache(maxsize=8)
def _classes(rows: int, columns: int, symmetry: str) -> _Rows:
    """Return the rows of one pattern of each class, sorted."""
    numbers, images = _images(columns, complements=symmetry == "complements")
    found = np.zeros((1, 0), dtype=np.int64)
    for _ in range(rows):
        more = np.tile(np.arange(len(numbers)), len(found))[:, None]
        found = _distinct(np.hstack([np.repeat(found, len(numbers), axis=0), more]), images)
    return numbers[found]


def _images(columns: int, *, complements: bool) -> tuple[_Rows, _Rows]:
    """Return the rows, and the place of each row's image among them under every column order.

    With complements, a row stands for itself and its complement: the one without the last column,
    but the row of ones for the zeros.
    """
    full, last = (1 << columns) - 1, columns - 1
    numbers = np.arange(1, 1 << last if complements else full + 1)
    if complements:
        numbers = np.append(numbers, full)
    place = np.zeros(full + 1, dtype=np.int64)
    place[numbers] = np.arange(len(numbers))
    if complements:
        place[full - numbers[:-1]] = np.arange(len(numbers) - 1)
    orders = np.array(list(permutations(range(columns))))
    assert len(orders) == factorial(columns)
    moved = np.zeros((len(orders), len(numbers)), dtype=np.int64)
    for column in range(columns):
        moved |= (numbers >> column & 1) << orders[:, column, None]
    return numbers, place[moved]


def _distinct(patterns: _Rows, images: _Rows) -> _Rows:
    """Return the least images of patterns of row places under all orders of columns, once each."""
    rows, kinds = patterns.shape[1], images.shape[1]
    weights = kinds ** np.arange(rows - 1, -1, -1, dtype=np.int64)
    least = np.full(len(patterns), np.iinfo(np.int64).max)
    for image in images:
        np.minimum(least, np.sort(image[patterns], axis=1) @ weights, out=least)
    distinct: _Rows = np.unique(least)[:, None] // weights % kinds
    return distinct
