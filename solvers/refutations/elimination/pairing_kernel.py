"""Pairs of opposed sign patterns, one a face of the other, which elimination need not list.

They are an acyclic matching: docs/theory/topological.md. Forman (1998), "Morse theory for cell
complexes"; Bauer (2021), "Ripser: efficient computation of Vietoris-Rips persistence barcodes".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samapprox.solvers.refutations.elimination.extensions_kernel import (
    SignBits,
    between,
    extend,
    extends_above,
    gather,
    highest,
    narrow,
)
from samapprox.support.arrays import Numbers, Words
from samapprox.support.jit import compiled

UNPAIRED, WITH_SMALLER = -1, -2

# Rows of `sets` and `masks`, two for each pattern. Let e, x, y be the largest elements of P. Numba
# would compile functions anew for each of Python's integers, but not for those of numpy.
_rows: Any = np.arange(0, 16, 2)
REST, WHOLE, TWIN = _rows[:3]  # F = P - e, P, and P with the other sign at e
_INNER, _LAST, _LAST_X = _rows[3:6]  # F - x, F - x - y, F - y
_NEXT, _FREE = _rows[6:]  # these and two more: patterns with one more element

_places: Any = np.arange(5)
_SECOND, _THIRD, _FOURTH = _places[2:]  # of a pattern

ROWS = 10
"""Patterns for which `find_partner` needs room: see `topology_kernel.Stack`."""

_NONE, _ONE = np.uint64(0), np.uint64(1)


@compiled
def find_partner(pattern: Numbers, bits: SignBits, sets: Words, masks: Words) -> int:
    """Find what a pattern P is paired with: it begins at place 1, with the sign +.

    If P is paired with P and one more element, the result is the place of the element plus four
    times the signed element, for `insert`. Otherwise it is `WITH_SMALLER` or `UNPAIRED`.

    Let e be the largest element of P, and F its other elements. If elements above e extend P, then
    P is paired with P and the largest of these. If no element above e extends F either, then F is
    paired with F + e. An element that may have both signs gets the one unlike the smallest
    element. Other patterns are paired among those of their kind: see `pair_below`.

    `sets`, `masks`: room for `ROWS` patterns.
    """
    size, element = len(pattern), pattern[1] >> 1
    gather(bits, pattern, _SECOND, sets, REST)
    narrow(bits, sets, REST, 2 * element, WHOLE)
    extend(bits, sets, WHOLE, masks, WHOLE)
    like_smallest = 1 - (pattern[size - 1] & 1)
    for at in range(masks.shape[1] - 1, (element >> 6) - 1, -1):
        above = masks[WHOLE, at] | masks[WHOLE + 1, at]
        above &= between(element, 64 * masks.shape[1], at)
        if above != _NONE:
            top = highest(above)
            bit = _ONE << np.uint64(top)
            has_unlike = masks[WHOLE + like_smallest, at] & bit != _NONE
            flip = like_smallest if has_unlike else 1 - like_smallest
            return 4 * (2 * (64 * at + top) + int(flip))
    if size == 2:
        return UNPAIRED  # the pattern has no face
    twin = not extends_above(bits, sets, REST, element)
    if twin and not (narrow(bits, sets, REST, 2 * element + 1, TWIN) and like_smallest):
        return WITH_SMALLER
    return pair_below(pattern, twin, bits, sets, masks)


@compiled
def insert(pattern: Numbers, partner: int) -> int:
    """Make a pattern its partner with one more element; return the place of this element."""
    place, signed = partner & 3, partner >> 2
    if place == 0 and signed & 1:
        for at in range(1, len(pattern)):
            pattern[at] ^= 1
        signed -= 1
    for at in range(place):
        pattern[at] = pattern[at + 1]
    pattern[place] = signed
    return place


@compiled
def pair_below(pattern: Numbers, twin: bool, bits: SignBits, sets: Words, masks: Words) -> int:
    """Find what P is paired with among the patterns of its kind with the largest element e.

    Either no element above e extends F, and e may have both signs (`twin`), or some element above e
    extends F but not P. This also holds for the patterns of the same kind. Pairs differ in the
    second largest element. If it may have both signs, it gets the one unlike e. What is left is
    paired in the same way by the third largest element.
    """
    size, element, second = len(pattern), pattern[1] >> 1, pattern[2] >> 1
    found = _find_second(REST, element, second, twin, bits, sets, masks)
    if found >= 0:
        return 4 * found + 1
    if size == 3:
        return UNPAIRED  # e alone is not paired
    gather(bits, pattern, _THIRD, sets, _INNER)
    twin_inner = _begins(_INNER, element, second, twin, bits, sets, masks)
    if twin_inner:
        if pattern[2] & 1:
            return WITH_SMALLER
        if not _is_second(_INNER, element, pattern[2] ^ 1, twin, bits, sets):
            return WITH_SMALLER
    third, kinds = pattern[3] >> 1, (twin, twin_inner)
    found = _find_third(_INNER, REST, element, pattern[2], third, kinds, bits, sets, masks)
    if found >= 0:
        return 4 * found + 2
    if size == 4:
        return UNPAIRED
    gather(bits, pattern, _FOURTH, sets, _LAST)
    narrow(bits, sets, _LAST, pattern[2], _LAST_X)
    if (
        not _begins(_LAST_X, element, second, twin, bits, sets, masks)
        or _begins(_LAST, element, second, twin, bits, sets, masks) != twin_inner
    ):
        return UNPAIRED
    found = _find_third(_LAST, _LAST_X, element, pattern[2], third, kinds, bits, sets, masks)
    if found >= 0:
        return UNPAIRED
    if pattern[3] & 1:
        return WITH_SMALLER
    other = pattern[3] ^ 1
    both = _is_third(_LAST, _LAST_X, element, pattern[2], other, kinds, bits, sets, masks)
    return UNPAIRED if both else WITH_SMALLER


@compiled
def _begins(
    base: int, element: int, second: int, twin: bool, bits: SignBits, sets: Words, masks: Words
) -> bool:
    """Return whether a pattern and e are of P's kind, and none of `_find_second` leads to it."""
    narrow(bits, sets, base, 2 * element, _FREE)
    if extends_above(bits, sets, base if twin else _FREE, element):
        return False
    return _find_second(base, element, second, twin, bits, sets, masks) < 0


