"""Proofs that pass from a pattern to those with one row or column more.

Deleting a row or a column never raises the least dimension, and lowers it by 1 at most:

- a refutation of the smaller pattern refutes the larger one;
- an embedding of the smaller pattern becomes one of the larger pattern with one coordinate more.
  For a new row, the coordinate of a key is the key's entry in this row. For a new key, this key
  alone has the coordinate 1, and each query gives it the weight that its entry requires.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox import Embedding, Pattern
from samapprox.proofs import Obstruction
from samapprox.proofs.base import Submatrix
from samapprox.proofs.parts.simplify import Simplification

__all__ = ["Core", "Place", "lift_embedding", "place_core", "place_proof"]

Entries = NDArray[np.uint8]


@dataclass(frozen=True)
class Place:
    """The correspondence between the lines of a pattern and those of a smaller one.

    Attributes
    ----------
    entries, smaller : ndarray of uint8
        Both patterns.
    column_of : ndarray of int64
        For each column its column of the smaller pattern; -1 for a deleted one.
    row : int or None
        The deleted row.
    """

    entries: Entries
    smaller: Entries
    column_of: NDArray[np.int64]
    row: int | None = None

    def row_of(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """For each row its row of the smaller pattern, and whether it is the complement.

        -1 stands for the deleted row and for rows that became constant.
        """
        kept = self.column_of >= 0
        wanted = self.smaller[:, self.column_of[kept]]
        found = self.entries[:, kept]
        equal = (found[:, None] == wanted).all(axis=2)
        turned = (found[:, None] != wanted).all(axis=2)
        none = np.ones((len(found), 1), dtype=np.bool_)
        rows = np.hstack([equal, turned, none]).argmax(axis=1)
        matched = rows < 2 * len(wanted)
        if self.row is not None:
            matched[self.row] = False
        rows, flipped = rows % max(1, len(wanted)), matched & (rows >= len(wanted))
        return np.where(matched, rows, -1), flipped


def lift_embedding(place: Place, embedding: Embedding) -> Embedding:
    """An embedding of the larger pattern; one coordinate more if a line is deleted.

    Examples
    --------
    >>> entries = np.array([[1, 0, 0], [0, 1, 0]], dtype=np.uint8)
    >>> place = Place(entries, entries[:1, :2], np.array([0, 1, -1]))
    >>> lift_embedding(place, Embedding([[1]], [[1], [0]], [0])).dimension
    2
    """
    entries, columns = place.entries.astype(np.int64), place.column_of
    rows, turned = place.row_of()
    sign = np.where(turned, -1, 1)
    # An appended zero stands at -1. For integers, q k <= t is (-q) k > -t - 1.
    nothing = np.zeros(embedding.dimension, dtype=np.int64)
    queries = np.vstack([embedding.queries, nothing])[rows] * sign[:, None]
    keys = np.vstack([embedding.keys, nothing])[columns]
    constant = -entries[np.arange(len(entries)), np.argmax(columns >= 0)]
    thresholds = np.append(embedding.thresholds, 0)[rows] * sign - turned
    thresholds = np.where(rows >= 0, thresholds, constant)
    if place.row is not None:
        queries[place.row], thresholds[place.row] = 0, 0
        weights = (np.arange(len(entries)) == place.row).astype(np.int64)
        return _extended(queries, keys, thresholds, weights, entries[place.row])
    deleted = np.flatnonzero(columns < 0)
    if not deleted.size:
        return Embedding(queries, keys, thresholds)
    weights = thresholds + entries[:, deleted[0]]
    return _extended(queries, keys, thresholds, weights, (columns < 0).astype(np.int64))


def _extended(queries: Any, keys: Any, thresholds: Any, weights: Any, places: Any) -> Embedding:
    """The embedding with one coordinate more, of queries and of keys."""
    return Embedding(np.c_[queries, weights], np.c_[keys, places], thresholds)


@dataclass(frozen=True, slots=True)
class Core:
    """The rows and columns of a pattern that form a minimal pattern, in that pattern's order.

    Attributes
    ----------
    minimal : int
        Which minimal pattern.
    rows, columns : tuple of int
    """

    minimal: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]


def place_core(place: Place, core: Core) -> Core:
    """The core of the smaller pattern as one of the larger pattern."""
    rows, columns = place.row_of()[0].tolist(), place.column_of.tolist()
    return Core(
        core.minimal, tuple(map(rows.index, core.rows)), tuple(map(columns.index, core.columns))
    )


def place_proof(entries: Entries, core: Core, minimal: Entries, proof: Submatrix) -> Obstruction:
    """The refutation of a minimal pattern as one of a pattern that contains it.

    Rows of the core may be complements of the minimal pattern's rows.
    """
    rows, columns = np.array(core.rows), np.array(core.columns)
    turned = (entries[np.ix_(rows, columns)] != minimal).any(axis=1)
    every_row, every_column = np.arange(len(rows)), np.arange(len(columns))
    simplified = Simplification(
        Pattern(minimal), every_row, every_column, every_row, turned, every_column
    )
    return proof.lift(simplified).place(rows, columns)
