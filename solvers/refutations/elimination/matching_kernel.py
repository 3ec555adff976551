"""A matching tree on opposed sign patterns, and those that have no partner, in compiled code.

Jonsson (2008), "Simplicial complexes of graphs"; Bousquet-Mélou, Linusson, Nevo (2008), "On the
independence complex of square grids"; Barmak, Minian (2012), "Strong homotopy types, nerves and
collapses". The proof that the pairs have no cycle is in docs/theory/topological.md.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from samapprox.solvers.refutations.elimination.common_signs_kernel import (
    contains_signs,
    find_common,
    lowest,
    next_member,
)
from samapprox.solvers.refutations.elimination.extensions_kernel import SignBits, extend, narrow
from samapprox.solvers.refutations.elimination.partners_kernel import (
    LEAF,
    NODE,
    NOTHING,
    TOGGLE,
    Tree,
)
from samapprox.support.arrays import Numbers, Words
from samapprox.support.jit import compiled

_NONE, _ONE = np.uint64(0), np.uint64(1)

# Entries of `place`: the level, or one of the other values between largest elements and at the end;
# the next largest element; how many steps and ranks there are; what was read since the last look;
# how many patterns have been written. (As arguments, constants would be types of their own.)
LEVEL, _TOP, STEPS, _RANK, _READ, _WRITTEN = range(6)
_BETWEEN, _END = -1, -2

# Entries of `levels`: what is done; whether elements were decided about, and covectors left out,
# since the elements were last weighed; the first step, and the last one whose patterns are still to
# be looked at.
_PHASE, _CHANGED, _THINNED, _FIRST, _STEP = range(5)
_COVECTORS, _ELEMENTS, _CHILDREN = range(3)

_AT_MOST = 2_000  # steps of weighing, more or less, after which growth may pause

# Rows of `sets` for each level: the pattern, what matters of it by now, and what is to be weighed.
_WHOLE, _THIN, _DOUBT, _ROWS = 0, 2, 4, 6

# Rows of `masks` for each level: signed elements that are left, and those that are to be weighed.
_LEFT, _OPEN, _LINES = 0, 2, 4

# Of numpy, since numba would compile functions anew for each of Python's integers.
_FIRST_MEMBER: Any = np.int64(0)
_NO_ELEMENT: Any = np.int64(-1)


class Stack(NamedTuple):
    """The place in the growth of a tree."""

    place: Numbers
    chosen: Numbers  # the signed elements so far
    levels: Numbers
    sets: Words
    masks: Words
    pairs: Numbers  # for each level: the pairs of covectors that show an element, as last weighed

    @classmethod
    def start(cls, size: int, bits: SignBits) -> Stack:
        """Return the start for patterns of so many elements."""
        return cls(
            np.array([_BETWEEN, 0, 0, 0, 0, 0], dtype=np.int64),
            np.zeros(size, dtype=np.int64),
            np.zeros((size, 5), dtype=np.int64),
            np.zeros((size * _ROWS + 2, bits.shown.shape[1]), dtype=np.uint64),
            np.zeros((size * _LINES + 8, bits.has.shape[1]), dtype=np.uint64),
            np.zeros((size, len(bits.shown)), dtype=np.int64),
        )


@compiled
def grow(bits: SignBits, tree: Tree, stack: Stack, found: Numbers, steps: int) -> int:
    """Let a tree grow for so many steps; write patterns without a partner, and return how many.

    The largest elements come one after the other, the first ones first. A node first decides about
    all its elements. Then it looks at those that have nodes of their own, the last ones first: so
    what paths from a pattern lead to is decided before the pattern is written.
    """
    size, elements = found.shape[1], len(bits.shown) >> 1
    place, read = stack.place, 0
    place[_WRITTEN] = 0
    while read < steps and place[_WRITTEN] + 2 * elements <= len(found):
        level = place[LEVEL]
        if level == _END or place[STEPS] + 2 * elements + 1 > len(tree.codes):
            break
        read += 4
        if level == _BETWEEN:
            if place[_TOP] == elements:
                place[LEVEL] = _END
                break
            _begin(bits, tree, stack, found)
            continue
        phase = stack.levels[level, _PHASE]
        if phase == _COVECTORS:
            more = _weigh_covectors(bits, stack, level)
            if more < _AT_MOST:
                more += _begin_round(bits, tree, stack, level, size - 1 - level)
            read += more
        elif phase == _ELEMENTS:
            read += _weigh_elements(bits, tree, stack, level)
        else:
            _look_at_step(bits, tree, stack, found)
            read += bits.shown.shape[1] * bits.has.shape[1] + place[_READ]
            place[_READ] = 0
    return int(place[_WRITTEN])


@compiled
def _begin(bits: SignBits, tree: Tree, stack: Stack, found: Numbers) -> None:
    """Begin with the next largest element."""
    place, sets, masks = stack.place, stack.sets, stack.masks
    top = place[_TOP]
    place[_TOP] += 1
    stack.chosen[0] = 2 * top
    for word in range(sets.shape[1]):
        for opposed in range(2):
            sets[opposed, word] = bits.shown[2 * top + opposed, word]
    for at in range(masks.shape[1]):
        below = _NONE if at > top >> 6 else ~_NONE
        if at == top >> 6:
            below = (_ONE << np.uint64(top & 63)) - _ONE
        masks[0, at] = masks[1, at] = below
    tree.roots[top] = NODE + 4 * place[STEPS]
    if found.shape[1] > 2:
        place[LEVEL] = 0
        _open(stack, place[LEVEL])
    else:
        level = place[LEVEL] - _BETWEEN  # 0, which is no constant
        _record(tree, stack, _NO_ELEMENT, _end_in_leaf(bits, stack, level, _LINES * level, found))
        _rank(tree, stack, place[STEPS] - 1)


@compiled
def _open(stack: Stack, level: int) -> None:
    """Begin with a node: its covectors and elements are in their places."""
    sets, masks, row, own = stack.sets, stack.masks, _ROWS * level, _LINES * level
    for opposed in range(2):
        for word in range(sets.shape[1]):
            sets[row + _THIN + opposed, word] = sets[row + opposed, word]
            sets[row + _DOUBT + opposed, word] = sets[row + opposed, word]
        for at in range(masks.shape[1]):
            masks[own + _OPEN + opposed, at] = masks[own + opposed, at]
    state = stack.levels[level]
    state[_PHASE], state[_CHANGED], state[_THINNED] = _COVECTORS, 0, 1
    state[_FIRST] = stack.place[STEPS]
    stack.place[LEVEL] = level


@compiled
def _record(tree: Tree, stack: Stack, element: int, code: int) -> None:
    """Add a step."""
    step = stack.place[STEPS]
    tree.elements[step], tree.codes[step] = element, code
    stack.place[STEPS] += 1


@compiled
def _rank(tree: Tree, stack: Stack, step: int) -> None:
    """Give a step the next rank, above all that paths from it lead to."""
    stack.place[_RANK] += 1
    tree.ranks[step] = stack.place[_RANK]


@compiled
def _flip(masks: Words, row: int, signed: int) -> None:
    """Remove a signed element from a set, or add it."""
    masks[row + (signed & 1), signed >> 7] ^= _ONE << np.uint64((signed >> 1) & 63)


# ---------------------------------------------------------------- decisions of a node


@compiled
def _weigh_covectors(bits: SignBits, stack: Stack, level: int) -> int:
    """Leave out covectors if another one shows all that they show; return how much was read.

    What the two sides show together stays the same. Only covectors with an element that was decided
    about since can have become superfluous, and only elements of one that was left out must be
    weighed again.
    """
    sets, masks, own = stack.sets, stack.masks, _LINES * level
    read = 0
    for opposed in range(2):
        thin, doubt = _ROWS * level + _THIN + opposed, _ROWS * level + _DOUBT + opposed
        while read < _AT_MOST:
            covector = next_member(sets, doubt, _FIRST_MEMBER)
            if covector < 0:
                break
            bit = _ONE << np.uint64(covector & 63)
            sets[doubt, covector >> 6] ^= bit
            other = next_member(sets, thin, _FIRST_MEMBER)
            while other >= 0:
                read += 2 * masks.shape[1]
                if other != covector and contains_signs(bits, covector, other, opposed, masks, own):
                    sets[thin, covector >> 6] ^= bit
                    stack.levels[level, _THINNED] = 1
                    for at in range(masks.shape[1]):
                        for sign in range(2):
                            shown = bits.has[2 * covector + (sign ^ opposed), at]
                            masks[own + _OPEN + sign, at] |= shown & masks[own + sign, at]
                    break
                other = next_member(sets, thin, other + 1)
    return read


@compiled
def _begin_round(bits: SignBits, tree: Tree, stack: Stack, level: int, size: int) -> int:
    """Begin to weigh elements, or end the node; return how much was read.

    It ends if one element extends all patterns, or if too few are left for one of this size.
    """
    state, sets, masks = stack.levels[level], stack.sets, stack.masks
    row, own, spare = _ROWS * level, _LINES * level, len(masks) - 2
    read, common = int(masks.shape[1]), -1
    if state[_THINNED]:
        if state[_FIRST] == stack.place[STEPS]:  # what does not matter now will not matter later
            for word in range(sets.shape[1]):
                for opposed in range(2):
                    sets[row + opposed, word] = sets[row + _THIN + opposed, word]
        extend(bits, sets, row + _THIN, masks, spare)
        for at in range(masks.shape[1]):
            for sign in range(2):
                gone = masks[own + sign, at] & ~masks[spare + sign, at]
                while gone != _NONE:
                    signed = 2 * (64 * at + lowest(gone)) + sign
                    gone &= gone - _ONE
                    _decide(bits, stack, level, signed)
        common = find_common(bits, sets, row + _THIN, masks, own, _NO_ELEMENT)
        read += len(bits.has) * masks.shape[1]
    left = 0
    for at in range(masks.shape[1]):
        left += _count(masks[own, at] | masks[own + 1, at])
    if common < 0 and left >= size:
        state[_PHASE], state[_CHANGED], state[_THINNED] = _ELEMENTS, 0, 0
        return read
    _record(tree, stack, _NO_ELEMENT, NOTHING if common < 0 else TOGGLE + 4 * common)
    state[_PHASE], state[_STEP] = _CHILDREN, stack.place[STEPS]
    return read


@compiled
def _decide(bits: SignBits, stack: Stack, level: int, signed: int) -> None:
    """Leave out an element that is decided about, and doubt the covectors that have it."""
    sets, row = stack.sets, _ROWS * level
    _flip(stack.masks, _LINES * level, signed)
    for opposed in range(2):
        for word in range(sets.shape[1]):
            sets[row + _DOUBT + opposed, word] |= (
                sets[row + _THIN + opposed, word] & bits.shown[signed ^ opposed, word]
            )


@compiled
def _count(word: Any) -> int:
    """Count the bits of a word."""
    count = 0
    while word != _NONE:
        word &= word - _ONE
        count += 1
    return count


@compiled
def _weigh_elements(bits: SignBits, tree: Tree, stack: Stack, level: int) -> int:
    """Decide about elements if another one extends all patterns that contain them.

    If there are none, the element with the fewest pairs of covectors gets a node of its own.
    Returned: how much was read.
    """
    state, sets, masks = stack.levels[level], stack.sets, stack.masks
    row, own, spare = _ROWS * level, _LINES * level, len(sets) - 2
    read = 0
    while read < _AT_MOST:
        signed = _take(masks, own + _OPEN)
        if signed < 0:
            break
        read += 8 * (sets.shape[1] + masks.shape[1])
        if masks[own + (signed & 1), signed >> 7] >> np.uint64((signed >> 1) & 63) & _ONE == _NONE:
            continue
        narrow(bits, sets, row + _THIN, signed, spare)
        other = find_common(bits, sets, spare, masks, own, signed)
        if other >= 0:
            _record(tree, stack, signed, TOGGLE + 4 * other)
            _decide(bits, stack, level, signed)
            state[_CHANGED] = 1
        else:
            shown = opposed = 0
            for word in range(sets.shape[1]):
                shown += _count(sets[spare, word])
                opposed += _count(sets[spare + 1, word])
            stack.pairs[level, signed] = shown * opposed
    if read >= _AT_MOST:
        return read
    if not state[_CHANGED]:
        signed = _choose_element(stack, level)
        _record(tree, stack, signed, NODE)
        _decide(bits, stack, level, signed)
    state[_PHASE] = _COVECTORS
    return read + len(bits.shown)


@compiled
def _choose_element(stack: Stack, level: int) -> int:
    """Return the first element with the fewest pairs of covectors that show it."""
    masks, own = stack.masks, _LINES * level
    best, fewest = -1, 0
    for at in range(masks.shape[1]):
        for sign in range(2):
            rest = masks[own + sign, at]
            while rest != _NONE:
                signed = 2 * (64 * at + lowest(rest)) + sign
                rest &= rest - _ONE
                pairs = stack.pairs[level, signed]
                if best < 0 or pairs < fewest or (pairs == fewest and signed < best):
                    best, fewest = signed, pairs
    return best


# ---------------------------------------------------------------- nodes of a node


@compiled
def _look_at_step(bits: SignBits, tree: Tree, stack: Stack, found: Numbers) -> None:
    """Go back by a step, and begin with its node."""
    level = stack.place[LEVEL]
    state, masks, own = stack.levels[level], stack.masks, _LINES * level
    if state[_STEP] == state[_FIRST]:
        stack.place[LEVEL] = level - 1
        return
    state[_STEP] -= 1
    step = state[_STEP]
    _rank(tree, stack, step)
    signed = tree.elements[step]
    if signed < 0:
        return
    if tree.codes[step] & 3 == NODE:
        narrow(bits, stack.sets, _ROWS * level, signed, _ROWS * (level + 1))
        stack.chosen[level + 1] = signed
        if level + 3 == found.shape[1]:
            tree.codes[step] = _end_in_leaf(bits, stack, level + 1, own, found)
        else:
            tree.codes[step] = NODE + 4 * stack.place[STEPS]
            for at in range(masks.shape[1]):
                for sign in range(2):
                    masks[own + _LINES + sign, at] = masks[own + sign, at]
            _open(stack, level + 1)
    _flip(masks, own, signed)  # for the steps before, it is left


@compiled
def _end_in_leaf(bits: SignBits, stack: Stack, level: int, own: int, found: Numbers) -> int:
    """Pair a pattern that is one element short of a column, and return its code.

    Elements that extend it are joined if both together do. If all are joined, each column is paired
    with the pattern, or with the larger one that joins its element to one closer to the first. Of
    all other connected parts, one element gives a column without a partner: these are written.
    """
    masks, left = stack.masks, len(stack.masks) - 8
    extend(bits, stack.sets, _ROWS * level, masks, left)
    for at in range(masks.shape[1]):
        for sign in range(2):
            masks[left + sign, at] &= masks[own + sign, at]
    code = NOTHING
    signed = _take(masks, left)
    while signed >= 0:
        if code == NOTHING:
            code = LEAF + 4 * signed
        else:
            _write(found[stack.place[_WRITTEN]], stack.chosen, level + 1, signed)
            stack.place[_WRITTEN] += 1
        _join(bits, stack, _ROWS * level, signed)
        signed = _take(masks, left)
    return code


@compiled
def _join(bits: SignBits, stack: Stack, row: int, first: int) -> None:
    """Take an element's connected part out of the elements that are left.

    Its members are asked for their neighbours, or those that are left whether they are neighbours
    of the part, whichever are fewer.
    """
    masks, left = stack.masks, len(stack.masks) - 8
    part, new, waiting = left + 2, left + 4, left + 6
    for at in range(masks.shape[1]):
        for sign in range(2):
            masks[part + sign, at] = masks[waiting + sign, at] = _NONE
    _flip(masks, part, first)
    signed, joins, asks, grown = first, True, False, True
    while signed >= 0:
        _find_neighbours(bits, stack, row, signed, new)
        if asks:
            touches = _NONE
            for at in range(masks.shape[1]):
                for sign in range(2):
                    touches |= masks[new + sign, at] & masks[part + sign, at]
            joins = bool(touches != _NONE)
            if joins:
                _flip(masks, left, signed)
                _flip(masks, part, signed)
        if joins:
            members, others = 0, 0
            for at in range(masks.shape[1]):
                for sign in range(2):
                    joined = masks[new + sign, at] & masks[left + sign, at]
                    masks[part + sign, at] |= joined
                    masks[left + sign, at] ^= joined
                    if asks:
                        masks[waiting + sign, at] &= masks[left + sign, at]
                    else:
                        masks[waiting + sign, at] |= joined
                        members += _count(masks[waiting + sign, at])
                        others += _count(masks[left + sign, at])
            grown = True
            if not asks and others < members:
                asks = True
                for at in range(masks.shape[1]):
                    for sign in range(2):
                        masks[waiting + sign, at] = _NONE
        signed = _take(masks, waiting)
        if signed < 0 and asks and grown:
            grown = False
            for at in range(masks.shape[1]):
                for sign in range(2):
                    masks[waiting + sign, at] = masks[left + sign, at]
            signed = _take(masks, waiting)


@compiled
def _find_neighbours(bits: SignBits, stack: Stack, row: int, signed: int, target: int) -> None:
    """Find the elements that extend a pattern together with a signed element."""
    spare = len(stack.sets) - 2
    narrow(bits, stack.sets, row, signed, spare)
    extend(bits, stack.sets, spare, stack.masks, target)
    stack.place[_READ] += 8 * stack.sets.shape[1] * stack.masks.shape[1]


@compiled
def _take(masks: Words, row: int) -> int:
    """Take the first signed element out of a set; return -1 if there is none."""
    for at in range(masks.shape[1]):
        both = masks[row, at] | masks[row + 1, at]
        if both != _NONE:
            place = lowest(both)
            sign = int(masks[row, at] >> np.uint64(place) & _ONE == _NONE)
            signed = 2 * (64 * at + place) + sign
            _flip(masks, row, signed)
            return signed
    return -1


@compiled
def _write(pattern: Numbers, chosen: Numbers, count: int, last: int) -> None:
    """Write a pattern, the largest element first."""
    for number in range(count + 1):
        signed = last if number == count else chosen[number]
        place = number
        while place > 0 and pattern[place - 1] < signed:
            pattern[place] = pattern[place - 1]
            place -= 1
        pattern[place] = signed
