"""Partners of sign patterns, looked up in a tree of decisions, in compiled code.

`samapprox.solvers.refutations.elimination.matching_kernel` makes the tree.
"""

from __future__ import annotations

from typing import NamedTuple

from samapprox.support.arrays import Numbers, Places
from samapprox.support.jit import compiled

UNPAIRED, WITH_SMALLER = -1, -2

UNDECIDED = -1  # instead of a step

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
def follow(code: int, tree: Tree, marks: Places, path: Places) -> tuple[int, int]:
    """Follow the decisions about a pattern from a code on; return the last code and its step.

    `marks`: for each signed element of the pattern, its place, and 0 for all others. `path`: gets
    the step that decided about the element at each place, where there is one.
    """
    step = 0
    while code & 3 == NODE:
        step = code >> 2
        while tree.elements[step] >= 0 and marks[tree.elements[step]] == 0:
            step += 1
        if tree.elements[step] >= 0:
            path[marks[tree.elements[step]]] = step
        code = tree.codes[step]
    return int(code), step


@compiled
def name_partner(code: int, marks: Places) -> int:
    """Return the signed element that the partner has in addition, `WITH_SMALLER` or `UNPAIRED`.

    `code`: the last one of the pattern with these `marks`.
    """
    if code & 3 == NOTHING:
        return UNPAIRED
    return int(code >> 2) if marks[code >> 2] == 0 else WITH_SMALLER


@compiled
def mark(pattern: Numbers, marks: Places, path: Places) -> None:
    """Mark a pattern, which begins at place 1, and make its path empty."""
    for place in range(1, len(pattern)):
        marks[pattern[place]] = place
        path[place] = UNDECIDED


@compiled
def unmark(pattern: Numbers, marks: Places) -> None:
    """Remove the marks of a pattern, which begins at place 1."""
    for place in range(1, len(pattern)):
        marks[pattern[place]] = 0


@compiled
def find_partner(pattern: Numbers, tree: Tree, marks: Places, path: Places) -> tuple[int, int]:
    """Find what a pattern is paired with: it begins at place 1, with the sign +.

    Returned: the signed element that the partner has in addition, `WITH_SMALLER` or `UNPAIRED`; and
    the rank. `marks`: zeros, one for each signed element. `path`: see `follow`.
    """
    mark(pattern, marks, path)
    code, step = follow(tree.roots[pattern[1] >> 1], tree, marks, path)
    partner = name_partner(code, marks)
    unmark(pattern, marks)
    return partner, int(tree.ranks[step])


@compiled
def insert(pattern: Numbers, element: int) -> int:
    """Insert a signed element into a pattern that begins at place 1; return its place."""
    place, size = 0, len(pattern)
    while place + 1 < size and pattern[place + 1] > element:
        pattern[place] = pattern[place + 1]
        place += 1
    pattern[place] = element
    return place
