"""The opposed sign patterns that elimination has to look at, listed by compiled code.

All others are paired with a face, which `elimination_kernel` finds when it needs it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

__all__ = ["Stack", "list_columns", "make_stack"]

Words = NDArray[np.uint64]
Numbers = NDArray[np.int64]
Stack = tuple[Numbers, Numbers, Numbers, Numbers, Words, Words]
"""The place in a search; see `make_stack`."""


def make_stack(elements: int, size: int, words: int) -> Stack:
    """Return the start of the search for sign patterns on `size` of the elements."""
    choices = np.full(size + 1, -1, dtype=np.int64)
    choices[0] = 2 * elements - 2
    every = np.zeros((size + 1, words), dtype=np.uint64)
    every[1] = ~np.uint64(0)
    return (
        np.zeros(1, dtype=np.int64),
        choices,
        np.zeros(size + 1, dtype=np.int64),
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

    Left out are those that a larger element extends to an opposed pattern, and those that are
    paired with the face without their largest element: see `elimination_kernel.find_partner`.

    A pattern is its largest element v and its face F without v. The search chooses v, and then the
    elements of F, with the first one as +. `larger` contains the elements above v that extend F so
    far. If v has the sign of the first element of F, the pattern is *like*, otherwise *unlike*.
    """
    elements, words = plus.shape
    size = found.shape[1]
    at, count, read = level[0], 0, 0
    while at >= 0 and read < steps and count + 1 < len(found):
        choice = choices[at]
        if choice < 2 * (size - 1 - at):
            at -= 1
            continue
        element = choice >> 1
        if at == 0:
            choices[0], choices[1] = choice - 2, choice - 2
            counts[1] = elements - 1 - element
            for place in range(counts[1]):
                larger[1, place] = elements - 1 - place
            at = 1
            continue
        choices[at] = choice - (2 if at == 1 else 1)
        first = (choices[0] + 2) >> 1
        for word in range(words):
            p, m = plus[element, word], minus[element, word]
            if choice & 1:
                p, m = m, p
            shown[at + 1, word] = shown[at, word] & p
            opposed[at + 1, word] = opposed[at, word] & m
        read += words
        like, unlike = _extends(plus[first], minus[first], shown[at + 1], opposed[at + 1])
        if not (like or unlike):
            continue
        both, kept = like and unlike, 0
        for place in range(counts[at]):
            other = larger[at, place]
            read += words
            if not _extends_any(plus[other], minus[other], shown[at + 1], opposed[at + 1]):
                continue
            larger[at + 1, kept] = other
            kept += 1
            if at >= max(2, size - 3):  # it seldom extends all patterns of more elements
                if like and _covers(plus, minus, other, first, shown, opposed, at, size):
                    like = False
                if unlike and _covers(minus, plus, other, first, shown, opposed, at, size):
                    unlike = False
                if not (like or unlike):
                    # It probably covers the next patterns, too.
                    larger[at, place], larger[at, 0] = larger[at, 0], other
                    break
        # Where no larger element extends F, one of at most two patterns is paired with F.
        if not (like or unlike) or (kept == 0 and not both):
            continue
        counts[at + 1] = kept
        if at < size - 1:
            at += 1
            choices[at] = 2 * element - 1
            continue
        for flip in range(1, -1, -1):
            if (unlike and kept > 0) if flip else like:
                found[count, 0] = 2 * first
                found[count, 1] = (choices[1] + 2) ^ flip
                for place in range(2, size):
                    found[count, place] = (choices[place] + 1) ^ flip
                count += 1
    level[0] = at
    return count


@compiled
def _extends(plus: Words, minus: Words, shown: Words, opposed: Words) -> tuple[bool, bool]:
    """Return whether an element extends an opposed pattern with the sign +, and with -."""
    same_shown, same_opposed, other_shown, other_opposed = False, False, False, False
    for word in range(len(plus)):
        same_shown |= plus[word] & shown[word] != 0
        same_opposed |= minus[word] & opposed[word] != 0
        other_shown |= minus[word] & shown[word] != 0
        other_opposed |= plus[word] & opposed[word] != 0
    return same_shown and same_opposed, other_shown and other_opposed


@compiled
def _extends_any(plus: Words, minus: Words, shown: Words, opposed: Words) -> bool:
    """Return whether an element extends an opposed pattern with one of its two signs."""
    same_shown, same_opposed, other_shown, other_opposed = False, False, False, False
    for word in range(len(plus)):
        same_shown |= plus[word] & shown[word] != 0
        same_opposed |= minus[word] & opposed[word] != 0
        other_shown |= minus[word] & shown[word] != 0
        other_opposed |= plus[word] & opposed[word] != 0
        if (same_shown and same_opposed) or (other_shown and other_opposed):
            return True
    return False


@compiled
def _covers(
    plus: Words,
    minus: Words,
    other: int,
    first: int,
    shown: Words,
    opposed: Words,
    at: int,
    size: int,
) -> bool:
    """Return whether an element extends all opposed patterns that the search would still find.

    They contain `first` with the sign of `plus`. If they are not complete, all their covectors must
    agree on the element.
    """
    a, b, c, d, e, f = False, False, False, False, False, False
    for word in range(plus.shape[1]):
        here, there = shown[at + 1, word] & plus[first, word], opposed[at + 1, word]
        there &= minus[first, word]
        p, m = plus[other, word], minus[other, word]
        a |= here & p != 0
        b |= here & m != 0
        c |= there & p != 0
        d |= there & m != 0
        e |= here & ~(p | m) != 0
        f |= there & ~(p | m) != 0
    if at == size - 1:
        return (a and d) or (b and c)
    return not (e or f) and (not (b or c) or not (a or d))
