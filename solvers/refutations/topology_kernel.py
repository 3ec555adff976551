"""The opposed sign patterns that elimination has to look at, listed by compiled code.

All others are paired: see `samapprox.solvers.refutations.pairing_kernel`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.refutations.pairing_kernel import UNPAIRED, find_partner, make_room
from samapprox.support.jit import compiled

__all__ = ["Stack", "list_columns", "make_stack"]

Words = NDArray[np.uint64]
Numbers = NDArray[np.int64]
Stack = tuple[Numbers, Numbers, Numbers, Numbers, Words, Words]
"""The place in a search; see `make_stack`."""

_LIKE, _UNLIKE, _FACE = 0, 2, 4  # where the covectors of a pattern are, and those of its opposite


def make_stack(elements: int, size: int, words: int) -> Stack:
    """Return the start of the search for sign patterns on `size` of the elements."""
    choices = np.full(size + 1, -1, dtype=np.int64)
    choices[0] = 2 * elements - 2
    every = np.zeros((size + 1, words), dtype=np.uint64)
    every[1] = ~np.uint64(0)
    return (
        np.zeros(1, dtype=np.int64),
        choices,
        np.zeros((size + 1, 2), dtype=np.int64),
        np.zeros((size + 1, elements), dtype=np.int64),
        every,
        every.copy(),
    )


@compiled
def list_columns(
    plus: Words,
    minus: Words,
    level: Numbers,
    choices: Numbers,
    counts: Numbers,
    larger: Numbers,
    shown: Words,
    opposed: Words,
    found: Numbers,
    steps: int,
) -> int:
    """List opposed sign patterns: some covector has these signs, and some has all opposite ones.

    Left out are those that are paired with a larger pattern or with a face.

    A pattern is its largest element v and its face F without v. The search chooses v, and then the
    elements of F, with the first one as +. If v has the sign of the first element of F, the pattern
    is *like*, otherwise *unlike*. Each row of `larger` contains, of the elements above v, first
    those that extend F and v so far, and at its end those that extend F alone; `counts` says how
    many of each. Only the first ones, which are few, can extend a complete pattern.
    """
    elements, words = plus.shape
    size = found.shape[1]
    sets = np.empty((6, words), dtype=np.uint64)  # see `_narrow`
    pattern, room = np.empty(size + 1, dtype=np.int64), make_room(elements, words)
    at, count, read = level[0], 0, 0
    while at >= 0 and read < steps and count + 1 < len(found):
        choice = choices[at]
        if choice < 2 * (size - 1 - at):
            at -= 1
            continue
        element = choice >> 1
        if at == 0:
            choices[0], choices[1] = choice - 2, choice - 2
            counts[1, 0], counts[1, 1] = elements - 1 - element, 0
            for place in range(counts[1, 0]):
                larger[1, place] = elements - 1 - place
            at = 1
            continue
        choices[at] = choice - (2 if at == 1 else 1)
        first = (choices[0] + 2) >> 1
        like, unlike = _narrow(plus, minus, choice, first, shown, opposed, at, sets)
        read += words
        if not (like or unlike):
            continue
        if 2 <= at < size - 1:
            second = (choices[1] + 2) >> 1
            read += words * (first - second)
            if _some_agrees(plus, minus, second + 1, first, sets):
                continue
        both, extended = like and unlike, False
        inner, outer = 0, 0
        for place in range(counts[at, 0]):
            other = larger[at, place]
            read += words
            extends_like = like and _extends(plus, minus, other, sets, _LIKE)
            extends_unlike = unlike and _extends(plus, minus, other, sets, _UNLIKE)
            if extends_like or extends_unlike:
                extended = True
                larger[at + 1, inner] = other
                inner += 1
            elif at < size - 1 and _extends(plus, minus, other, sets, _FACE):
                outer += 1
                larger[at + 1, elements - outer] = other
            # It seldom extends all patterns of more elements.
            if at < min(size - 1, max(2, size - 3)):
                continue
            if extends_like and (at == size - 1 or _agree(plus, minus, other, sets, _LIKE)):
                like = False
            if extends_unlike and (at == size - 1 or _agree(plus, minus, other, sets, _UNLIKE)):
                unlike = False
            if not (like or unlike):
                # It probably extends the next patterns, too.
                larger[at, place], larger[at, 0] = larger[at, 0], other
                break
        if not (like or unlike):
            continue
        if at < size - 1:
            for place in range(elements - counts[at, 1], elements):
                other = larger[at, place]
                read += words
                if _extends(plus, minus, other, sets, _FACE):
                    outer += 1
                    larger[at + 1, elements - outer] = other
            if inner + outer > 0 or both:
                at += 1
                counts[at, 0], counts[at, 1] = inner, outer
                choices[at] = 2 * element - 1
            continue
        # Where no larger element extends F, one of at most two patterns is paired with F: the one
        # in which the largest and the smallest element have unlike signs, if both are opposed.
        smallest = 0 if at == 1 else choice & 1
        if not extended and not (both and (not like if smallest else not unlike)):
            extended = _some_extends(plus, minus, larger, counts, at, sets)
            read += words * (counts[at, 0] + counts[at, 1])
        for flip in range(1, -1, -1):
            if (unlike if flip else like) and (extended or (both and flip == smallest)):
                pattern[1], pattern[2] = 2 * first, (choices[1] + 2) ^ flip
                for place in range(2, size):
                    pattern[place + 1] = (choices[place] + 1) ^ flip
                read += 3 * words * elements
                found[count] = pattern[1:]
                count += find_partner(pattern, plus, minus, *room) == UNPAIRED
    level[0] = at
    return count


@compiled
def _narrow(
    plus: Words,
    minus: Words,
    choice: int,
    first: int,
    shown: Words,
    opposed: Words,
    at: int,
    sets: Words,
) -> tuple[bool, bool]:
    """Add an element to F. Return whether the like and the unlike pattern are opposed.

    The next rows of `shown` and `opposed` become the covectors with F and with its opposite, as do
    two rows of `sets`; two more each become those of the like and of the unlike pattern.
    """
    element = choice >> 1
    a, b, c, d = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
    for word in range(plus.shape[1]):
        p, m = plus[element, word], minus[element, word]
        if choice & 1:
            p, m = m, p
        p, m = p & shown[at, word], m & opposed[at, word]
        shown[at + 1, word], opposed[at + 1, word] = p, m
        sets[_FACE, word], sets[_FACE + 1, word] = p, m
        p_first, m_first = plus[first, word], minus[first, word]
        sets[_LIKE, word], sets[_LIKE + 1, word] = p & p_first, m & m_first
        sets[_UNLIKE, word], sets[_UNLIKE + 1, word] = p & m_first, m & p_first
        a |= p & p_first
        b |= m & m_first
        c |= p & m_first
        d |= m & p_first
    return a != 0 and b != 0, c != 0 and d != 0


@compiled
def _some_extends(
    plus: Words, minus: Words, larger: Numbers, counts: Numbers, at: int, sets: Words
) -> bool:
    """Return whether one of the larger elements extends F."""
    for place in range(-counts[at, 1], counts[at, 0]):  # the last ones are at the end of the row
        if _extends(plus, minus, larger[at, place], sets, _FACE):
            return True
    return False


@compiled
def _some_agrees(plus: Words, minus: Words, start: int, end: int, sets: Words) -> bool:
    """Return whether all covectors of F agree on an element from `start` to `end`.

    If these lie between the largest element of F and v, then all patterns that contain F + v are
    paired: each of them is of the same kind with this element.
    """
    element = start
    while element < end and not _agree(plus, minus, element, sets, _FACE):
        element += 1
    return element < end


@compiled
def _extends(plus: Words, minus: Words, element: int, sets: Words, row: int) -> bool:
    """Return whether an element extends an opposed pattern with one of its two signs.

    The rows `row` and `row + 1` of `sets` are the covectors with the pattern and its opposite.
    """
    same_shown, same_opposed, other_shown, other_opposed = False, False, False, False
    for word in range(plus.shape[1]):
        p, m = plus[element, word], minus[element, word]
        shown, opposed = sets[row, word], sets[row + 1, word]
        same_shown |= p & shown != 0
        same_opposed |= m & opposed != 0
        other_shown |= m & shown != 0
        other_opposed |= p & opposed != 0
        if (same_shown and same_opposed) or (other_shown and other_opposed):
            return True
    return False


@compiled
def _agree(plus: Words, minus: Words, element: int, sets: Words, row: int) -> bool:
    """Return whether all covectors of an opposed pattern agree on an element.

    Then the element extends all opposed patterns that contain this one.
    """
    same, other = True, True
    for word in range(plus.shape[1]):
        p, m = plus[element, word], minus[element, word]
        shown, opposed = sets[row, word], sets[row + 1, word]
        same &= (shown & ~p) | (opposed & ~m) == 0
        other &= (shown & ~m) | (opposed & ~p) == 0
        if not (same or other):
            return False
    return True
