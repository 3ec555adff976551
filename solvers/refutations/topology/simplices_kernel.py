"""Opposed sign patterns, listed in compiled code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

__all__ = ["Stack", "list_simplices", "make_stack"]

Words = NDArray[np.uint64]
Numbers = NDArray[np.int64]
Stack = tuple[Numbers, Numbers, Numbers, Numbers, Words, Words]
"""The place in a search; see `make_stack`."""


def make_stack(elements: int, size: int, words: int) -> Stack:
    """Return the start of the search for sign patterns on `size` of the elements."""
    choices = np.full(size + 1, -1, dtype=np.int64)
    choices[0] = 2 * elements - 2
    return (
        np.zeros(1, dtype=np.int64),
        choices,
        np.zeros(size + 1, dtype=np.int64),
        np.zeros((size + 1, elements), dtype=np.int64),
        np.zeros((size + 1, words), dtype=np.uint64),
        np.zeros((size + 1, words), dtype=np.uint64),
    )


@compiled
def list_simplices(
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

    Those that a larger element extends to an opposed pattern are left out.

    They come in lexicographic order, the largest element first. A pattern that a larger element
    extends is the sum of other faces of the extended one, all of which come before it: elimination
    gains nothing from it. So nearly all patterns that are listed contain the last element.
    """
    elements, words = plus.shape
    size = found.shape[1]
    at, count, read = level[0], 0, 0
    while at >= 0 and read < steps and count < len(found):
        choice = choices[at]
        if choice < 2 * (size - 1 - at):
            at -= 1
            continue
        choices[at] = choice - (2 if at == 0 else 1)
        element = choice >> 1
        some_shown, some_opposed = False, False
        for word in range(words):
            p, m = plus[element, word], minus[element, word]
            if choice & 1:
                p, m = m, p
            if at > 0:
                p &= shown[at, word]
                m &= opposed[at, word]
            shown[at + 1, word] = p
            opposed[at + 1, word] = m
            some_shown |= p != 0
            some_opposed |= m != 0
        read += words
        if not (some_shown and some_opposed):
            continue
        kept = 0
        for place in range(counts[at] if at > 0 else elements - 1 - element):
            other = larger[at, place] if at > 0 else element + 1 + place
            read += words
            if _extends(plus[other], minus[other], shown[at + 1], opposed[at + 1]):
                larger[at + 1, kept] = other
                kept += 1
                if at == size - 1:
                    break
        counts[at + 1] = kept
        if at < size - 1:
            at += 1
            choices[at] = 2 * element - 1
        elif kept == 0:
            found[count, 0] = choices[0] + 2
            for place in range(1, size):
                found[count, place] = choices[place] + 1
            count += 1
    level[0] = at
    return count


@compiled
def _extends(plus: Words, minus: Words, shown: Words, opposed: Words) -> bool:
    """Return whether an element extends an opposed pattern, with one of its two signs."""
    same_shown, same_opposed, other_shown, other_opposed = False, False, False, False
    for word in range(len(plus)):
        same_shown |= plus[word] & shown[word] != 0
        same_opposed |= minus[word] & opposed[word] != 0
        other_shown |= minus[word] & shown[word] != 0
        other_opposed |= plus[word] & opposed[word] != 0
        if (same_shown and same_opposed) or (other_shown and other_opposed):
            return True
    return False
