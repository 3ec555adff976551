"""Common signs of covectors, and members of sets that are bits of words, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from samapprox.solvers.refutations.elimination.extensions_kernel import SignBits
from samapprox.support.arrays import Words
from samapprox.support.jit import compiled, emitted

_NONE, _ONE = np.uint64(0), np.uint64(1)


@emitted
def _trailing_zeros(_typing: Any, _word: Any) -> Any:
    """Return the number of zeros after the last one of a word."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        bit = type(arguments[0].type)(1)
        return builder.cttz(arguments[0], bit(0))

    return types.int64(types.uint64), generate


def lowest(word: Any) -> int:
    """Return the place of the lowest bit of a word that is not 0."""
    return (int(word) & -int(word)).bit_length() - 1


@overload(lowest)
def _compile_lowest(word: Any) -> Any:  # noqa: ARG001
    """Return the same for compiled code."""

    def find(word: Any) -> Any:
        return _trailing_zeros(word)

    return find


@compiled
def next_member(words: Words, row: int, start: int) -> int:
    """Return the least member of a set from a number on, or -1."""
    for at in range(start >> 6, words.shape[1]):
        rest = words[row, at]
        if at == start >> 6:
            rest &= ~_NONE << np.uint64(start & 63)
        if rest != _NONE:
            return 64 * at + lowest(rest)
    return -1


@compiled
def find_common(bits: SignBits, sets: Words, row: int, masks: Words, among: int, other: int) -> int:
    """Find a signed element that all covectors of a pattern have, and its opposites opposite.

    It is one of those in a row of `masks`, but not `other`. Returned: -1 if there is none.
    """
    for at in range(masks.shape[1]):
        p, m = masks[among, at], masks[among + 1, at]
        if other >> 7 == at:
            bit = _ONE << np.uint64((other >> 1) & 63)
            if other & 1:
                m &= ~bit
            else:
                p &= ~bit
        for opposed in range(2):
            for word in range(sets.shape[1]):
                rest = sets[row + opposed, word]
                while rest != _NONE and p | m != _NONE:
                    place = lowest(rest)
                    rest &= rest - _ONE
                    p &= bits.has[128 * word + 2 * place + opposed, at]
                    m &= bits.has[128 * word + 2 * place + 1 - opposed, at]
        if p | m != _NONE:
            place = lowest(p | m)
            return 2 * (64 * at + place) + int(p & (_ONE << np.uint64(place)) == _NONE)
    return -1


@compiled
def contains_signs(
    bits: SignBits, covector: int, other: int, opposed: int, masks: Words, row: int
) -> bool:
    """Return whether another covector has all the signed elements of a set that one has.

    With `opposed`, both are taken with opposite signs.
    """
    for at in range(masks.shape[1]):
        for sign in range(2):
            line = sign ^ opposed
            missing = bits.has[2 * covector + line, at] & ~bits.has[2 * other + line, at]
            if missing & masks[row + sign, at] != _NONE:
                return False
    return True
