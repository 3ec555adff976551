"""The consecutive-ones property: an order of the columns in which each row is an interval.

The rows are inserted one by one into a PQ-tree. If one of them cannot be, a few columns that
contradict each other are read from the tree before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.solvers.similarity import pq_insertion_kernel
from samapprox.solvers.similarity.pq_tree_kernel import ROOT, Info, Tree, is_ordered, make_tree
from samapprox.storage.sparse import SparseMatrix
from samapprox.support.arrays import Order, flags_at
from samapprox.support.plain import choose_version

_STEP = 1 << 22
"""Ones that are inserted between two looks at the clock."""

_MOST_PLAIN = 1 << 15
"""Ones that plain Python inserts in half a second; it reads as many leaves in less."""


MOST_ONES = 1 << 26
"""Ones that are written out as indices: a quarter of a gigabyte, and twice that after a cut."""


@dataclass(frozen=True, slots=True, eq=False)
class Conflict:
    """A row that is not an interval in any order in which all rows before it are intervals."""

    row: int
    order: Order  # an order in which the rows before it are intervals
    # At most six columns that cannot be ordered such that all these rows are intervals.
    columns: list[int]


def order_columns(
    rows: SparseMatrix, out_of_time: Callable[[], bool] = lambda: False
) -> Order | Conflict | None:
    """Return an order of the columns in which each row is an interval, or why there is none.

    O(m + n + ones) steps, up to the cost of union-find.

    Booth, Lueker (1976), "Testing for the consecutive ones property, interval graphs, and graph
    planarity using PQ-tree algorithms", JCSS 13; Fink, Pfretzschner, Rutter (2021), "Experimental
    comparison of PC-trees and PQ-trees", ESA.
    """
    work = int(rows.indptr[-1]) + rows.columns
    kernel = choose_version(pq_insertion_kernel, work, _MOST_PLAIN)
    planted = _plant(kernel, rows, rows.shape[0], out_of_time)
    if planted is None:
        return None
    tree, info, end = planted
    if end == rows.shape[0]:
        order: Order = kernel.read_leaves(tree, info, rows.columns)[0]
        return order
    planted = _plant(kernel, rows, end, out_of_time)
    if planted is None:
        return None
    tree, info, _ = planted
    order, spans = kernel.read_leaves(tree, info, rows.columns)
    held = flags_at(rows.row(end), rows.columns)[order]
    counts = np.concatenate(([0], np.cumsum(held)))
    failure = _Failure(kernel, tree, order, spans, held, counts)
    return Conflict(end, order, order[failure.find(int(info[ROOT]))].tolist())


def _plant(
    kernel: Any, rows: SparseMatrix, end: int, out_of_time: Callable[[], bool]
) -> tuple[Tree, Info, int] | None:
    """Insert rows up to `end`; return the tree, and the first row that cannot be inserted."""
    tree, info = make_tree(rows.columns, end)
    indptr, indices = rows.indptr, indices_of(rows)
    queue = np.empty(len(tree), dtype=np.int64)
    first = 0
    while first < end:
        if out_of_time():
            return None
        after = int(np.searchsorted(indptr, indptr[first] + _STEP, side="right")) - 1
        after = min(end, max(after, first + 1))
        reached = kernel.insert_rows(tree, info, indptr, indices, first, after, queue)
        if reached < after:
            return tree, info, reached
        first = after
    return tree, info, end


@dataclass(frozen=True, slots=True, eq=False)
class _Failure:
    """A tree, and a row that cannot be inserted."""

    reader: Any  # `pq_insertion_kernel` or its copy in plain Python
    tree: Tree
    order: Order  # as from `read_leaves`
    spans: NDArray[np.int64]  # as from `read_leaves`
    held: NDArray[np.bool_]  # whether the row holds the column, place by place along the order
    counts: Order  # how many of the first columns it holds

    def find(self, root: int) -> list[int]:
        """Return the places of columns that contradict each other: four cases, see circular.md."""
        node, total = root, int(self.held.sum())
        while True:  # descend to the apex
            below, ones, sizes = self._children(node)
            if (whole := np.flatnonzero(ones == total)).size == 0:
                break
            node = int(below[whole[0]])
        partial = np.flatnonzero((ones > 0) & (ones < sizes))
        if is_ordered(self.tree, node):
            if found := self._alternate(below, ones, sizes, True):
                return found
        elif len(partial) > 2:
            return [place for child in below[partial[:3]] for place in self._both(child)]
        for child in below[partial]:
            outside = self._first_outside(int(child))
            if found := self._find_below(int(child), outside):
                return found
        raise AssertionError("the row can be inserted")

    def _find_below(self, node: int, outside: int) -> list[int]:
        """Return places that contradict each other at or below a node under the apex, or []."""
        while True:
            below, ones, sizes = self._children(node)
            partial = np.flatnonzero((ones > 0) & (ones < sizes))
            if len(partial) > 1:
                return [outside, *(place for x in below[partial[:2]] for place in self._both(x))]
            if is_ordered(self.tree, node):
                if found := self._alternate(below, ones, sizes, True):
                    return found
                if found := self._alternate(below, ones, sizes, False):
                    return [outside, *found]
            if not len(partial):
                return []
            node = int(below[partial[0]])

    def _alternate(self, below: Order, ones: Order, sizes: Order, outer: bool) -> list[int]:
        """Return a one, a zero and a one of three children in this order, or [].

        If `outer` is False, return a zero, a one and a zero.
        """
        zeros = sizes - ones
        at_ends, between = (ones, zeros) if outer else (zeros, ones)
        first, last = np.flatnonzero(at_ends)[[0, -1]].tolist()
        inner = np.flatnonzero(between[first + 1 : last])
        if not inner.size:
            return []
        places = first, first + 1 + int(inner[0]), last
        wanted = outer, not outer, outer
        return [self._place(below[at], held) for at, held in zip(places, wanted, strict=True)]

    def _children(self, node: int) -> tuple[Order, Order, Order]:
        """Return the children of a node, and how many columns of each are in the row and in all."""
        below = self.reader.children(self.tree, node)
        starts, ends = self.spans[below].T
        return below, self.counts[ends] - self.counts[starts], ends - starts

    def _place(self, node: int, held: bool) -> int:
        """Return the first place below a node whose column the row holds, or does not hold."""
        start, end = self.spans[node].tolist()
        return int(start + (self.held[start:end] == held).argmax())

    def _both(self, node: int) -> tuple[int, int]:
        """Return a place below a node that the row holds, and one that it does not hold."""
        return self._place(node, True), self._place(node, False)

    def _first_outside(self, node: int) -> int:
        """Return the first place that the row holds and that is not below a node."""
        start, end = self.spans[node].tolist()
        held = self.held.copy()
        held[start:end] = False
        return int(held.argmax())


def sparse_rows(pattern: Pattern) -> SparseMatrix:
    """Return the ones of a pattern as sparse rows."""
    if pattern.ones.is_sparse:
        return pattern.ones
    starts = np.concatenate(([0], np.cumsum(pattern.row_ones)))
    blocks = [block.astype(np.int32) for block in pattern.ones.indices()]
    return SparseMatrix(starts, np.concatenate(blocks), pattern.shape[1])


def indices_of(rows: SparseMatrix) -> NDArray[np.int32]:
    """Return the columns of all ones, row after row."""
    return np.concatenate([block.astype(np.int32, copy=False) for block in rows.indices()])


def cut(rows: SparseMatrix) -> tuple[int, SparseMatrix]:
    """Cut the circle at a column: complement the rows that hold it."""
    counts = rows.column_counts(np.ones(rows.shape[0], dtype=np.bool_))
    column = int(counts.argmin())
    if not counts[column]:
        return column, rows
    return column, rows.complement_rows(rows.entries(np.arange(rows.shape[0]), column))
