"""Merging rows and columns without changing the answer, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED, Pattern

__all__ = ["Simplified", "simplify"]


@dataclass(frozen=True, slots=True, eq=False)
class Simplified:
    """A smaller pattern with the same weak dimension, and where its lines come from.

    `samapprox.proofs.base.Proof.lift` turns a proof for it into one for the original.

    Attributes
    ----------
    pattern : Pattern or None
        Distinct columns, distinct rows up to complement, no row without a 0; None when no row is
        left (every embedding shows the original).
    rows, columns : ndarray of int64
        For each row and column of `pattern`, one original that it stands for.
    row_of : ndarray of int64, shape (m,)
        For each original row, its row in `pattern`; -1 for a row without a 0.
    flipped : ndarray of bool, shape (m,)
        Whether the original row is the complement of that row.
    column_of : ndarray of int64, shape (n,)
        For each original column, its column in `pattern`.
    """

    pattern: Pattern | None
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    row_of: NDArray[np.int64]
    flipped: NDArray[np.bool_]
    column_of: NDArray[np.int64]


def simplify(pattern: Pattern) -> Simplified:
    r"""Merge equal columns, rows equal up to complement, and drop rows without a 0 (free case).

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
        Don't-care entries count as a third value: only identical rows and columns merge.

    Returns
    -------
    Simplified

    Notes
    -----
    Equal columns can be one point; equal rows one halfspace; complementary rows the two sides of
    one hyperplane. Nothing here is lossless in the coupled case, where row i and column i share
    a token. Cost O(m n log(m n)).

    Examples
    --------
    >>> simplified = simplify(Pattern.from_text("1100\n0011\n1111\n1010"))
    >>> simplified.pattern
    <Pattern 2 x 4, 4 ones>
    >>> simplify(Pattern.from_text("1100\n0011\n1111")).pattern
    <Pattern 1 x 2, 1 one>
    """
    entries = pattern.to_array()
    mixed = np.flatnonzero(pattern.row_zeros > 0)
    row_of = np.full(len(entries), -1, dtype=np.int64)
    flipped = np.zeros(len(entries), dtype=np.bool_)

    rows = np.zeros(0, dtype=np.int64)
    if mixed.size:
        specified = entries[mixed] != UNSPECIFIED
        first = np.take_along_axis(entries[mixed], specified.argmax(axis=1)[:, None], axis=1)
        normal = np.where(specified, entries[mixed] ^ first ^ 1, UNSPECIFIED)  # leading entry 1
        kept, row_of[mixed] = _distinct(normal)
        rows = mixed[kept]
        flipped[mixed] = first[:, 0] != first[kept[row_of[mixed]], 0]
    columns, column_of = (
        _distinct(entries[rows].T)
        if rows.size
        else (np.zeros(1, dtype=np.int64), np.zeros(entries.shape[1], dtype=np.int64))
    )

    smaller = None
    if rows.size:
        core = entries[np.ix_(rows, columns)]
        smaller = Pattern.from_array(core == 1, core != UNSPECIFIED)
    return Simplified(smaller, rows, columns, row_of, flipped, column_of)


def _distinct(rows: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First of each class of equal rows, in order of appearance, and each row's class."""
    _, first, inverse = np.unique(
        np.ascontiguousarray(rows), axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.reshape(-1)]
