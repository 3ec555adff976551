"""Common parts of refutations by unit propagation: size, lemmas, contradiction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.checks.rup import MOST_STEPS, StepsExceededError, first_unfounded

__all__ = ["MOST_CLAUSES", "ClauseBlocks", "Lemmas", "find_fault_of_lemmas", "find_fault_of_names"]

MOST_CLAUSES = 1_000_000
"""Clauses of the largest core that is checked."""

_AT_ONCE = 1 << 8  # clauses that are lists at the same time

Lemmas = tuple[tuple[int, ...], ...]


class ClauseBlocks:
    """Clauses of several lengths, kept as matrices and handed out as lists.

    Parameters
    ----------
    blocks : sequence of ndarray of int32, shape (count, length)
        The clauses of a length, or of a part of it.
    others : sequence of sequence of int
        Clauses that come first.

    Examples
    --------
    >>> list(ClauseBlocks([np.array([[1, 2], [-1, 2]])], [[3]]))
    [[3], [1, 2], [-1, 2]]
    """

    __slots__ = ("_blocks", "_others")

    def __init__(
        self, blocks: Sequence[NDArray[np.int32]], others: Sequence[Sequence[int]] = ()
    ) -> None:
        self._blocks = blocks
        self._others = others

    def __iter__(self) -> Iterator[Sequence[int]]:
        yield from self._others
        for block in self._blocks:
            for start in range(0, len(block), _AT_ONCE):
                yield from block[start : start + _AT_ONCE].tolist()


def find_fault_of_names(lemmas: Lemmas, variables: int) -> str | None:
    """Name the first lemma with an unknown variable; None if there is none.

    Examples
    --------
    >>> find_fault_of_names(((1, -2), (3,)), 2)
    'lemma 1 names a variable beyond the 2 orientations'
    """
    for number, lemma in enumerate(lemmas):
        if any(abs(literal) > variables for literal in lemma):
            return f"lemma {number} names a variable beyond the {variables} orientations"
    return None


def find_fault_of_lemmas(clauses: ClauseBlocks, lemmas: Lemmas) -> str | None:
    """Return the reason why the lemmas do not lead to a contradiction, or None.

    Examples
    --------
    >>> find_fault_of_lemmas(ClauseBlocks([np.array([[1], [2]])]), ())
    'the lemmas lead to no contradiction'
    """
    try:
        unfounded = first_unfounded(clauses, lemmas)
    except StepsExceededError:
        return f"its refutation takes too long to check: more than {MOST_STEPS} steps"
    if unfounded is None:
        return None
    if unfounded == len(lemmas):
        return "the lemmas lead to no contradiction"
    return f"lemma {unfounded} does not follow by reverse unit propagation"
