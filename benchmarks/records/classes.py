"""Classes of small patterns: rows up to order and complement, columns up to order.

A row that is neither all 0 nor all 1 splits the n columns into two nonempty parts. A row and its
complement make the same split, so a *split* is the set of columns that differ from the last one, as
a number s in 1 .. 2^(n-1) - 1 (bit j for column j). A pattern without equal or complementary rows
is a set of splits, written as a 64-bit number with bit s for split s; hence n <= 7.

The permutations of the columns act on these sets. The least number of an orbit is the canonical
form of the class. Classes of m rows come from those of m - 1 rows, one split more each, so every
row-deletion of a class is one of the classes that it came from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "MOST_COLUMNS",
    "Sets",
    "canonical_forms",
    "column_orders",
    "delete_column",
    "extend",
    "pattern_rows",
    "separate_columns",
    "set_of_rows",
    "split_images",
    "split_rows",
]

MOST_COLUMNS = 7
Sets = NDArray[np.uint64]
Bytes = NDArray[np.uint8]


@cache
def column_orders(n: int) -> NDArray[np.int64]:
    """All orders of n columns, one a row: column j moves to place order[j]."""
    return np.array(list(permutations(range(n))), dtype=np.int64).reshape(-1, n)


def _normalise(parts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """The split of each set of columns: its complement where it has the last column."""
    return np.where(parts >> (n - 1) & 1, (1 << n) - 1 - parts, parts)


@cache
def split_rows(n: int) -> Bytes:
    """The row of every split, shape (2^(n-1), n): the columns that differ from the last one."""
    return (np.arange(1 << (n - 1))[:, None] >> np.arange(n) & 1).astype(np.uint8)


@cache
def split_images(n: int) -> Bytes:
    """The image of every split under every order of the columns, shape (n!, 2^(n-1))."""
    splits, orders = np.arange(1 << (n - 1)), column_orders(n)
    moved = np.zeros((len(orders), len(splits)), dtype=np.int64)
    for j in range(n - 1):
        moved |= (splits >> j & 1) << orders[:, j, None]
    return _normalise(moved, n).astype(np.uint8)


@njit(cache=True)
def _least_image(chosen: Any, images: Any) -> tuple[Any, int]:
    """The least image of a set of splits, and an order of the columns that leads to it."""
    splits = np.empty(64, dtype=np.int64)
    count = 0
    for split in range(images.shape[1]):
        if chosen >> np.uint64(split) & np.uint64(1):
            splits[count] = split
            count += 1
    least, at = ~np.uint64(0), 0
    for order in range(len(images)):
        image = np.uint64(0)
        for k in range(count):
            image |= np.uint64(1) << np.uint64(images[order, splits[k]])
        if image < least:
            least, at = image, order
    return least, at


@njit(cache=True, nogil=True)
def _least_images(sets: Any, images: Any) -> Any:
    least = np.empty(len(sets), dtype=np.uint64)
    orders = np.empty(len(sets), dtype=np.int64)
    for at in range(len(sets)):
        least[at], orders[at] = _least_image(sets[at], images)
    return least, orders


@dataclass(frozen=True)
class Canonical:
    """Canonical forms of sets of splits, and orders of the columns that lead to them.

    Attributes
    ----------
    forms : ndarray of uint64, shape (k,)
    orders : ndarray of int64, shape (k, n)
        Column j of set i is column orders[i, j] of its form.
    """

    forms: Sets
    orders: NDArray[np.int64]


def canonical_forms(sets: Sets, n: int) -> Canonical:
    """The canonical forms of sets of splits of n columns; n! steps for each row of each set.

    Examples
    --------
    >>> first, second = set_of_rows([[1, 0, 0]]), set_of_rows([[1, 0, 1]])
    >>> canonical_forms(np.array([first, second], dtype=np.uint64), 3).forms
    array([2, 2], dtype=uint64)
    """
    forms, orders = _least_images(np.asarray(sets, dtype=np.uint64), split_images(n))
    return Canonical(forms, column_orders(n)[orders])


@dataclass(frozen=True)
class Extended:
    """The classes of one row more, and which classes they come from.

    Attributes
    ----------
    forms : ndarray of uint64
        Canonical forms, ascending.
    child, parent : ndarray of int64
        Pairs of places: deleting some row of `forms[child]` leaves a member of the parent's class.
        Every row-deletion of every class occurs.
    """

    forms: Sets
    child: NDArray[np.int64]
    parent: NDArray[np.int64]


def extend(parents: Sets, n: int) -> Extended:
    """All classes of sets with one split more than those of `parents`, which are all classes.

    Examples
    --------
    >>> [len(extend(np.zeros(1, dtype=np.uint64), n).forms) for n in (2, 3, 4, 5)]
    [1, 1, 2, 2]
    """
    splits = np.arange(1, 1 << (n - 1)).astype(np.uint64)
    bits = np.uint64(1) << splits
    parent, split = np.nonzero((parents[:, None] & bits) == 0)
    children = canonical_forms(parents[parent] | bits[split], n).forms
    forms, child = np.unique(children, return_inverse=True)
    return Extended(forms, child.astype(np.int64), parent)


def delete_column(sets: Sets, n: int, column: int) -> Sets:
    """The sets of splits of the other n - 1 columns; rows that become equal or constant merge.

    Examples
    --------
    >>> one = np.array([set_of_rows([[1, 0, 0], [1, 1, 0]])], dtype=np.uint64)
    >>> pattern_rows(delete_column(one, 3, 1)[0], 2)
    array([[1, 0]], dtype=uint8)
    """
    splits = np.arange(1 << (n - 1))
    low = splits & ((1 << column) - 1)
    images = _normalise(low | splits >> (column + 1) << column, n - 1)
    left = np.zeros(len(sets), dtype=np.uint64)
    for split in splits[1:]:
        present = sets >> np.uint64(split) & np.uint64(1)
        left |= present << np.uint64(images[split])
    return left & ~np.uint64(1)  # bit 0 stands for the rows that became constant


def separate_columns(sets: Sets, n: int) -> NDArray[np.bool_]:
    """Whether each set of splits has all n columns distinct.

    Examples
    --------
    >>> separate_columns(np.array([set_of_rows([[1, 0, 0]])], dtype=np.uint64), 3)
    array([False])
    """
    entries = split_rows(n)
    distinct = np.ones(len(sets), dtype=np.bool_)
    for j in range(n):
        for i in range(j):
            apart = np.flatnonzero(entries[:, i] != entries[:, j]).astype(np.uint64)
            distinct &= (sets & np.bitwise_or.reduce(np.uint64(1) << apart)) != 0
    return distinct


def pattern_rows(chosen: np.uint64 | int, n: int) -> Bytes:
    """The 0/1 rows of a set of splits, by ascending number; the last column is 0 in all of them.

    Examples
    --------
    >>> pattern_rows(set_of_rows([[1, 0, 1], [0, 1, 0], [0, 1, 1]]), 3)
    array([[1, 0, 0],
           [0, 1, 0]], dtype=uint8)
    """
    return split_rows(n)[[s for s in range(1 << (n - 1)) if int(chosen) >> s & 1]]


def set_of_rows(rows: Any) -> int:
    """The set of splits that the rows of a fully specified pattern make; constant rows make none.

    Examples
    --------
    >>> set_of_rows([[1, 0, 0], [0, 1, 1], [1, 1, 1]])
    2
    """
    entries = np.asarray(rows, dtype=np.int64)
    n = entries.shape[1]
    splits = _normalise((entries << np.arange(n)).sum(axis=1), n)
    return sum({1 << int(split) for split in splits if split})
