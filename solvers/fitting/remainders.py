"""Patterns without some of their items, and the cores that their refutations are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.proofs.base import Obstruction, Submatrix, Witness
from samapprox.proofs.kinds.fits.hitting_set import Core
from samapprox.proofs.kinds.fits.items import Items
from samapprox.proofs.kinds.fits.partial_embedding import PartialEmbedding
from samapprox.solvers.fitting.witnesses import Explicit, find_ones, make_explicit, take_lines

__all__ = [
    "Remainder",
    "count_wrong",
    "embed_remainder",
    "leave_out_wrong",
    "list_items",
    "require_few_items",
    "take_remainder",
]

_MOST_ENTRIES = 1 << 22
"""Entries, equal rows and columns merged, that are searched as items of their own."""


@dataclass(frozen=True, slots=True, eq=False)
class Remainder:
    """A pattern without some items.

    Attributes
    ----------
    pattern : Pattern
        The first of equal rows (and of equal columns, where entries are the items). Dropped entries
        are don't-cares, and rows without a 1 are left out.
    rows, columns : ndarray of int64
        Their numbers in the whole pattern.
    dropped : frozenset of int
    """

    pattern: Pattern
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    dropped: frozenset[int]

    def make_core(self, proof: Obstruction, items: Items) -> Core | None:
        """Return a refutation of the remainder as a core of the whole pattern, if it is one."""
        if not isinstance(proof, Submatrix):
            return None
        placed = proof.place(self.rows, self.columns)
        if items.unit == "rows":
            return Core(placed)
        entries = self.pattern.submatrix(proof.rows, proof.columns)
        numbers = np.add.outer(np.array(placed.rows) * items.shape[1], np.array(placed.columns))
        return Core(placed, sorted(numbers[entries == UNSPECIFIED].tolist()) or None)


def take_remainder(pattern: Pattern, items: Items, dropped: Collection[int]) -> Remainder | None:
    r"""Return the pattern without some items; None if no row is left.

    Parameters
    ----------
    pattern : Pattern
    items : Items
        Of this pattern.
    dropped : collection of int
        Each stands for its copies.

    Examples
    --------
    >>> pattern = Pattern.from_text("110\n011\n110")
    >>> take_remainder(pattern, Items.of(pattern, "rows"), {1}).pattern.to_text()
    '110'
    """
    rows = np.unique(items.row_of)
    gone = frozenset(dropped)
    if items.unit == "rows":
        rows = np.array([row for row in rows.tolist() if row not in gone], dtype=np.int64)
        columns = np.arange(pattern.shape[1])
        return Remainder(pattern.take(rows, columns), rows, columns, gone) if rows.size else None
    columns = np.unique(items.column_of)
    entries = pattern.submatrix(rows.tolist(), columns.tolist())
    numbers = rows[:, None] * pattern.shape[1] + columns
    entries[np.isin(numbers, list(gone))] = UNSPECIFIED
    kept = (entries == 1).any(axis=1)
    if not kept.any():
        return None
    entries, rows = entries[kept], rows[kept]
    rest = Pattern.from_array(entries == 1, entries != UNSPECIFIED)
    return Remainder(rest, rows, columns, gone)


def require_few_items(items: Items) -> None:
    """Refuse patterns with too many different entries for a search.

    Raises
    ------
    InputError
    """
    if items.unit == "rows":
        return
    rows, columns = np.count_nonzero(items.row_counts), np.count_nonzero(items.column_counts)
    if rows * columns > _MOST_ENTRIES:
        raise InputError(
            f"{rows} x {columns} different rows and columns are too many for a search "
            f"of wrong entries; at most {_MOST_ENTRIES} entries are searched, so count wrong rows"
        )


def list_items(pattern: Pattern, items: Items) -> dict[int, int]:
    """Return the items that stand for their copies and can be wrong, with their weights."""
    rows = np.unique(items.row_of).tolist()
    if items.unit == "rows":
        return {row: items.weigh(row) for row in rows}
    columns = np.unique(items.column_of).tolist()
    entries = pattern.submatrix(rows, columns)
    width = pattern.shape[1]
    specified = np.argwhere(entries != UNSPECIFIED).tolist()
    numbers = (rows[i] * width + columns[j] for i, j in specified)
    return {number: items.weigh(number) for number in numbers}


def count_wrong(pattern: Pattern, items: Items, witness: Explicit) -> NDArray[np.int64]:
    r"""Return the wrong items of a witness for all rows and keys, in exact arithmetic.

    Examples
    --------
    >>> pattern = Pattern.from_text("10\n01")
    >>> from samapprox import Embedding
    >>> embedding = Embedding([[1], [1]], [[1], [0]], [0, 0])
    >>> count_wrong(pattern, Items.of(pattern, "entries"), embedding).tolist()
    [2, 3]
    """
    wrong = []
    for start, above in find_ones(witness, pattern):
        entries = pattern.block(start, start + len(above))
        places = (entries != UNSPECIFIED) & (above != (entries == 1))
        if items.unit == "rows":
            wrong.append(start + np.flatnonzero(places.any(axis=1)))
        else:
            wrong.append(start * pattern.shape[1] + np.flatnonzero(places.ravel()))
    return np.concatenate(wrong)


def leave_out_wrong(pattern: Pattern, items: Items, witness: Explicit) -> PartialEmbedding:
    r"""Return a witness for all rows and keys as a proof about the right part of the pattern.

    Examples
    --------
    >>> pattern = Pattern.from_text("10\n01")
    >>> from samapprox import Embedding
    >>> embedding = Embedding([[1], [1]], [[1], [0]], [0, 0])
    >>> leave_out_wrong(pattern, Items.of(pattern, "rows"), embedding).wrong.tolist()
    [1]
    """
    wrong = count_wrong(pattern, items, witness)
    rows = PartialEmbedding(items.unit, wrong, witness).right_rows(pattern)
    return PartialEmbedding(items.unit, wrong, take_lines(witness, rows))


def embed_remainder(
    pattern: Pattern, proof: Witness, remainder: Remainder, items: Items
) -> PartialEmbedding:
    """Return an embedding of the remainder as a proof about the whole pattern.

    Where rows are the items, all rows outside the remainder count as wrong.

    Raises
    ------
    InputError
        Its numbers are too many or too long to be written out.
    """
    own = make_explicit(proof, remainder.pattern)
    place = np.full(items.shape[0], -1, dtype=np.int64)  # -1 for a row without a 1
    place[remainder.rows] = np.arange(len(remainder.rows))
    row_of = place[items.row_of]
    if items.unit == "rows":
        right = take_lines(own, row_of[row_of >= 0])
        return PartialEmbedding("rows", np.flatnonzero(row_of < 0), right)
    column_of = np.searchsorted(remainder.columns, items.column_of)
    return leave_out_wrong(pattern, items, take_lines(own, row_of, column_of))
