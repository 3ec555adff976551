"""Partners of sign patterns, looked up in a tree of decisions, in compiled code.

`samapprox.solvers.refutations.matching_kernel` makes the tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

Numbers = NDArray[np.int64]
Places = NDArray[np.int32]

UNPAIRED, WITH_SMALLER = -1, -2

# A code is one of these, plus four times a number.
TOGGLE = 0  # patterns are paired with those that differ in this signed element
NODE = 1  # the decisions go on at this step
LEAF = 2  # the pattern of all elements so far is paired with the one that has this element, too
NOTHING = 3  # no pair


class Tree(NamedTuple):
    """Decisions that pair opposed sign patterns: docs/theory/topological.md.

    The steps of a node follow one another. Each has a signed element, and decides about patterns
    that contain it; the last one has -1 for an element, and decides about all others.
    """

    roots: Places  # codes for patterns with this largest element
    elements: Places
    codes: Places
    ranks: Places  # a path from a pattern to a face of its partner, and so on, goes down in rank


@compiled
def find_partner(pattern: Numbers, tree: Tree, marks: Places) -> tuple[int, int, int]:
    """Find what a pattern is paired with: it begins at place 1, with the sign +.

    Returned: the signed element that the partner has in addition, `WITH_SMALLER` or `UNPAIRED`; the
    rank; and the places of the elements that were decided about, as bits. If one of the others is
    left out of the partner, the result is paired with a smaller pattern.

    `marks`: zeros, one for each signed element.
    """
    size = len(pattern)
    for place in range(1, size):
        marks[pattern[place]] = place
    code, step, decided = tree.roots[pattern[1] >> 1], 0, 1 << 1
    while code & 3 == NODE:
        step = code >> 2
        while tree.elements[step] >= 0 and marks[tree.elements[step]] == 0:
            step += 1
        if tree.elements[step] >= 0:
            decided |= 1 << marks[tree.elements[step]]
        code = tree.codes[step]
    partner = UNPAIRED
    if code & 3 != NOTHING:
        element = code >> 2
        partner = element if marks[element] == 0 else WITH_SMALLER
    for place in range(1, size):
        marks[pattern[place]] = 0
    return int(partner), int(tree.ranks[step]), int(decided)


@compiled
def insert(pattern: Numbers, element: int) -> int:
    """Insert a signed element into a pattern that begins at place 1; return its place."""
    place, size = 0, len(pattern)
    while place + 1 < size and pattern[place + 1] > element:
        pattern[place] = pattern[place + 1]
        place += 1
    pattern[place] = element
    return place
