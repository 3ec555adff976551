"""Pairs of opposed sign patterns, one a face of the other, which elimination need not list.

They are an acyclic matching: docs/theory/topological.md. Forman (1998), "Morse theory for cell
complexes"; Bauer (2021), "Ripser: efficient computation of Vietoris-Rips persistence barcodes".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

__all__ = ["UNPAIRED", "WITH_SMALLER", "find_partner", "make_room"]

Words = NDArray[np.uint64]
Numbers = NDArray[np.int64]

UNPAIRED, WITH_SMALLER = -1, -2

# Rows of `sets`, two for each pattern: the covectors that have its signs, and the opposite ones.
_WHOLE, _REST, _FLIPPED, _LONGER = 0, 2, 4, 6


@compiled
def make_room(elements: int, words: int) -> tuple[Words, Numbers]:
    """Return working memory for `find_partner`."""
    return np.empty((8, words), dtype=np.uint64), np.empty(elements, dtype=np.int64)


@compiled
def find_partner(pattern: Numbers, plus: Words, minus: Words, sets: Words, tops: Numbers) -> int:
    """Find what a pattern P is paired with: it begins at place 1, with the sign +.

    If P is paired with P and one more element, `pattern` becomes that, and the place of the element
    is returned. Otherwise the result is `WITH_SMALLER` or `UNPAIRED`.

    Let e be the largest element of P, and F its other elements. If elements above e extend P, then
    P is paired with P and the largest of these. If no element above e extends F either, then F is
    paired with F + e. An element that may have both signs gets the one unlike the smallest
    element. Other patterns are paired among those with the same e: see `_pair_below`.

    `sets`, `tops`: see `make_room`.
    """
    elements, size, element = len(plus), len(pattern), pattern[1] >> 1
    _gather(pattern, 2, plus, minus, sets)
    _extend(plus[element], minus[element], sets, _REST, _WHOLE)
    unlike_smallest = 1 - (pattern[size - 1] & 1)
    for top in range(elements - 1, element, -1):
        same, other = _signs(plus[top], minus[top], sets, _WHOLE)
        if same or other:
            pattern[0] = 2 * top
            if other if unlike_smallest else not same:
                for place in range(1, size):
                    pattern[place] ^= 1
            return 0
    if size == 2:
        return UNPAIRED  # the pattern has no face
    count = _list_tops(element, plus, minus, sets, tops)
    if count == 0:
        same, other = _signs(plus[element], minus[element], sets, _REST)
        if not (other and unlike_smallest):
            return WITH_SMALLER
    return _pair_below(pattern, plus, minus, sets, tops, count)


@compiled
def _pair_below(
    pattern: Numbers, plus: Words, minus: Words, sets: Words, tops: Numbers, count: int
) -> int:
    """Find what P is paired with among the patterns of its kind with the largest element e.

    Either no element above e extends F, and e may have both signs (`count` is 0), or `count`
    elements above e extend F but not P: `tops`. This also holds for the patterns of the same kind.
    Pairs differ in the second largest element. If it may have both signs, it gets the one unlike e.
    """
    size, element, second = len(pattern), pattern[1] >> 1, pattern[2] >> 1
    _extend(minus[element], plus[element], sets, _REST, _FLIPPED)
    for inner in range(element - 1, second, -1):
        same, other = _signs_below(inner, plus, minus, sets, tops, count)
        if same or other:
            pattern[0], pattern[1] = pattern[1], 2 * inner + other
            return 1
    if size == 3:
        return UNPAIRED  # e alone is not paired
    _gather(pattern, 3, plus, minus, sets)
    _extend(plus[element], minus[element], sets, _REST, _WHOLE)
    _extend(minus[element], plus[element], sets, _REST, _FLIPPED)
    if count == 0:
        if _list_tops(element, plus, minus, sets, tops) > 0:
            return UNPAIRED
    else:
        for top in range(len(plus) - 1, element, -1):
            same, other = _signs(plus[top], minus[top], sets, _WHOLE)
            if same or other:
                return UNPAIRED
        count = _list_tops(element, plus, minus, sets, tops)
    for inner in range(element - 1, second, -1):
        same, other = _signs_below(inner, plus, minus, sets, tops, count)
        if same or other:
            return UNPAIRED
    if pattern[2] & 1:
        return WITH_SMALLER
    same, other = _signs_below(second, plus, minus, sets, tops, count)
    return UNPAIRED if other else WITH_SMALLER


@compiled
def _signs_below(
    inner: int, plus: Words, minus: Words, sets: Words, tops: Numbers, count: int
) -> tuple[bool, bool]:
    """Return whether an element extends F + e to another pattern in question, as + and as -."""
    same, other = _signs(plus[inner], minus[inner], sets, _WHOLE)
    if not (same or other):
        return False, False
    if count == 0:
        same_flipped, other_flipped = _signs(plus[inner], minus[inner], sets, _FLIPPED)
        return same and same_flipped, other and other_flipped
    if same:
        _extend(plus[inner], minus[inner], sets, _REST, _LONGER)
        same = _some_extends(plus, minus, sets, tops, count)
    if other:
        _extend(minus[inner], plus[inner], sets, _REST, _LONGER)
        other = _some_extends(plus, minus, sets, tops, count)
    return same, other


@compiled
def _some_extends(plus: Words, minus: Words, sets: Words, tops: Numbers, count: int) -> bool:
    """Return whether one of the first elements of `tops` extends the longer pattern."""
    for place in range(count):
        same, other = _signs(plus[tops[place]], minus[tops[place]], sets, _LONGER)
        if same or other:
            return True
    return False


@compiled
def _list_tops(element: int, plus: Words, minus: Words, sets: Words, tops: Numbers) -> int:
    """List the elements above one that extend F, from the largest one on; return how many."""
    count = 0
    for top in range(len(plus) - 1, element, -1):
        same, other = _signs(plus[top], minus[top], sets, _REST)
        if same or other:
            tops[count] = top
            count += 1
    return count


@compiled
def _gather(pattern: Numbers, start: int, plus: Words, minus: Words, sets: Words) -> None:
    """Find the covectors that have the signs of F, the places from `start`, or opposite ones."""
    for word in range(plus.shape[1]):
        shown, opposed = ~np.uint64(0), ~np.uint64(0)
        for place in range(start, len(pattern)):
            p, m = plus[pattern[place] >> 1, word], minus[pattern[place] >> 1, word]
            if pattern[place] & 1:
                p, m = m, p
            shown &= p
            opposed &= m
        sets[_REST, word], sets[_REST + 1, word] = shown, opposed


@compiled
def _extend(plus: Words, minus: Words, sets: Words, source: int, target: int) -> None:
    """Find the covectors with one pattern and an element, which has the sign +."""
    for word in range(len(plus)):
        sets[target, word] = sets[source, word] & plus[word]
        sets[target + 1, word] = sets[source + 1, word] & minus[word]


@compiled
def _signs(plus: Words, minus: Words, sets: Words, row: int) -> tuple[bool, bool]:
    """Return whether an element extends an opposed pattern with the sign +, and with -."""
    a, b, c, d = False, False, False, False
    for word in range(len(plus)):
        shown, opposed = sets[row, word], sets[row + 1, word]
        a |= plus[word] & shown != 0
        b |= minus[word] & opposed != 0
        c |= minus[word] & shown != 0
        d |= plus[word] & opposed != 0
    return a and b, c and d
