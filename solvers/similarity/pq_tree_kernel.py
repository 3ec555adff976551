"""PQ-trees in compiled code: all orders of columns in which some rows are intervals.

A tree is one array of integers, with a line for each node. Columns are the first nodes, the leaves.
Siblings know their two neighbours, but not which of the two is the left one, so that a list of
children is reversed by exchanging its ends. Children of a Q node may name one that has been merged
into it: `find` follows such names, as in union-find.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

Tree = NDArray[np.int32]
Info = NDArray[np.int64]

# The entries of a line of the tree; further ones belong to the insertion of a row.
KIND, UP, MERGED, LEFT, RIGHT, FIRST, LAST, SIZE = 0, 1, 2, 3, 4, 5, 6, 7
STRUCTURE = 8
_WIDTH = 20  # entries of a line: the structure, and the insertion of a row

LEAF, P, Q = 0, 1, 2

# The second array: the root, the first node never used, and the number of nodes free again.
ROOT, FRESH, FREE = 0, 1, 2
_FREED = 3  # the place where the names of free nodes begin


def make_tree(columns: int, rows: int) -> tuple[Tree, Info]:
    """Make the tree of all orders: one P node above the columns."""
    capacity = 2 * columns + 3 * rows + 8
    tree = np.full((capacity, _WIDTH), -1, dtype=np.int32)
    info = np.zeros(_FREED + capacity, dtype=np.int64)
    tree[:columns, KIND] = LEAF
    info[FRESH] = columns
    if columns > 1:
        root = columns
        info[ROOT], info[FRESH] = root, columns + 1
        tree[root, KIND], tree[root, SIZE] = P, columns
        tree[root, FIRST], tree[root, LAST] = 0, columns - 1
        tree[:columns, UP] = root
        tree[1:columns, LEFT] = np.arange(columns - 1)
        tree[: columns - 1, RIGHT] = np.arange(1, columns)
    return tree, info


@compiled
def find(tree: Tree, node: int) -> int:
    """Return the node into which a node has been merged, or itself."""
    top = node
    while tree[top, MERGED] >= 0:
        top = tree[top, MERGED]
    while node != top:
        tree[node, MERGED], node = top, tree[node, MERGED]
    return int(top)


@compiled
def make_node(tree: Tree, info: Info, kind: int) -> int:
    """Return a new node without children."""
    if info[FREE]:
        info[FREE] -= 1
        node = info[_FREED + info[FREE]]
    else:
        node = info[FRESH]
        info[FRESH] += 1
    tree[node] = -1
    tree[node, KIND] = kind
    tree[node, SIZE] = 0
    return int(node)


@compiled
def free_node(info: Info, node: int) -> None:
    """Let a P node be used again."""
    info[_FREED + info[FREE]] = node
    info[FREE] += 1


@compiled
def change_neighbour(tree: Tree, node: int, old: int, new: int) -> None:
    """Give a node another neighbour in the place of one."""
    if node >= 0:
        if tree[node, LEFT] == old:
            tree[node, LEFT] = new
        else:
            tree[node, RIGHT] = new


@compiled
def neighbour(tree: Tree, node: int, other: int) -> int:
    """Return the neighbour of a node that is not the other one."""
    return int(tree[node, RIGHT] if tree[node, LEFT] == other else tree[node, LEFT])


@compiled
def remove(tree: Tree, parent: int, node: int) -> None:
    """Remove a child from its siblings."""
    left, right = tree[node, LEFT], tree[node, RIGHT]
    change_neighbour(tree, left, node, right)
    change_neighbour(tree, right, node, left)
    inner = left if left >= 0 else right
    if tree[parent, FIRST] == node:
        tree[parent, FIRST] = inner
    if tree[parent, LAST] == node:
        tree[parent, LAST] = inner
    tree[parent, SIZE] -= 1


@compiled
def append(tree: Tree, parent: int, end: int, node: int) -> None:
    """Add a child at one end."""
    outer = tree[parent, end]
    tree[node, LEFT], tree[node, RIGHT] = outer, -1
    tree[node, UP] = parent
    change_neighbour(tree, outer, -1, node)
    tree[parent, end] = node
    if outer < 0:
        tree[parent, FIRST] = node
        tree[parent, LAST] = node
    tree[parent, SIZE] += 1


@compiled
def replace(tree: Tree, info: Info, old: int, new: int) -> None:
    """Put a node in the place of another one."""
    if info[ROOT] == old:
        info[ROOT] = new
        tree[new, UP], tree[new, LEFT], tree[new, RIGHT] = -1, -1, -1
        return
    parent = find(tree, tree[old, UP])
    left, right = tree[old, LEFT], tree[old, RIGHT]
    tree[new, UP], tree[new, LEFT], tree[new, RIGHT] = parent, left, right
    change_neighbour(tree, left, old, new)
    change_neighbour(tree, right, old, new)
    if tree[parent, FIRST] == old:
        tree[parent, FIRST] = new
    if tree[parent, LAST] == old:
        tree[parent, LAST] = new


@compiled
def splice(tree: Tree, parent: int, part: int, before: int, after: int) -> None:
    """Put the children of a Q node in its place among the children of another one."""
    empty, full = tree[part, FIRST], tree[part, LAST]
    change_neighbour(tree, before, part, empty)
    change_neighbour(tree, after, part, full)
    change_neighbour(tree, empty, -1, before)
    change_neighbour(tree, full, -1, after)
    for end in (FIRST, LAST):
        if tree[parent, end] == part:
            tree[parent, end] = empty if before < 0 else full
            break
    tree[part, MERGED] = parent
    tree[parent, SIZE] += tree[part, SIZE] - 1


@compiled
def read_leaves(
    tree: Tree, info: Info, columns: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read the leaves from left to right."""
    order = np.empty(columns, dtype=np.int64)
    spans = np.zeros((len(tree), 2), dtype=np.int64)
    stack = [info[ROOT]]
    before = [np.int64(-1)]  # the sibling from which each node was reached
    read = 0
    while len(stack):
        node = stack[-1]
        if node < 0:  # all leaves of the node below are read
            stack.pop()
            before.pop()
            node = stack.pop()
            came = before.pop()
            spans[node, 1] = read
        else:
            spans[node, 0] = read
            if tree[node, KIND] != LEAF:
                stack.append(np.int64(-1))
                before.append(np.int64(-1))
                stack.append(np.int64(tree[node, FIRST]))
                before.append(np.int64(-1))
                continue
            order[read] = node
            read += 1
            spans[node, 1] = read
            stack.pop()
            came = before.pop()
        if node != info[ROOT]:
            following = neighbour(tree, int(node), int(came))
            if following >= 0:
                stack.append(np.int64(following))
                before.append(node)
    return order, spans


@compiled
def children(tree: Tree, node: int) -> NDArray[np.int64]:
    """Return the children of a node, from left to right."""
    found = np.empty(tree[node, SIZE], dtype=np.int64)
    before, child = -1, tree[node, FIRST]
    for place in range(len(found)):
        found[place] = child
        before, child = child, neighbour(tree, child, before)
    return found


def is_ordered(tree: Tree, node: int) -> bool:
    """Return whether the children of a node have a fixed order, up to its reverse."""
    return bool(tree[node, KIND] == Q)
