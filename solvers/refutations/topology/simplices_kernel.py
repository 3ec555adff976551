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
    """Return the start of the search for sign patterns on `size` of the elements.

    Parameters
    ----------
    elements, size : int
    words : int
        The length of a set of covectors.

    Returns
    -------
    level : ndarray of int64, shape (1,)
        How many elements are chosen; -1 at the end.
    choices : ndarray of int64, shape (size + 1,)
        The next choice on each level, as 2 e + 1 where the element e has the sign -, or 2 e.
    counts : ndarray of int64, shape (size + 1,)
        How many larger elements extend what is chosen.
    larger : ndarray of int64, shape (size + 1, elements)
        These elements.
    shown, opposed : ndarray of uint64, shape (size + 1, words)
        The covectors that have the signs chosen so far, and those that have the opposite ones.

    Examples
    --------
    >>> level, choices, *_ = make_stack(5, 3, 1)
    >>> level.tolist(), choices.tolist()
    ([0], [8, -1, -1, -1])
    """
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

    Parameters
    ----------
    plus, minus : ndarray of uint64, shape (elements, words)
        The covectors that are + on each element, and those that are -.
    level, choices, counts, larger, shown, opposed
        See `make_stack`; in the end, the place to go on from.
    found : ndarray of int64, shape (most, size)
        Out: each pattern as 2 e or 2 e + 1 for its elements e, descending; the first one is +.
    steps : int
        Roughly how many words to read.

    Returns
    -------
    int
        How many were found before the steps were used up, or `found` was full, or all were listed.

    Notes
    -----
    They come in lexicographic order, the largest element first. A pattern that a larger element
    extends is the sum of other faces of the extended one, all of which come before it: elimination
    gains nothing from it. So nearly all patterns that are listed contain the last element.

    Examples
    --------
    Three covectors on three elements; any two of them differ in two.

    >>> plus = np.array([[1], [2], [4]], dtype=np.uint64)
    >>> found = np.zeros((9, 2), dtype=np.int64)
    >>> count = list_simplices(plus, plus ^ np.uint64(7), *make_stack(3, 2, 1), found, 1000)
    >>> found[:count].tolist()
    [[4, 3], [4, 1], [2, 1]]
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
