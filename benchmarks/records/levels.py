"""All classes of one shape with their dimensions and proofs, and how they lie in one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from records.classes import Extended, Sets, canonical_forms, delete_column, pattern_rows
from records.heredity import Core, Place
from samapprox import Embedding

__all__ = ["Entries", "Level", "Levels", "Step", "bound_dimensions", "delete_lines", "without_rows"]

Entries = NDArray[np.uint8]


@dataclass(frozen=True)
class Level:
    """All classes of m rows and n columns; also those with equal columns, which are not reduced.

    Attributes
    ----------
    n : int
    forms : ndarray of uint64
        Canonical forms, ascending.
    reduced : ndarray of bool
    d : ndarray of int64
    minimal : ndarray of bool
    embeddings : list of Embedding
    cores : list of Core
    """

    n: int
    forms: Sets
    reduced: NDArray[np.bool_]
    d: NDArray[np.int64]
    minimal: NDArray[np.bool_]
    embeddings: list[Embedding]
    cores: list[Core]

    def place(self, form: np.uint64) -> int:
        """The place of a class by its canonical form."""
        at = int(np.searchsorted(self.forms, form))
        assert self.forms[at] == form
        return at


Levels = Mapping[tuple[int, int], Level]
"""Levels by rows and columns."""


def without_rows(n: int) -> Level:
    """The class without rows, which needs no dimension."""
    nothing = Embedding(np.zeros((0, 0)), np.zeros((n, 0)), np.zeros(0))
    zero, false = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.bool_)
    return Level(
        n, zero.astype(np.uint64), false | (n == 1), zero, false, [nothing], [Core(-1, (), ())]
    )


def bound_dimensions(
    levels: Levels, m: int, n: int, extended: Extended
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bounds of the dimensions of all classes of a shape: deletions lower them by 0 or 1."""
    rows_less = levels[m - 1, n].d[extended.parent]
    least = np.zeros(len(extended.forms), dtype=np.int64)
    most = np.full(len(extended.forms), m + n, dtype=np.int64)
    np.maximum.at(least, extended.child, rows_less)
    np.minimum.at(most, extended.child, rows_less)
    for column in range(n if n > 1 else 0):
        smaller = canonical_forms(delete_column(extended.forms, n, column), n - 1).forms
        heights = np.bitwise_count(smaller)
        for height in np.unique(heights):
            level, here = levels[int(height), n - 1], heights == height
            d = level.d[np.searchsorted(level.forms, smaller[here])]
            least[here] = np.maximum(least[here], d)
            most[here] = np.minimum(most[here], d)
    return least, most + 1


@dataclass(frozen=True)
class Step:
    """A deletion of a class: a smaller class and how it lies in this one."""

    level: Level
    at: int
    place: Place

    @property
    def d(self) -> int:
        """The dimension of the smaller class."""
        return int(self.level.d[self.at])


def delete_lines(levels: Levels, form: np.uint64, n: int) -> Iterator[Step]:
    """The deletions of a class; that of a copy alone if two columns are equal."""
    entries, one = pattern_rows(form, n), np.array([form], dtype=np.uint64)
    equal = (entries[:, :, None] == entries[:, None, :]).all(axis=0)
    copies, originals = np.nonzero(np.tril(equal, -1))
    if copies.size:
        yield _delete_column(levels, entries, one, int(copies[0]), int(originals[0]))
        return
    for row, split in enumerate(entries @ (np.uint64(1) << np.arange(n, dtype=np.uint64))):
        left = canonical_forms(one & ~(np.uint64(1) << split), n)
        smaller = pattern_rows(left.forms[0], n)
        level = levels[len(smaller), n]
        place = Place(entries, smaller, left.orders[0], row)
        yield Step(level, level.place(left.forms[0]), place)
    for column in range(n):
        yield _delete_column(levels, entries, one, column)


def _delete_column(
    levels: Levels, entries: Entries, one: Sets, column: int, original: int | None = None
) -> Step:
    """The deletion of a column, which may be a copy that stays with its original."""
    n = entries.shape[1]
    left = canonical_forms(delete_column(one, n, column), n - 1)
    column_of = np.insert(left.orders[0], column, -1)
    if original is not None:
        column_of[column] = column_of[original]
    smaller = pattern_rows(left.forms[0], n - 1)
    level = levels[len(smaller), n - 1]
    return Step(level, level.place(left.forms[0]), Place(entries, smaller, column_of))
