"""The edit distance of two strings within a band around the diagonal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.reasoning.edit_distance import EditDistance, split_lengths
from samapprox.errors import InputError
from samapprox.support.parameters import require

__all__ = ["BandedEditDistance"]

MOST_WIDTH = 10**4
"""The largest width of a band."""


@dataclass(frozen=True, slots=True)
class BandedEditDistance(EditDistance):
    """The least cost of edits whose states (i, j) all satisfy |i - j| <= w.

    The chain is that of `EditDistance` without the other states. Yang et al. (2024) measure a task
    ED_Local, "modified to have a higher locality", and define it nowhere; this one is ours.

    Parameters
    ----------
    insert, delete, replace, letters : int
        As in `EditDistance`.
    w : int
        Width of the band; the lengths of the strings differ by at most w.

    Examples
    --------
    >>> task = BandedEditDistance(w=1)
    >>> chain = task.chain(task.parse("abc abd"))
    >>> " ".join(task.words(chain.tokens)), chain.answer
    ('a b c | a b d | 0 2 , 2 0 2 , 2 3 , | 3', 3)
    """

    name: ClassVar[str] = "banded-edit-distance"

    w: int = 3

    def __post_init__(self) -> None:
        EditDistance.__post_init__(self)
        require(0 <= self.w <= MOST_WIDTH, f"w must be in 0..{MOST_WIDTH}, not {self.w}")

    def inside(self, i: int, j: int) -> bool:
        """Return whether |i - j| <= w."""
        return abs(i - j) <= self.w

    def columns(self, i: int, b: int) -> range:
        """Return the columns j of row i with |i - j| <= w."""
        return range(max(1, i - self.w), min(b, i + self.w) + 1)

    def count_entries(self, a: int, b: int) -> int:
        """Return the number of states (i, j) with i, j >= 1, diagonal by diagonal."""
        diagonals = range(-self.w, self.w + 1)
        return sum(max(0, min(a, b - d) - max(1, 1 - d) + 1) for d in diagonals)

    def second_length(self, size: int) -> int:
        """Return the length of the second string of random inputs: two letters more, or w."""
        return size + min(2, self.w)

    def check(self, inputs: NDArray[np.int64]) -> None:
        """Refuse what `EditDistance` refuses, and strings whose lengths differ by more than w.

        Raises
        ------
        InputError
        """
        EditDistance.check(self, inputs)
        a, b = split_lengths(inputs)
        if not self.inside(a, b):
            raise InputError(
                f"the strings have {a} and {b} letters, which differ by more than w = {self.w}; "
                "choose a larger w"
            )
