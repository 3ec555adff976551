"""Faces of sign patterns, replaced until none of them has a partner, in compiled code.

A face that is paired with a column is replaced by the other faces of this column. Many sums of
columns are in work at once: each face is replaced once for all of them. The highest ranks come
first, so none comes back: docs/theory/topological.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from samapprox.proofs.refutations.orientation_clauses import binomials
from samapprox.solvers.refutations.elimination.elimination_kernel import (
    alternates,
    drop,
    find,
    hash_key,
    name_face,
    number_face,
    push,
)
from samapprox.solvers.refutations.elimination.partners_kernel import (
    NODE,
    UNDECIDED,
    WITH_SMALLER,
    Tree,
    find_partner,
    follow,
    insert,
    mark,
    name_partner,
)
from samapprox.support.arrays import Numbers, Places, Words
from samapprox.support.jit import compiled

_NONE, _ONE = np.uint64(0), np.uint64(1)

USED, FREE, WAITING, ADDED, TRAIL = range(5)
"""Entries of `state`: slots that were ever used, and free ones of these; faces in the heap; added
patterns; columns in the trail."""


class Numbering(NamedTuple):
    """How faces are numbered, see `number_face`, and room to look up their partners."""

    binomials: Numbers
    bits: int
    face: Numbers
    marks: Places  # see `find_partner`
    path: Places
    spare: Places  # a path that does not matter

    @classmethod
    def of(cls, elements: int, size: int, bits: int) -> Numbering:
        """Return the numbering of the faces of patterns of so many elements."""
        return cls(
            binomials(elements, size),
            bits,
            np.zeros(size, np.int64),
            np.zeros(2 * elements, np.int32),
            np.zeros(size + 1, np.int32),
            np.zeros(size + 1, np.int32),
        )


class Sums(NamedTuple):
    """Faces of sums of columns. A face has a slot from when it occurs until it is replaced."""

    state: Numbers
    odd: Words  # the sums with oddly many alternating patterns, as bits
    keys: Numbers  # with `slots`: a hash table of faces
    slots: Places
    free: Places
    faces: Numbers
    owners: Words  # two axes: the sums that contain a face, as bits
    heap: Numbers  # minus the rank and slot of each face to be replaced: the highest rank on top


@compiled
def forget(place: int, keys: Numbers, values: Places) -> None:
    """Remove the key at a place of a hash table, and move others so that they are found."""
    last = len(keys) - 1
    at = place
    while True:
        at = (at + 1) & last
        if values[at] < 0:
            break
        if ((at - hash_key(keys[at])) & last) >= ((at - place) & last):
            keys[place], values[place] = keys[at], values[at]
            place = at
    values[place] = -1


@compiled
def _add_face(number: int, partner: int, rank: int, mask: Words, sums: Sums) -> None:
    """Add a face to the sums that `mask` marks, unless it is paired with a smaller one."""
    if partner == WITH_SMALLER:
        return
    state = sums.state
    place = find(number, sums.keys, sums.slots)
    slot = sums.slots[place]
    if slot >= 0:
        for word in range(len(mask)):
            sums.owners[slot, word] ^= mask[word]
        return
    if state[FREE] > 0:
        state[FREE] -= 1
        slot = sums.free[state[FREE]]
    else:
        slot = state[USED]
        state[USED] += 1
    sums.keys[place], sums.slots[place], sums.faces[slot] = number, slot, number
    for word in range(len(mask)):
        sums.owners[slot, word] = mask[word]
    if partner >= 0:
        push(sums.heap, state[WAITING], -((rank << 32) + int(slot)))
        state[WAITING] += 1


@compiled
def _add_any_face(
    pattern: Numbers, left_out: int, mask: Words, tree: Tree, numbering: Numbering, sums: Sums
) -> None:
    """Add the face of a pattern without one place."""
    number = number_face(pattern, left_out, numbering.binomials, numbering.bits)
    name_face(number, numbering.face, numbering.binomials, numbering.bits)
    partner, rank = find_partner(numbering.face, tree, numbering.marks, numbering.path)
    _add_face(number, partner, rank, mask, sums)


@compiled
def _replace_face(
    pattern: Numbers, mask: Words, tree: Tree, numbering: Numbering, sums: Sums
) -> None:
    """Add the other faces of a face's partner, and write the partner over the face.

    The decisions about the face and its partner are the same. Without one of the elements that they
    are about, they are the same up to this one, and go on after it. Without the largest element,
    they begin anew. Without any other element, the partner is paired with a smaller face.
    """
    marks, path = numbering.marks, numbering.path
    mark(pattern, marks, path)
    code, _ = follow(tree.roots[pattern[1] >> 1], tree, marks, path)
    new = int(code >> 2)
    insert(pattern, new)
    marks[new] = len(pattern)
    for left_out in range(1, len(pattern)):
        element = pattern[left_out]
        place = marks[element]
        if element == new or path[place] == UNDECIDED:
            continue
        marks[element] = 0
        code, step = follow(NODE + 4 * (path[place] + 1), tree, marks, numbering.spare)
        partner = name_partner(code, marks)
        marks[element] = place
        if partner != WITH_SMALLER:
            number = number_face(pattern, left_out, numbering.binomials, numbering.bits)
            _add_face(number, partner, int(tree.ranks[step]), mask, sums)
    for element in pattern:
        marks[element] = 0
    _add_any_face(pattern, 0, mask, tree, numbering, sums)


@compiled
def _take_face(sums: Sums, mask: Words) -> int:
    """Take the face with the highest rank; return its slot, and its sums in `mask`."""
    state = sums.state
    slot = -sums.heap[0] & 0x7FFFFFFF
    drop(sums.heap, state[WAITING])
    state[WAITING] -= 1
    forget(find(sums.faces[slot], sums.keys, sums.slots), sums.keys, sums.slots)
    sums.free[state[FREE]] = slot
    state[FREE] += 1
    for word in range(len(mask)):
        mask[word] = sums.owners[slot, word]
    return int(slot)


@compiled
def flow(
    tree: Tree, numbering: Numbering, patterns: Numbers, trail: Numbers, sums: Sums, steps: int
) -> bool:
    """Add patterns and replace faces, for so many steps; return whether all is done.

    Each pattern is a sum of its own, unless there is a trail: then all of them are one sum, and the
    trail gets the columns that replace faces.
    """
    size, state, width = patterns.shape[1], sums.state, sums.owners.shape[1]
    pattern = np.empty(size, dtype=np.int64)
    mask = np.zeros(width, dtype=np.uint64)
    read = 0
    while read < steps and state[USED] - state[FREE] + size <= len(sums.faces):
        if 0 < len(trail) <= state[TRAIL]:
            break
        read += 2 * len(numbering.marks) + width
        if state[ADDED] < len(patterns):
            for place in range(size):
                pattern[place] = patterns[state[ADDED], place]
            for word in range(width):
                mask[word] = _NONE
            number = 0 if len(trail) else state[ADDED]
            mask[number >> 6] = _ONE << np.uint64(number & 63)
            state[ADDED] += 1
            for left_out in range(size):
                _add_any_face(pattern, left_out, mask, tree, numbering, sums)
        elif state[WAITING] > 0:
            slot = _take_face(sums, mask)
            some = _NONE
            for word in range(width):
                some |= mask[word]
            if some == _NONE:
                continue
            name_face(sums.faces[slot], pattern, numbering.binomials, numbering.bits)
            _replace_face(pattern, mask, tree, numbering, sums)
            if len(trail):
                for place in range(size):
                    trail[state[TRAIL], place] = pattern[place]
                state[TRAIL] += 1
        else:
            return True
        if alternates(pattern):
            for word in range(width):
                sums.odd[word] ^= mask[word]
    return False


@compiled
def move(sums: Sums, keys: Numbers, slots: Places) -> None:
    """Put all faces into a larger hash table."""
    for place in range(len(sums.slots)):
        if sums.slots[place] >= 0:
            new = find(sums.keys[place], keys, slots)
            keys[new], slots[new] = sums.keys[place], sums.slots[place]
