"""Odd cycles of opposed sign patterns, on which topological refutations rest."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.subsets import binomials
from samapprox.solvers.refutations.topology.elimination_kernel import (
    combine,
    face_ranks,
    insert,
    reduce_columns,
)
from samapprox.solvers.refutations.topology.simplices_kernel import list_simplices, make_stack
from samapprox.solvers.search import Search

__all__ = ["NO_CYCLE", "OUT_OF_TIME", "TOO_LARGE", "find_cycle"]

Signs = NDArray[np.int8]
Numbers = NDArray[np.int64]

NO_CYCLE = "all cycles of sign patterns are even"
OUT_OF_TIME = "no time left"
TOO_LARGE = "there are too many sign patterns"

_AT_ONCE = 5_000  # patterns that are listed before they are eliminated
_STEPS = 20_000_000  # between two looks at the clock: a few hundredths of a second
_MOST_NUMBERS = 40_000_000  # of the reduced columns: some 400 MB
_LARGEST_RANK = 1 << 62


def find_cycle(signs: Signs, size: int, search: Search) -> Numbers | str:
    """Find an odd cycle of opposed sign patterns.

    Parameters
    ----------
    signs : ndarray of int8, shape (covectors, elements)
        +1, -1, and 0 for *.
    size : int
        The number of elements of a pattern, at least 2.
    search : Search

    Returns
    -------
    ndarray of int64, shape (patterns, size), or str
        Each pattern as 2 e for + and 2 e + 1 for - on its elements e, descending. For each, some
        covector has these signs, and some has the opposite ones. Each face is in evenly many of
        them, up to a flip, and oddly many alternate. Or why there is none: `NO_CYCLE` if all
        cycles are even.

    Notes
    -----
    Elimination over GF(2) as in persistent homology: the columns are patterns, the rows faces. It
    stays sparse in practice, so that 10^6 patterns take a second or two; nearly all of them
    contain the last element.

    References
    ----------
    Edelsbrunner, Letscher, Zomorodian (2002), "Topological persistence and simplification".

    Examples
    --------
    >>> find_cycle(np.where(np.eye(3), 1, -1).astype(np.int8), 2, Search()).tolist()
    [[4, 3], [4, 1], [2, 1]]
    """
    covectors, elements = signs.shape
    if elements < size or covectors < 2:
        return NO_CYCLE
    if comb(elements, size) << size > _LARGEST_RANK:
        return TOO_LARGE
    plus, minus = (_pack(signs == sign) for sign in (1, -1))
    stack = make_stack(elements, size, plus.shape[1])
    elimination = _Elimination(elements, size)
    found = np.zeros((_AT_ONCE, size), dtype=np.int64)
    while stack[0][0] >= 0:
        count = list_simplices(plus, minus, *stack, found, _STEPS)
        if search.out_of_time:
            return OUT_OF_TIME
        if count and (result := elimination.add(found[:count], search)) is not None:
            return result
    return NO_CYCLE


def _pack(mask: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return the covectors that are marked on each element, as bits."""
    covectors, elements = mask.shape
    bits = np.zeros((elements, -(-covectors // 64) * 64), dtype=np.bool_)
    bits[:, :covectors] = mask.T
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)


class _Elimination:
    """Columns reduced so far: the faces of sign patterns, and whether these alternate."""

    def __init__(self, elements: int, size: int) -> None:
        self._binomials = binomials(elements, size)
        self._patterns: list[Numbers] = []  # of the reduced columns
        self._keys = np.zeros(1 << 13, dtype=np.int64)
        self._values = np.full(1 << 13, -1, dtype=np.int32)
        self._work = np.zeros((2, 1 << 10), dtype=np.int64)
        self._rows = np.zeros(1 << 14, dtype=np.int64)
        self._starts = np.zeros(1 << 12, dtype=np.int64)
        self._sums = np.zeros(1 << 14, dtype=np.int32)
        self._sum_starts = np.zeros(1 << 12, dtype=np.int64)
        self._origins = np.zeros(1 << 12, dtype=np.int64)
        self._parities = np.zeros(1 << 12, dtype=np.bool_)
        self._state = np.zeros(6, dtype=np.int64)

    def add(self, patterns: Numbers, search: Search) -> Numbers | str | None:
        """Add patterns; return an odd cycle, a reason to end, or None."""
        faces, odd = face_ranks(patterns, self._binomials)
        before, self._state[0] = self._kept, 0
        while not reduce_columns(
            faces,
            odd,
            self._work,
            self._state,
            self._keys,
            self._values,
            self._rows,
            self._starts,
            self._sums,
            self._sum_starts,
            self._origins,
            self._parities,
            _STEPS,
        ):
            if self._state[0] == len(faces):
                self._patterns.append(patterns[self._origins[before : self._kept]])
                return None
            if search.out_of_time:
                return OUT_OF_TIME
            if not self._make_room():
                return TOO_LARGE
        self._patterns.append(patterns[self._origins[before : self._kept]])
        taken = combine(self._sums, self._sum_starts, self._kept, int(self._state[5]))
        last = int(self._state[0]) - 1
        return np.concatenate([np.concatenate(self._patterns)[taken], patterns[last : last + 1]])

    @property
    def _kept(self) -> int:
        return int(self._state[1])

    def _make_room(self) -> bool:
        """Double the arrays that are more than half full; return whether they may be so large."""
        kept = self._kept
        used = int(self._starts[kept])
        added = int(self._sum_starts[kept] + self._state[5])
        if max(used, added) > _MOST_NUMBERS:
            return False
        if 2 * used > len(self._rows) - self._work.shape[1]:
            self._rows = _double(self._rows)
        if 2 * added > len(self._sums):
            self._sums = _double(self._sums)
        if 2 * kept > len(self._origins) - 2:
            self._starts, self._sum_starts = _double(self._starts), _double(self._sum_starts)
            self._origins, self._parities = _double(self._origins), _double(self._parities)
        if 4 * kept > len(self._keys):
            self._keys = np.zeros(2 * len(self._keys), dtype=np.int64)
            self._values = np.full(len(self._keys), -1, dtype=np.int32)
            insert(self._rows[self._starts[:kept]], self._keys, self._values)
        longest = max(self._state[3], np.diff(self._starts[: kept + 1]).max(initial=0))
        if 2 * longest > self._work.shape[1]:
            self._work = np.hstack([self._work, np.zeros_like(self._work)])
        return True


def _double(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array with as much room again."""
    return np.concatenate([array, np.zeros_like(array)])