@compiled
def _find_second(
    base: int, element: int, low: int, twin: bool, bits: SignBits, sets: Words, masks: Words
) -> int:
    """Find the first element between `low` and e that leads to another pattern of P's kind.

    The pattern `base` and e must have no extension above e. Returned: the element with its sign, or
    -1.
    """
    narrow(bits, sets, base, 2 * element, _FREE)
    extend(bits, sets, _FREE, masks, _FREE)
    for at in range(element >> 6, (low >> 6) - 1, -1):
        rest = masks[_FREE, at] | masks[_FREE + 1, at]
        rest &= between(low, element, at)
        while rest != _NONE:
            place = highest(rest)
            rest ^= _ONE << np.uint64(place)
            for signed in range(128 * at + 2 * place + 1, 128 * at + 2 * place - 1, -1):
                if _is_second(base, element, signed, twin, bits, sets):
                    return signed
    return -1


@compiled
def _is_second(
    base: int, element: int, inner: int, twin: bool, bits: SignBits, sets: Words
) -> bool:
    """Return whether a pattern, the signed element `inner` and e are of P's kind.

    The pattern and e must have no extension above e.
    """
    longer = _FREE + 2
    if not narrow(bits, sets, base, inner, longer):
        return False
    if not twin and not extends_above(bits, sets, longer, element):
        return False
    if twin and not narrow(bits, sets, longer, 2 * element + 1, _FREE + 4):
        return False
    return narrow(bits, sets, longer, 2 * element, _FREE + 4)


@compiled
def _find_third(
    base: int,
    with_second: int,
    element: int,
    second: int,
    low: int,
    kinds: tuple[bool, bool],
    bits: SignBits,
    sets: Words,
    masks: Words,
) -> int:
    """Find the first element between `low` and x that leads to another pattern of P's kind.

    The pattern `base` and x, the row `with_second`, must begin with x: see `_begins`.
    """
    narrow(bits, sets, with_second, 2 * element, _FREE)
    extend(bits, sets, _FREE, masks, _NEXT)
    for at in range(second >> 7, (low >> 6) - 1, -1):
        rest = masks[_NEXT, at] | masks[_NEXT + 1, at]
        rest &= between(low, second >> 1, at)
        while rest != _NONE:
            place = highest(rest)
            rest ^= _ONE << np.uint64(place)
            for signed in range(128 * at + 2 * place + 1, 128 * at + 2 * place - 1, -1):
                if _is_third(base, with_second, element, second, signed, kinds, bits, sets, masks):
                    return signed
    return -1


@compiled
def _is_third(
    base: int,
    with_second: int,
    element: int,
    second: int,
    inner: int,
    kinds: tuple[bool, bool],
    bits: SignBits,
    sets: Words,
    masks: Words,
) -> bool:
    """Return whether a pattern, the signed element `inner`, x and e are of P's kind.

    The arguments must be as in `_find_third`.
    """
    twin, twin_inner = kinds
    if not _is_second(with_second, element, inner, twin, bits, sets):
        return False
    narrow(bits, sets, base, inner, _NEXT)
    if twin_inner:
        return _is_second(_NEXT, element, second ^ 1, twin, bits, sets)
    return not _begins(_NEXT, element, second >> 1, twin, bits, sets, masks)
