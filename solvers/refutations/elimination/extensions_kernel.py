"""Which elements extend a sign pattern, from bits for covectors and for elements.

A row of `sets` contains the covectors that show a pattern, and the next one those that show its
opposite. A row of `masks` contains the elements that extend it with a sign, which the covectors of
the pattern have there, and the next one those with the other sign.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from samapprox.support.arrays import Numbers, Words
from samapprox.support.jit import compiled, emitted

_NONE, _ONE = np.uint64(0), np.uint64(1)


class SignBits(NamedTuple):
    """The signs of all covectors on all elements, as bits."""

    shown: Words  # (2 elements + 1, words): covectors with + at an element; with -; at last, all
    has: Words  # (2 covectors, words): elements where a covector has +; where it has -


@emitted
def _leading_zeros(_typing: Any, _word: Any) -> Any:
    """Return the number of zeros before the first one of a word."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        bit = type(arguments[0].type)(1)
        return builder.ctlz(arguments[0], bit(0))

    return types.int64(types.uint64), generate


def highest(word: Any) -> int:
    """Return the place of the highest bit of a word that is not 0."""
    return int(word).bit_length() - 1


@overload(highest)
def _compile_highest(word: Any) -> Any:  # noqa: ARG001
    """Return the same for compiled code."""

    def find(word: Any) -> Any:
        return 63 - _leading_zeros(word)

    return find


@compiled
def _above(element: int, at: int) -> Any:
    """Return the elements above one, of one word of 64."""
    if at != element >> 6:
        return ~_NONE if at > element >> 6 else _NONE
    return (~_NONE << np.uint64(element & 63)) << _ONE


@compiled
def between(low: int, high: int, at: int) -> Any:
    """Return the elements between two, of one word of 64."""
    return _above(low, at) & ~_above(high - 1, at)


@compiled
def narrow(bits: SignBits, sets: Words, source: int, signed: int, target: int) -> bool:
    """Add a signed element to a pattern; return whether it is still opposed."""
    a, b = _NONE, _NONE
    for word in range(sets.shape[1]):
        p = bits.shown[signed, word] & sets[source, word]
        m = bits.shown[signed ^ 1, word] & sets[source + 1, word]
        sets[target, word], sets[target + 1, word] = p, m
        a |= p
        b |= m
    return bool(a != _NONE) and bool(b != _NONE)


@compiled
def gather(bits: SignBits, pattern: Numbers, start: int, sets: Words, target: int) -> None:
    """Find the covectors of the pattern whose elements are the places from `start`."""
    for word in range(sets.shape[1]):
        p = m = bits.shown[-1, word]
        for place in range(start, len(pattern)):
            p &= bits.shown[pattern[place], word]
            m &= bits.shown[pattern[place] ^ 1, word]
        sets[target, word], sets[target + 1, word] = p, m


@compiled
def _extensions(bits: SignBits, sets: Words, row: int, at: int) -> tuple[Any, Any]:
    """Return the elements of one word that extend a pattern, with either sign."""
    p, m, opposed_p, opposed_m = _NONE, _NONE, _NONE, _NONE
    for word in range(sets.shape[1]):
        rest = sets[row, word]
        while rest != _NONE:
            place = highest(rest)
            rest ^= _ONE << np.uint64(place)
            p |= bits.has[128 * word + 2 * place, at]
            m |= bits.has[128 * word + 2 * place + 1, at]
        rest = sets[row + 1, word]
        while rest != _NONE:
            place = highest(rest)
            rest ^= _ONE << np.uint64(place)
            opposed_p |= bits.has[128 * word + 2 * place, at]
            opposed_m |= bits.has[128 * word + 2 * place + 1, at]
    return p & opposed_m, m & opposed_p


@compiled
def extend(bits: SignBits, sets: Words, row: int, masks: Words, target: int) -> None:
    """Find the elements that extend a pattern, with either sign."""
    for at in range(masks.shape[1]):
        masks[target, at], masks[target + 1, at] = _extensions(bits, sets, row, at)


@compiled
def extends_above(bits: SignBits, sets: Words, row: int, element: int) -> bool:
    """Return whether some element above one extends a pattern."""
    for at in range(element >> 6, bits.has.shape[1]):
        same, other = _extensions(bits, sets, row, at)
        if (same | other) & _above(element, at) != _NONE:
            return True
    return False


@compiled
def agrees_between(bits: SignBits, sets: Words, row: int, low: int, high: int) -> bool:
    """Return whether all covectors of a pattern agree on an element between two others.

    Then it extends all opposed patterns that contain this one.
    """
    for at in range(low >> 6, ((high - 1) >> 6) + 1):
        same = between(low, high, at)
        other = same
        for opposed in range(2):
            for word in range(sets.shape[1]):
                rest = sets[row + opposed, word]
                while rest != _NONE and (same | other) != _NONE:
                    place = highest(rest)
                    rest ^= _ONE << np.uint64(place)
                    same &= bits.has[128 * word + 2 * place + opposed, at]
                    other &= bits.has[128 * word + 2 * place + 1 - opposed, at]
        if (same | other) != _NONE:
            return True
    return False


@compiled
def exclude_outsiders(
    bits: SignBits, sets: Words, row: int, part: Words, masks: Words, target: int
) -> None:
    """Leave out elements with which some covector outside a part shows the pattern or its opposite.

    `part`: covectors, as bits.
    """
    for at in range(masks.shape[1]):
        same, other = masks[target, at], masks[target + 1, at]
        for opposed in range(2):
            for word in range(sets.shape[1]):
                rest = sets[row + opposed, word] & ~part[word]
                while rest != _NONE and (same | other) != _NONE:
                    place = highest(rest)
                    rest ^= _ONE << np.uint64(place)
                    same &= ~bits.has[128 * word + 2 * place + opposed, at]
                    other &= ~bits.has[128 * word + 2 * place + 1 - opposed, at]
        masks[target, at], masks[target + 1, at] = same, other
