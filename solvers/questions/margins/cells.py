"""Entries of a pattern that symmetries may map to each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Colours are hashed to numbers below this, so that sums of them do not overflow.
_HASHES = 1 << 40


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Numbers of classes: of each row, of each column and of each entry."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    entries: NDArray[np.int64]

    def average(
        self, weights: Floats, rows: Floats, columns: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Replace each weight, and each number of a row or a column, by the mean of its class."""
        return (
            _average(weights, self.entries),
            _average(rows, self.rows),
            _average(columns, self.columns),
        )


def _average(values: Floats, classes: NDArray[np.int64]) -> Floats:
    counts = np.bincount(classes.ravel())
    sums = np.bincount(classes.ravel(), weights=values.ravel())
    return np.asarray((sums / np.maximum(counts, 1))[classes])


def find_cells(entries: NDArray[np.int8]) -> Cells | None:
    """Find cells by refinement of colours, or by the rotations of a circulant pattern.

    Rows of one colour have equally many entries of each value in the columns of each colour, and
    the reverse. None if no two rows and no two columns have the same colour.

    >>> find_cells(np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.int8)).entries.tolist()
    [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
    >>> find_cells(np.array([[1, 1, 0], [0, 1, 0]], dtype=np.int8)) is None
    True
    """
    height, width = entries.shape
    if height == width and (np.roll(entries, 1, axis=(0, 1)) == entries).all():
        lines = np.arange(height)
        same = np.zeros(height, dtype=np.int64)
        return Cells(same, same, (lines - lines[:, None]) % height)
    rows, columns = _refine(entries)
    if len(np.unique(rows)) == height and len(np.unique(columns)) == width:
        return None
    names = (rows[:, None] * width + columns) * 3 + entries + 1
    numbers = np.unique(names, return_inverse=True)[1]
    return Cells(rows, columns, numbers.reshape(entries.shape))


def _refine(entries: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the colours of rows and columns that no further refinement divides."""
    random = np.random.default_rng(0)
    parts = [(entries == value).astype(np.int64) for value in (1, 0)]
    colours = [np.zeros(size, dtype=np.int64) for size in entries.shape]
    counts = (1, 1)
    while True:
        for side in (0, 1):
            hashes = random.integers(_HASHES, size=(len(parts), max(entries.shape)))
            seen = [colours[side]] + [
                (part if side == 0 else part.T) @ names[colours[1 - side]]
                for part, names in zip(parts, hashes, strict=True)
            ]
            colours[side] = np.unique(np.array(seen), axis=1, return_inverse=True)[1].ravel()
        after = int(colours[0].max()), int(colours[1].max())
        if after == counts:
            return colours[0], colours[1]
        counts = after
