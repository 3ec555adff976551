"""The circular-ones property: a circular order in which every row is an arc.

A row is an arc iff its complement is one. So complement the rows that have a 1 in column 0: then
column 0 can be cut out of the circle, and in the linear order that remains every row must be an
interval (Tucker 1971). All orders with that property are the readings of one *PQ-tree* (Booth and
Lueker 1976): the children of a P node may stand in any order, those of a Q node in the given order
or its reverse. Rows are inserted one by one. Sets of columns are Python integers, one bit a column:
for small patterns, that is faster than `samapprox.solvers.similarity.consecutive`, which is linear
in the ones and finds out why there is no order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


def circular_order(ones: NDArray[np.bool_]) -> NDArray[np.int64] | None:
    """Return a circular order of the columns in which every row is an arc, or None.

    Complete. O(m n) operations on integers of n bits, mostly far fewer: a row touches only the
    nodes above and beside the ends of its interval.

    Tucker (1971), "Matrix characterizations of circular-arc graphs", Pacific J. Math. 39, Theorem
    1; Booth and Lueker (1976), "Testing for the consecutive ones property, interval graphs, and
    graph planarity using PQ-tree algorithms", JCSS 13.
    """
    rest = ones[:, 1:] ^ ones[:, :1]
    packed = np.packbits(rest, axis=1, bitorder="little")
    order = _consecutive_order((int.from_bytes(row, "little") for row in packed), rest.shape[1])
    return None if order is None else np.array([0, *(column + 1 for column in order)])


def _consecutive_order(rows: Iterable[int], count: int) -> list[int] | None:
    """Return an order of columns 0..count-1 in which every row is an interval, or None."""
    tree = _group([_Node(1 << column) for column in range(count)])
    for row in dict.fromkeys(rows):
        changed = _reduce(tree, row) if row else tree
        if changed is None:
            return None
        tree = changed
    return _read(tree)


@dataclass(slots=True, eq=False)
class _Node:
    """A leaf, a P node (children in any order), or a Q node (this order or its reverse)."""

    columns: int
    children: list[_Node] = field(default_factory=list)
    ordered: bool = False


def _group(nodes: list[_Node], *, ordered: bool = False) -> _Node:
    """Make one node for all of these: their own, or a parent."""
    if len(nodes) == 1:
        return nodes[0]
    columns = 0
    for node in nodes:
        columns |= node.columns
    return _Node(columns, nodes, ordered)


def _group_all(nodes: list[_Node]) -> list[_Node]:
    """Return at most one P node that holds them."""
    return [_group(nodes)] if nodes else []


def _reduce(tree: _Node, row: int) -> _Node | None:
    """Reduce `tree` to the orders in which the row is an interval; changes `tree`."""
    parent, place, node = tree, -1, tree
    while True:  # down to the lowest node that holds all of the row
        holding = (i for i, child in enumerate(node.children) if child.columns & row == row)
        down = next(holding, None)
        if down is None:
            break
        parent, place, node = node, down, node.children[down]
    changed = _rebuild_apex(node, row)
    if changed is None or node is tree:
        return changed
    parent.children[place] = changed
    return tree


def _rebuild_apex(node: _Node, row: int) -> _Node | None:
    """Return the lowest node that holds all of the row, rebuilt so that the row is an interval."""
    full, empty, partial = _split(node.children, row)
    if not empty and not partial:
        return node
    if len(partial) > 2:
        return None
    ends = [_order_partial(child, row) for child in partial]
    if any(end is None for end in ends):
        return None
    left, right = ([end for end in ends if end is not None] + [[], []])[:2]
    right = right[::-1]
    if node.ordered:
        # Empty ones, perhaps a partial one, full ones, perhaps a partial one, empty ones.
        touched = [place for place, child in enumerate(node.children) if child.columns & row]
        first, last = touched[0], touched[-1]
        inner = node.children[first + 1 : last]
        if any(child.columns & ~row for child in inner) or len(touched) != last - first + 1:
            return None
        if len(partial) == 1 and node.children[last] is partial[0]:
            left, right = [], left[::-1]
        middle = [*left, *full, *right]
        children = [*node.children[:first], *middle, *node.children[last + 1 :]]
        return _Node(node.columns, children, True) if partial else node
    middle = [*left, *_group_all(full), *right]
    return _group([*empty, _group(middle, ordered=True)])


def _order_partial(node: _Node, row: int) -> list[_Node] | None:
    """Return the children of a Q node for a partial node, with the row's columns last."""
    before: list[_Node] = []
    after: list[_Node] = []
    while True:
        full, empty, partial = _split(node.children, row)
        if len(partial) > 1:
            return None
        if not node.ordered:
            full, empty = _group_all(full), _group_all(empty)
        elif node.children != [*empty, *partial, *full]:
            full, empty = full[::-1], empty[::-1]
            if node.children[::-1] != [*empty, *partial, *full]:
                return None
        before, after = [*before, *empty], [*full, *after]
        if not partial:
            return [*before, *after]
        node = partial[0]


def _split(nodes: list[_Node], row: int) -> tuple[list[_Node], list[_Node], list[_Node]]:
    """Split nodes into full, empty and partial ones."""
    full: list[_Node] = []
    empty: list[_Node] = []
    partial: list[_Node] = []
    for node in nodes:
        common = node.columns & row
        (empty if not common else full if common == node.columns else partial).append(node)
    return full, empty, partial


def _read(tree: _Node) -> list[int]:
    """Return the columns from left to right."""
    order, stack = [], [tree]
    while stack:
        node = stack.pop()
        if node.children:
            stack.extend(reversed(node.children))
        elif node.columns:
            order.append(node.columns.bit_length() - 1)
    return order
