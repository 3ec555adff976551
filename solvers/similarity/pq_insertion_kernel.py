"""The insertion of rows into PQ-trees, in compiled code.

A row is inserted from its leaves upwards. A node is *full* if all its leaves belong to the row, and
*partial* if some do; partial ones become Q nodes whose first end is empty and whose last is full.
The *apex* is the lowest node that contains all of the row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.similarity.pq_tree_kernel import (
    FIRST,
    KIND,
    LAST,
    LEAF,
    LEFT,
    MERGED,
    RIGHT,
    ROOT,
    SIZE,
    STRUCTURE,
    UP,
    Info,
    P,
    Q,
    Tree,
    append,
    change_neighbour,
    find,
    free_node,
    make_node,
    neighbour,
    remove,
    replace,
    splice,
)
from samapprox.solvers.similarity.pq_tree_kernel import children as children
from samapprox.solvers.similarity.pq_tree_kernel import read_leaves as read_leaves
from samapprox.support.jit import compiled

# The entries after the structure, which describe the node while the row EPOCH is inserted.
EPOCH, TOUCHED, DONE, BELOW, FULLS, FULL, NEXT, PARTS, PART, OTHER, STATE = (
    STRUCTURE + place for place in range(11)
)

IS_FULL, IS_PARTIAL = 1, 2


@compiled
def _is_full(tree: Tree, node: int, epoch: int) -> bool:
    return bool(node >= 0 and tree[node, EPOCH] == epoch and tree[node, STATE] == IS_FULL)


@compiled
def _touch(tree: Tree, node: int, epoch: int) -> bool:
    """Prepare a node that the row reaches; return whether it is the first time."""
    if tree[node, EPOCH] == epoch:
        return False
    tree[node, EPOCH] = epoch
    tree[node, TOUCHED : STATE + 1] = 0
    tree[node, FULL] = -1
    return True


@compiled
def _count_touched(tree: Tree, info: Info, row: NDArray[np.int32], epoch: int, queue: Info) -> None:
    """Count the children of each node that the row reaches, up to the apex or little further.

    All paths to the root ascend one step at a time, until there is only one.
    """
    tail = 0
    for leaf in row:
        _touch(tree, leaf, epoch)
        queue[tail] = leaf
        tail += 1
    head = 0
    above = 0
    while tail - head + above > 1:
        node = queue[head]
        head += 1
        if node == info[ROOT]:
            above = 1
            continue
        parent = find(tree, tree[node, UP])
        if _touch(tree, parent, epoch):
            queue[tail] = parent
            tail += 1
        tree[parent, TOUCHED] += 1


@compiled
def _group_full(tree: Tree, info: Info, node: int) -> int:
    """Remove the full children of a P node, and return one node for all of them; -1 for none."""
    count, child = tree[node, FULLS], tree[node, FULL]
    if count == 0:
        return -1
    if count == 1:
        remove(tree, node, child)
        return int(child)
    group = make_node(tree, info, P)
    while child >= 0:
        following = tree[child, NEXT]
        remove(tree, node, child)
        append(tree, group, LAST, child)
        child = following
    return group


@compiled
def _end_p(tree: Tree, info: Info, node: int) -> int:
    """Turn a partial P node below the apex into a Q node; -1 if the row cannot be inserted."""
    if tree[node, PARTS] > 1:
        return -1
    full = _group_full(tree, info, node)
    if tree[node, PARTS] == 1:
        ordered = tree[node, PART]
        remove(tree, node, ordered)
    else:
        ordered = make_node(tree, info, Q)
    replace(tree, info, node, ordered)
    if tree[node, SIZE] == 1:
        append(tree, ordered, FIRST, tree[node, FIRST])
    elif tree[node, SIZE] > 1:
        append(tree, ordered, FIRST, node)
    if tree[node, SIZE] <= 1:
        free_node(info, node)
    if full >= 0:
        append(tree, ordered, LAST, full)
    return int(ordered)


@compiled
def _end_q(tree: Tree, node: int, epoch: int) -> bool:
    """Order a partial Q node below the apex: empty, perhaps partial, full; False if impossible."""
    if tree[node, PARTS] > 1:
        return False
    part = tree[node, PART] if tree[node, PARTS] else -1
    last = tree[node, LAST]
    if not (_is_full(tree, last, epoch) if tree[node, FULLS] else last == part):
        tree[node, FIRST], tree[node, LAST] = tree[node, LAST], tree[node, FIRST]
    after, child = -1, tree[node, LAST]
    for _ in range(tree[node, FULLS]):
        if not _is_full(tree, child, epoch):
            return False
        after, child = child, neighbour(tree, child, after)
    if part >= 0:
        if child != part:
            return False
        splice(tree, node, part, neighbour(tree, part, after), after)
    return True


@compiled
def _close_p(tree: Tree, info: Info, node: int) -> bool:
    """Join what belongs to the row at an apex that is a P node; False if that is impossible."""
    if tree[node, PARTS] > 2:
        return False
    full = _group_full(tree, info, node)
    if tree[node, PARTS] == 0:
        append(tree, node, LAST, full)
        return True
    ordered = tree[node, PART]
    if full >= 0:
        append(tree, ordered, LAST, full)
    if tree[node, PARTS] == 2:
        other = tree[node, OTHER]
        remove(tree, node, other)
        here, there = tree[ordered, LAST], tree[other, LAST]
        change_neighbour(tree, here, -1, there)
        change_neighbour(tree, there, -1, here)
        tree[ordered, LAST] = tree[other, FIRST]
        tree[ordered, SIZE] += tree[other, SIZE]
        tree[other, MERGED] = ordered
    if tree[node, SIZE] == 1:
        replace(tree, info, node, ordered)
        free_node(info, node)
    return True


@compiled
def _close_q(tree: Tree, node: int, epoch: int) -> bool:
    """Check that what belongs to the row at an apex that is a Q node is consecutive."""
    parts = tree[node, PARTS]
    if parts > 2:
        return False
    part, other = tree[node, PART], tree[node, OTHER]
    if tree[node, FULLS] == 0:
        if part != tree[other, LEFT] and part != tree[other, RIGHT]:
            return False
        full = tree[part, LAST]
        splice(tree, node, part, neighbour(tree, part, other), other)
        splice(tree, node, other, neighbour(tree, other, full), full)
        return True
    start = tree[node, FULL]
    found = 1
    placed = 0
    for side in (LEFT, RIGHT):
        inner, child = start, tree[start, side]
        while _is_full(tree, child, epoch):
            found += 1
            inner, child = child, neighbour(tree, child, inner)
        if (parts >= 1 and child == part) or (parts == 2 and child == other):
            placed += 1
            splice(tree, node, child, neighbour(tree, child, inner), inner)
    return bool(found == tree[node, FULLS] and placed == parts)


@compiled
def _insert(tree: Tree, info: Info, row: NDArray[np.int32], epoch: int, queue: Info) -> bool:
    """Insert one row of at least two columns; False if it is an interval of no order."""
    _count_touched(tree, info, row, epoch, queue)
    tail = 0
    for leaf in row:
        tree[leaf, BELOW] = 1
        queue[tail] = leaf
        tail += 1
    head = 0
    while head < tail:
        node = queue[head]
        head += 1
        kind = tree[node, KIND]
        below = tree[node, BELOW]
        if kind == LEAF or tree[node, FULLS] == tree[node, SIZE]:
            tree[node, STATE] = IS_FULL
            if below == len(row):
                return True
        elif below == len(row):
            return _close_p(tree, info, node) if kind == P else _close_q(tree, node, epoch)
        elif kind == P:
            node = _end_p(tree, info, node)
            if node < 0:
                return False
            _touch(tree, node, epoch)
            tree[node, STATE] = IS_PARTIAL
        else:
            if not _end_q(tree, node, epoch):
                return False
            tree[node, STATE] = IS_PARTIAL
        parent = find(tree, tree[node, UP])
        tree[parent, BELOW] += below
        tree[parent, DONE] += 1
        if tree[node, STATE] == IS_FULL:
            tree[node, NEXT] = tree[parent, FULL]
            tree[parent, FULL] = node
            tree[parent, FULLS] += 1
        else:
            if tree[parent, PARTS] == 0:
                tree[parent, PART] = node
            else:
                tree[parent, OTHER] = node
            tree[parent, PARTS] += 1
        if tree[parent, DONE] == tree[parent, TOUCHED]:
            queue[tail] = parent
            tail += 1
    return True


@compiled
def insert_rows(
    tree: Tree,
    info: Info,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    first: int,
    end: int,
    queue: Info,
) -> int:
    """Insert the rows first .. end - 1 into the tree.

    O(ones of the rows), amortized over all rows of the tree, up to the cost of union-find.
    """
    for number in range(first, end):
        row = indices[indptr[number] : indptr[number + 1]]
        if len(row) > 1 and not _insert(tree, info, row, number, queue):
            return number
    return end
