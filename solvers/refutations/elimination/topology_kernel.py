"""The opposed sign patterns that elimination has to look at, listed by compiled code.

All others are paired: see `samapprox.solvers.refutations.elimination.pairing_kernel`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from samapprox.solvers.refutations.elimination.extensions_kernel import (
    SignBits,
    agrees_between,
    between,
    exclude_outsiders,
    extend,
    extends_above,
    highest,
    narrow,
)
from samapprox.solvers.refutations.elimination.pairing_kernel import (
    REST,
    ROWS,
    TWIN,
    UNPAIRED,
    WHOLE,
    pair_below,
)
from samapprox.support.arrays import Numbers, Words
from samapprox.support.jit import compiled

_NONE, _ONE = np.uint64(0), np.uint64(1)

# Rows of `sets` of a level, two for each pattern. Let e be the largest element of P.
_WHOLE, _REST, _IN_PART, _TWIN, _ROWS = 0, 2, 4, 6, 8

# Of numpy, since numba would compile functions anew for each of Python's integers.
_PART: Any = np.int64(0)  # its row
_FIRST: Any = np.int64(1)  # level


class Stack(NamedTuple):
    """The place in a search for sign patterns of one size."""

    tops: Numbers  # the largest elements of patterns, one for each part
    parts: Words  # (parts, words): covectors that agree above this element
    place: Numbers  # level, or -1 at the end; number of the part, twice, and 1 beside twins
    chosen: Numbers  # the signed elements so far
    sets: Words
    rest: Words  # two rows for each level: the elements that are still to be tried, with each sign
    room_sets: Words  # for `find_partner`
    room_masks: Words

    @classmethod
    def start(cls, tops: Numbers, parts: Words, size: int, words: int) -> Stack:
        """Return the start of a search; `words`: of a set of elements."""
        covector_words = parts.shape[1]
        return cls(
            tops,
            parts,
            np.zeros(2, dtype=np.int64),
            np.zeros(size + 1, dtype=np.int64),
            np.zeros((size * _ROWS, covector_words), dtype=np.uint64),
            np.zeros((2 * size + 2, words), dtype=np.uint64),
            np.zeros((2 * ROWS, covector_words), dtype=np.uint64),
            np.zeros((2 * ROWS, words), dtype=np.uint64),
        )


@compiled
def list_columns(bits: SignBits, stack: Stack, found: Numbers, steps: int) -> int:
    """List opposed sign patterns: some covector has these signs, and some has all opposite ones.

    Left out are those that are paired with a larger pattern or with a face.

    Let e be the largest element of a pattern P that is left, and F the others. Either no element
    above e extends F, and P has a twin with the other sign at e; or some does, but none extends P.
    So the covectors that show F, or P, and those that show its opposite, are in one part: no
    element above e distinguishes them. The search chooses a part and e, then the other elements.
    """
    size = found.shape[1]
    place, chosen, rest = stack.place, stack.chosen, stack.rest
    count, read = 0, 0
    while read < steps and count < len(found):
        at = place[0]
        if at == 0:
            if place[1] == 2 * len(stack.tops):
                place[0] = -1
                break
            chosen[1] = 2 * stack.tops[place[1] >> 1]
            place[1] += 1
            read += _begin(bits, stack, size)
            continue
        element, flip = _take(rest, 2 * at)
        if element < 0:
            place[0] = at - 1
            continue
        chosen[at + 1] = 2 * element + flip
        if at == size - 1:
            if _is_column(bits, stack, at):
                for member in range(size):
                    found[count, member] = chosen[member + 1]
                count += 1
            read += 3 * bits.shown.size
            continue
        read += _add(bits, stack, at + 1, size)
    return count


@compiled
def _is_column(bits: SignBits, stack: Stack, at: int) -> bool:
    """Return whether the pattern that was chosen has no partner, and has a twin or not as asked."""
    chosen, sets, masks, row = stack.chosen, stack.room_sets, stack.room_masks, at * _ROWS
    top, last, twins = chosen[1] >> 1, chosen[at + 1], stack.place[1] & 1 == 1
    for word in range(sets.shape[1]):  # a copy of F, for `narrow`
        for opposed in range(2):
            sets[WHOLE + opposed, word] = stack.sets[row + _REST + opposed, word]
    narrow(bits, sets, WHOLE, last, REST)
    if extends_above(bits, sets, REST, top) == twins:
        return False
    narrow(bits, sets, REST, 2 * top, WHOLE)
    if twins:
        narrow(bits, sets, REST, 2 * top + 1, TWIN)
    elif extends_above(bits, sets, WHOLE, top):
        return False
    return pair_below(chosen, twins, bits, sets, masks) == UNPAIRED


@compiled
def _take(rest: Words, row: int) -> tuple[int, int]:
    """Take the largest element from a level, and its sign; -1 if there is none."""
    for at in range(rest.shape[1] - 1, -1, -1):
        both = rest[row, at] | rest[row + 1, at]
        if both != _NONE:
            place = highest(both)
            bit = _ONE << np.uint64(place)
            flip = 0 if rest[row, at] & bit != _NONE else 1
            rest[row + flip, at] ^= bit
            return 64 * at + place, flip
    return -1, 0


@compiled
def _begin(bits: SignBits, stack: Stack, size: int) -> int:
    """Choose the first element and a part; return how much was read."""
    number, twins = (stack.place[1] - 1) >> 1, stack.place[1] & 1
    first, sets, row = stack.chosen[1], stack.sets, _ROWS
    for word in range(sets.shape[1]):
        for opposed in range(2):
            sets[row + _REST + opposed, word] = bits.shown[-1, word]
            sets[opposed, word] = stack.parts[number, word]
    narrow(bits, sets, row + _REST, first, row + _WHOLE)
    if not narrow(bits, sets, _PART, first, row + _IN_PART):
        return 1
    if twins:
        narrow(bits, sets, _PART, first + 1, row + _TWIN)
    return _open(bits, stack, _FIRST, size)


@compiled
def _add(bits: SignBits, stack: Stack, at: int, size: int) -> int:
    """Add the element that was chosen for a level; return how much was read."""
    sets, row = stack.sets, at * _ROWS
    twins = stack.place[1] & 1
    for kind in range(_WHOLE, _ROWS if twins else _TWIN, 2):
        narrow(bits, sets, row - _ROWS + kind, stack.chosen[at], row + kind)
    return _open(bits, stack, at, size)


@compiled
def _open(bits: SignBits, stack: Stack, at: int, size: int) -> int:
    """Go to a level, unless all patterns that contain what was chosen are paired.

    Returned: how much was read.
    """
    sets, rest, chosen, row = stack.sets, stack.rest, stack.chosen, at * _ROWS
    element, top, twins = chosen[at] >> 1, chosen[1] >> 1, stack.place[1] & 1
    kept = row + (_REST if twins else _WHOLE)
    if at < size - 1:
        if not twins and not extends_above(bits, sets, row + _REST, top):
            return bits.shown.size
        if agrees_between(bits, sets, kept, top, len(bits.shown) >> 1):
            return bits.shown.size
        if at > 1 and agrees_between(bits, sets, row + _REST, chosen[2] >> 1, top):
            return bits.shown.size
    extend(bits, sets, row + _IN_PART, rest, 2 * at)
    if twins:
        extend(bits, sets, row + _TWIN, rest, 2 * at + 2)
    for word in range(rest.shape[1]):
        below = ~between(element - 1, 64 * rest.shape[1], word)
        for flip in range(2):
            rest[2 * at + flip, word] &= below
            if twins:
                rest[2 * at + flip, word] &= rest[2 * at + 2 + flip, word]
        if twins and at == size - 1:
            rest[2 * at + 1, word] = _NONE  # the others are paired with F
    if at == size - 1:
        number = (stack.place[1] - 1) >> 1
        exclude_outsiders(bits, sets, kept, stack.parts[number], rest, 2 * at)
    stack.place[0] = at
    return bits.shown.size
