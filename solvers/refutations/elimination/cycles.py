"""Odd cycles of opposed sign patterns, on which topological refutations rest."""

from __future__ import annotations

from importlib import import_module
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.refutations.orientation_clauses import binomials
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Numbers, Signs, Words
from samapprox.support.plain import choose_version

if TYPE_CHECKING:  # the module itself loads numba
    from samapprox.solvers.refutations.elimination.extensions_kernel import SignBits
    from samapprox.solvers.refutations.elimination.topology_kernel import Stack


NO_CYCLE = "all cycles of sign patterns are even"
OUT_OF_TIME = "no time left"
TOO_LARGE = "there are too many sign patterns"

_AT_ONCE = 5_000  # patterns that are listed before they are eliminated
_STEPS = 20_000_000  # steps between two looks at the clock: a few hundredths of a second
_LISTINGS = 8  # so many listings take as many steps: what one finds is often enough
_PLAIN_STEPS = 10_000  # the same in plain Python, which begins at once
_MOST_PLAIN = 40  # looks at the clock of a process before compiled code takes over
_MOST_PARTS = 4_000  # parts of the covectors, after which they are divided no further
_MOST_MARKS = 1 << 23  # the same for marks of all covectors, one mark for each part
_MOST_NUMBERS = 40_000_000  # numbers of the reduced columns: so many take some 400 MB
_ROOM = 1 << 10
"""Numbers in the smallest arrays at first, the faces of a pattern or more: they grow."""
_KNOWN = 15  # log2 of the partners that elimination remembers
_LARGEST_RANK = 1 << 62  # numbers of faces stay below this, so that they fit into int64


class CycleSearch:
    """A search for an odd cycle of opposed sign patterns, which may pause and go on.

    Elimination over GF(2) as in persistent homology: the columns are patterns, the rows faces. Most
    patterns are paired with one another: these columns are neither listed nor stored. See
    docs/theory/topological.md.

    Edelsbrunner, Letscher, Zomorodian (2002), "Topological persistence and simplification";
    Bauer (2021), "Ripser: efficient computation of Vietoris-Rips persistence barcodes".
    """

    def __init__(self, signs: Signs, size: int) -> None:
        self._over = find_obstacle(signs, size)
        if self._over is None:
            self._bits, self._stack = start_listing(signs, size)
            room = self._stack.room_sets, self._stack.room_masks
            self._elimination = _Elimination(self._bits, room, size)
            self._listed = np.zeros((_AT_ONCE, size), dtype=np.int64)

    def resume(self, search: Search) -> Numbers | str:
        """Go on until the search is over or out of time."""
        if self._over is not None:
            return self._over
        while (result := self._elimination.reduce(search)) is None:
            if self._stack.place[0] < 0:
                return NO_CYCLE
            code, steps = choose_code("topology_kernel", _LISTINGS)
            count = code.list_columns(self._bits, self._stack, self._listed, steps)
            self._elimination.take(self._listed[:count])
            if search.out_of_time:
                return OUT_OF_TIME
        return result


def start_listing(signs: Signs, size: int) -> tuple[SignBits, Stack]:
    """Return the signs of covectors, one a row, as bits, and the start of a search for patterns."""
    from samapprox.solvers.refutations.elimination.topology_kernel import Stack

    bits = pack_signs(signs)
    tops, parts = _list_parts(signs)
    return bits, Stack.start(tops, parts, size, bits.has.shape[1])


def choose_code(name: str, share: int = 1, *, work: int = 1) -> tuple[Any, int]:
    """Return a kernel, compiled or in plain Python, and its steps between looks at the clock.

    Compiled code gets one part of `share` of them. In plain Python, a look counts for so much
    `work`. Either goes on where the other stopped. Numba is imported here at the earliest, so not
    by decisions that only ask when this strategy would begin.
    """
    kernel = import_module(f"{__package__}.{name}")
    code = choose_version(kernel, work, _MOST_PLAIN)
    return code, _STEPS // share if code is kernel else _PLAIN_STEPS


def find_obstacle(signs: Signs, size: int) -> str | None:
    """Return why no search for a cycle begins, or None."""
    covectors, elements = signs.shape
    if elements < size or covectors < 2:
        return NO_CYCLE
    can_number = pack_bits(elements, size) or comb(elements, size) << size <= _LARGEST_RANK
    return None if can_number else TOO_LARGE


