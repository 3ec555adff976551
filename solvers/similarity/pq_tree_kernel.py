"""PQ-trees in compiled code: all orders of columns in which some rows are intervals.

A tree is one array of integers, with a line for each node. Columns are the first nodes, the leaves.
Siblings know their two neighbours, but not which of the two is the left one, so that a list of
children is reversed by exchanging its ends. Children of a Q node may name one that has been merged
into it: `find` follows such names, as in union-find.

A row is inserted from its leaves upwards. A node is *full* if all its leaves belong to the row, and
*partial* if some do; partial ones become Q nodes whose first end is empty and whose last is full.
The *apex* is the lowest node that contains all of the row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

Tree = NDArray[np.int32]
Info = NDArray[np.int64]

# The entries of a line of the tree; further ones belong to the insertion of a row.
KIND, UP, MERGED, LEFT, RIGHT, FIRST, LAST, SIZE = 0, 1, 2, 3, 4, 5, 6, 7
_STRUCTURE = 8
_WIDTH = 20  # entries of a line: the structure, and the insertion of a row

LEAF, P, Q = 0, 1, 2

# The second array: the root, the first node never used, and the number of nodes free again.
ROOT, FRESH, FREE = 0, 1, 2
_FREED = 3  # the place where the names of free nodes begin

# The entries after the structure, which describe the node while the row EPOCH is inserted.
EPOCH, TOUCHED, DONE, BELOW, FULLS, FULL, NEXT, PARTS, PART, OTHER, STATE = (
    _STRUCTURE + place for place in range(11)
)

IS_FULL, IS_PARTIAL = 1, 2


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
def _make_node(tree: Tree, info: Info, kind: int) -> int:
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
def _free_node(info: Info, node: int) -> None:
    """Let a P node be used again."""
    info[_FREED + info[FREE]] = node
    info[FREE] += 1


@compiled
def _change_neighbour(tree: Tree, node: int, old: int, new: int) -> None:
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
    _change_neighbour(tree, left, node, right)
    _change_neighbour(tree, right, node, left)
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
    _change_neighbour(tree, outer, -1, node)
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
    _change_neighbour(tree, left, old, new)
    _change_neighbour(tree, right, old, new)
    if tree[parent, FIRST] == old:
        tree[parent, FIRST] = new
    if tree[parent, LAST] == old:
        tree[parent, LAST] = new


@compiled
def _splice(tree: Tree, parent: int, part: int, before: int, after: int) -> None:
    """Put the children of a Q node in its place among the children of another one."""
    empty, full = tree[part, FIRST], tree[part, LAST]
    _change_neighbour(tree, before, part, empty)
    _change_neighbour(tree, after, part, full)
    _change_neighbour(tree, empty, -1, before)
    _change_neighbour(tree, full, -1, after)
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


# ---------------------------------------------------------------- inserting a row


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
    group = _make_node(tree, info, P)
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
        ordered = _make_node(tree, info, Q)
    replace(tree, info, node, ordered)
    if tree[node, SIZE] == 1:
        append(tree, ordered, FIRST, tree[node, FIRST])
    elif tree[node, SIZE] > 1:
        append(tree, ordered, FIRST, node)
    if tree[node, SIZE] <= 1:
        _free_node(info, node)
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
        _splice(tree, node, part, neighbour(tree, part, after), after)
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
        _change_neighbour(tree, here, -1, there)
        _change_neighbour(tree, there, -1, here)
        tree[ordered, LAST] = tree[other, FIRST]
        tree[ordered, SIZE] += tree[other, SIZE]
        tree[other, MERGED] = ordered
    if tree[node, SIZE] == 1:
        replace(tree, info, node, ordered)
        _free_node(info, node)
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
        _splice(tree, node, part, neighbour(tree, part, other), other)
        _splice(tree, node, other, neighbour(tree, other, full), full)
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
            _splice(tree, node, child, neighbour(tree, child, inner), inner)
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
