"""Checked shapes and random rows, which the families share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.parameters import require

MOST_ENTRIES = 1 << 30
"""Largest m x n that is generated."""

Bits = NDArray[np.bool_]

Origin = dict[str, int | float | str]
"""The family of an instance and its parameters, by name."""


def require_shape(rows: int, columns: int) -> None:
    """Refuse shapes that are empty or take more than a gigabyte to make."""
    require(rows >= 1 and columns >= 1, f"rows and columns must be >= 1, not {rows}, {columns}")
    require(rows * columns <= MOST_ENTRIES, f"{rows} x {columns} is more than {MOST_ENTRIES}")


def require_side(n: int) -> None:
    """Refuse square shapes as `require_shape` does, with the name of their one parameter."""
    require(n >= 1, f"n must be >= 1, not {n}")
    require_shape(n, n)


def ends(rng: np.random.RandomState, position: NDArray[np.int64], rows: int) -> Bits:
    """Return random nonempty ends of an order of the columns, one a row."""
    columns = len(position)
    lengths = rng.randint(1, columns + 1, size=(rows, 1), dtype=np.int64)
    first = rng.randint(0, 2, size=(rows, 1), dtype=np.int64) == 1
    return np.where(first, position < lengths, position >= columns - lengths)


def fill_empty_rows(rng: np.random.RandomState, entries: Bits) -> None:
    """Give every row without a 1 a single one, anywhere, in place."""
    empty = np.flatnonzero(~entries.any(axis=1))
    entries[empty, rng.randint(0, entries.shape[1], size=len(empty), dtype=np.int64)] = True