def pack_bits(elements: int, size: int) -> int:
    """Return the bits of an element in the number of a face, or 0 if faces need ranks."""
    bits = max(1, (elements - 1).bit_length())
    return bits if (1 << bits * (size - 1) + size - 2) <= _LARGEST_RANK else 0


def _pack(mask: NDArray[np.bool_]) -> Words:
    """Return the covectors that are marked on each element, as bits."""
    covectors, elements = mask.shape
    bits = np.zeros((elements, -(-covectors // 64) * 64), dtype=np.bool_)
    bits[:, :covectors] = mask.T
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)


def pack_signs(signs: Signs) -> SignBits:
    """Return the signs of covectors, one a row, as bits."""
    from samapprox.solvers.refutations.elimination.extensions_kernel import SignBits

    covectors, elements = signs.shape
    places = np.ones((covectors, 2 * elements + 1), dtype=np.bool_)
    places[:, :-1:2], places[:, 1::2] = signs > 0, signs < 0
    lines = np.repeat(signs.T, 2, axis=1)
    lines[:, 1::2] *= -1
    return SignBits(_pack(places), _pack(lines > 0))


def _list_parts(signs: Signs) -> tuple[Numbers, Words]:
    """Return elements, and for each of them parts of the covectors that have both signs there.

    Two covectors with opposite signs at an element, but at none above it, are in one of its parts.
    """
    most = min(_MOST_PARTS, _MOST_MARKS // max(1, len(signs)))
    parts = np.zeros(len(signs), dtype=np.int64)
    tops: list[int] = []
    found: list[Words] = []
    for element in range(signs.shape[1] - 1, -1, -1):
        column = signs[:, element]
        has = [np.bincount(parts[column == sign], minlength=len(parts)) > 0 for sign in (1, -1, 0)]
        both = has[0] & has[1]
        numbers = np.flatnonzero(both)
        if len(numbers):
            tops += [element] * len(numbers)
            found.append(_pack(parts[:, None] == numbers))
        if len(tops) < most:
            divided = (both & ~has[2])[parts] & (column < 0)
            parts = np.unique(2 * parts + divided, return_inverse=True)[1]
    words = np.concatenate(found) if found else _pack(np.zeros((len(signs), 0), dtype=np.bool_))
    return np.array(tops, dtype=np.int64), words


class ReducedColumns:
    """Columns over GF(2) that are reduced so far, and the patterns that come next.

    A column is kept as its rows, and as the columns that were added to it; its origin is the place
    of its own pattern in the batch. The last arrays are as kernels take them. `numbers` is the
    length of the kernel's state.
    """

    def __init__(self, numbers: int) -> None:
        self._patterns: list[Numbers] = []  # of the reduced columns
        self._batch: Numbers
        self._before = 0  # reduced columns, when the batch was taken
        self._heap = np.zeros(_ROOM, dtype=np.int64)
        self._state = np.zeros(numbers, dtype=np.int64)
        self._keys = np.zeros(8 * _ROOM, dtype=np.int64)
        self._values = np.full(8 * _ROOM, -1, dtype=np.int32)
        self._rows = np.zeros(16 * _ROOM, dtype=np.int64)
        self._starts = np.zeros(4 * _ROOM, dtype=np.int64)
        self._sums = np.zeros(16 * _ROOM, dtype=np.int32)
        self._sum_starts = np.zeros(4 * _ROOM, dtype=np.int64)
        self._origins = np.zeros(4 * _ROOM, dtype=np.int64)
        self._parities = np.zeros(4 * _ROOM, dtype=np.bool_)

    @property
    def _kept(self) -> int:
        """The number of reduced columns."""
        return int(self._state[1])

    @property
    def _stored(self) -> tuple[NDArray[Any], ...]:
        """The reduced columns, as kernels take them."""
        places = self._keys, self._values, self._rows, self._starts
        return *places, self._sums, self._sum_starts, self._origins, self._parities

    @property
    def _own_patterns(self) -> Numbers:
        """The patterns of the batch whose columns are kept."""
        return self._batch[self._origins[self._before : self._kept]]

    def _sum_of_last(self, code: Any) -> Numbers:
        """Return the patterns whose sum is the last column, itself among them."""
        patterns = np.concatenate([*self._patterns, self._own_patterns])
        taken = code.combine(self._sums, self._sum_starts, self._kept, int(self._state[5]))
        last = int(self._state[0]) - 1
        return np.concatenate([patterns[taken], self._batch[last : last + 1]])

    def _make_room_for(self, used: int, spare: int = 0, code: Any = None) -> bool:
        """Double the arrays that are more than half full; return whether they may be so large.

        `used`: numbers in the rows of columns; `spare`: those that are kept free behind them.
        """
        kept = self._kept
        added = int(self._sum_starts[kept] + self._state[5])
        if max(used, added) > _MOST_NUMBERS:
            return False
        if 2 * used > len(self._rows) - spare:
            self._rows = double(self._rows)
        if 2 * added > len(self._sums):
            self._sums = double(self._sums)
        if 2 * kept > len(self._origins) - 2:
            self._starts, self._sum_starts = double(self._starts), double(self._sum_starts)
            self._origins, self._parities = double(self._origins), double(self._parities)
        if 4 * kept > len(self._keys):
            self._keys = np.zeros(2 * len(self._keys), dtype=np.int64)
            self._values = np.full(len(self._keys), -1, dtype=np.int32)
            code = code or choose_code("elimination_kernel")[0]
            code.enter(self._rows[self._starts[:kept]], self._keys, self._values)
        return True


class _Elimination(ReducedColumns):
    """Reduced columns that are the faces of sign patterns, and whether these alternate.

    Columns that are paired with a row are not among them.
    """

    def __init__(self, bits: SignBits, room: tuple[Words, Words], size: int) -> None:
        super().__init__(8)
        elements = len(bits.shown) >> 1
        self._complex = bits, room, binomials(elements, size), pack_bits(elements, size)
        self._known = np.zeros((1 << _KNOWN, 2), dtype=np.int64)
        self._rest = np.zeros(_ROOM, dtype=np.int64)
        self._code, self._steps = choose_code("elimination_kernel")
        self.take(np.zeros((0, size), dtype=np.int64))

    def take(self, patterns: Numbers) -> None:
        """Take the next patterns, after all earlier ones are reduced; they must not change."""
        self._batch, self._before = patterns, self._kept
        self._state[0] = 0

    def reduce(self, search: Search) -> Numbers | str | None:
        """Reduce what was taken; return an odd cycle, a reason to end, or None."""
        while not self._code.reduce(
            *self._complex,
            self._known,
            self._batch,
            self._heap,
            self._rest,
            self._state,
            *self._stored,
            self._steps,
        ):
            if self._state[0] == len(self._batch):
                self._patterns.append(self._own_patterns)
                self.take(self._batch[:0])
                return None
            if search.out_of_time:
                return OUT_OF_TIME
            if not self._make_room():
                return TOO_LARGE
            self._code, self._steps = choose_code("elimination_kernel")
        return self._trace()

    def _trace(self) -> Numbers:
        """Return the patterns that add up to the last column, which has no rows."""
        stored = self._sum_of_last(self._code)
        parts, rest = [stored], stored
        heap, length = np.zeros(2 * stored.size + 4 * _ROOM, dtype=np.int64), np.zeros(1, np.int64)
        found = np.zeros((_AT_ONCE, stored.shape[1]), dtype=np.int64)
        while True:
            count = self._code.cancel(*self._complex, rest, heap, length, found)
            parts.append(found[:count].copy())
            if length[0] == 0:
                every, times = np.unique(np.concatenate(parts), axis=0, return_counts=True)
                odd: Numbers = every[times % 2 == 1]  # what is added twice is not in the sum
                return odd
            rest = stored[:0]
            if 2 * length[0] > len(heap):
                heap = double(heap)

    def _make_room(self) -> bool:
        """Double the arrays that are more than half full; return whether they may be so large."""
        used = int(self._starts[self._kept])
        if not self._make_room_for(used, len(self._heap), self._code):
            return False
        used = int(self._state[3] + self._state[6] + self._state[7])
        if 2 * used > len(self._heap) - 2 * self._batch.shape[1]:
            self._heap, self._rest = double(self._heap), double(self._rest)
        return True


def double(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array with as much room again."""
    doubled = np.zeros((2 * len(array), *array.shape[1:]), array.dtype)  # zeros take no memory
    doubled[: len(array)] = array
    return doubled
