"""Odd cycles of opposed sign patterns, found with a matching tree.

The tree leaves far fewer columns than the pairs of `cycles`. Where there are few sign patterns, the
pairs take less time, and refutations have fewer members.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.elimination.cycles import (
    NO_CYCLE,
    OUT_OF_TIME,
    TOO_LARGE,
    ReducedColumns,
    choose_code,
    double,
    find_obstacle,
    pack_bits,
    pack_signs,
)
from samapprox.support.arrays import Numbers, Signs, Words

Columns = tuple[Numbers, Numbers, NDArray[np.bool_]]
"""The rows of all columns, where those of each begin, and whether it is odd."""

_FEWEST_AT_ONCE = 64  # columns that are reduced at once at first, then twice as many, and so on
_MOST_AT_ONCE = 2_048  # the most: longer batches would leave the clock unread
_GROWTHS = 8  # so many looks at the clock, while a tree grows, are as long as one look otherwise
_PLAIN_WORK = 3  # a look takes so many times as long as one of `cycles`, before code is compiled
_MOST_STEPS = 8_000_000  # steps of a tree: so many take some 200 MB
_MOST_WORDS = 1 << 26  # numbers that describe faces of the sums in work: so many take 540 MB
_WORDS_PER_FACE = 8  # beside those that say to which sums it belongs
_ROOM = 1 << 10
"""Numbers in the smallest arrays at first, the faces of a pattern or more: they grow."""


class TreeSearch:
    """A search for an odd cycle of opposed sign patterns, which may pause and go on.

    A matching tree pairs nearly all patterns. Of each other column, its faces are replaced by faces
    without a partner, and the sums are eliminated over GF(2): docs/theory/topological.md.

    Jonsson (2008), "Simplicial complexes of graphs"; Forman (1998), "Morse theory for cell
    complexes".
    """

    def __init__(self, signs: Signs, size: int) -> None:
        self._over = find_obstacle(signs, size)
        if self._over is None:
            self._growth = Growth(signs, size)
            self._elimination = _Elimination(self._growth, size)
            self._at_once = _FEWEST_AT_ONCE
            self._listed = np.zeros((0, size), dtype=np.int64)
            self._looks = 0  # at the clock, while columns are listed
        self.columns = 0  # that have been listed

    @property
    def is_listed(self) -> bool:
        """Whether the tree is complete: all columns are known."""
        return self._over is not None or self._growth.is_complete

    def resume(self, search: Search) -> Numbers | str:
        """Go on until the search is over or out of time."""
        if self._over is not None:
            return self._over
        while (result := self._elimination.reduce(search)) is None:
            if self._growth.is_complete and not len(self._listed):
                return NO_CYCLE
            if (ended := self._list(search)) is not None:
                return ended
            if len(self._listed) >= self._at_once:
                self._at_once = min(2 * self._at_once, _MOST_AT_ONCE)
            self._elimination.take(self._listed)
            self._listed, self._looks = self._listed[:0], 0
        return result

    def _list(self, search: Search) -> str | None:
        """List columns to be reduced at once; return why it ends before, or None.

        They are fewer if replacing the faces of the last ones took less time.
        """
        while len(self._listed) < self._at_once and not self._growth.is_complete:
            if len(self._listed) and self._looks > _GROWTHS * self._elimination.looks:
                break
            self._looks += 1
            code, steps = choose_code("matching_kernel", _GROWTHS, work=_PLAIN_WORK)
            found = self._growth.go(code, steps)
            if found is None:
                return TOO_LARGE
            self._listed = np.concatenate([self._listed, found])
            self.columns += len(found)
            if search.out_of_time:
                return OUT_OF_TIME
        return None


class Growth:
    """The growth of a matching tree on the opposed sign patterns of covectors, one a row."""

    def __init__(self, signs: Signs, size: int) -> None:
        from samapprox.solvers.refutations.elimination.flow_kernel import Numbering
        from samapprox.solvers.refutations.elimination.matching_kernel import Stack
        from samapprox.solvers.refutations.elimination.partners_kernel import Tree

        self._bits = pack_signs(signs)
        self._stack = Stack.start(size, self._bits)
        elements = signs.shape[1]
        steps = np.zeros((3, _ROOM), np.int32)
        self.tree = Tree(np.zeros(elements, np.int32), steps[0], steps[1], steps[2])
        self.numbering = Numbering.of(elements, size, pack_bits(elements, size))
        self._found = np.zeros((_FEWEST_AT_ONCE + 2 * elements, size), np.int64)

    @property
    def is_complete(self) -> bool:
        """Whether all patterns without a partner have been written."""
        return bool(self._stack.place[0] == -2)

    def go(self, code: Any, steps: int) -> Numbers | None:
        """Grow for so many steps; return patterns without a partner, or None if it is too large."""
        while (used := int(self._stack.place[2])) + len(self._bits.shown) >= len(self.tree.codes):
            if used > _MOST_STEPS:
                return None
            tree = self.tree
            self.tree = tree._replace(
                elements=double(tree.elements), codes=double(tree.codes), ranks=double(tree.ranks)
            )
        count = code.grow(self._bits, self.tree, self._stack, self._found, steps)
        return self._found[:count].copy()


class _Flow:
    """Sums of sign patterns, whose faces are replaced until none has a partner."""

    def __init__(self, growth: Growth, patterns: Numbers, *, together: bool = False) -> None:
        """Begin with patterns, which must not change; each is a sum of its own, or all are one."""
        from samapprox.solvers.refutations.elimination.flow_kernel import Sums

        self._growth, self._patterns = growth, patterns
        self.looks = 0  # at the clock
        count, size = patterns.shape
        self._trail = np.zeros((_ROOM if together else 0, size), np.int64)
        words = 1 if together else -(-count // 64)
        self._sums = Sums(
            np.zeros(5, np.int64),
            np.zeros(words, np.uint64),
            np.zeros(2 * _ROOM, np.int64),
            np.full(2 * _ROOM, -1, np.int32),
            np.zeros(_ROOM, np.int32),
            np.zeros(_ROOM, np.int64),
            np.zeros((_ROOM, words), np.uint64),
            np.zeros(_ROOM, np.int64),
        )

    def go(self, search: Search) -> str | None:
        """Go on until no face has a partner; return why it ends before, or None."""
        tree, numbering = self._growth.tree, self._growth.numbering
        while True:
            self.looks += 1
            code, steps = choose_code("flow_kernel", work=_PLAIN_WORK)
            if code.flow(tree, numbering, self._patterns, self._trail, self._sums, steps):
                return None
            if search.out_of_time:
                return OUT_OF_TIME
            if not self._make_room(code):
                return TOO_LARGE

    def _make_room(self, code: Any) -> bool:
        """Double the arrays that are nearly full; return whether they may be so large."""
        used, free, _, _, trail = self._sums.state.tolist()
        if len(self._trail) == trail > 0:
            self._trail = double(self._trail)
        room, words = self._sums.owners.shape
        if used - free + self._patterns.shape[1] > room:
            if 2 * room * (words + _WORDS_PER_FACE) > _MOST_WORDS:
                return False
            sums = self._sums
            keys, slots = np.zeros(4 * room, np.int64), np.full(4 * room, -1, np.int32)
            code.move(sums, keys, slots)
            self._sums = sums._replace(
                keys=keys,
                slots=slots,
                free=double(sums.free),
                faces=double(sums.faces),
                owners=double(sums.owners),
                heap=double(sums.heap),
            )
        return True

    def columns(self) -> Columns:
        """Return the sums, after all faces with a partner are replaced."""
        left = self._sums.slots[self._sums.slots >= 0]
        owners = _unpack(self._sums.owners[left])[:, : len(self._patterns)]
        column, face = np.nonzero(owners.T)
        bounds = np.searchsorted(column, np.arange(len(self._patterns) + 1))
        odd = _unpack(self._sums.odd)[: len(self._patterns)] != 0
        return -self._sums.faces[left][face], bounds, odd

    def trail(self) -> Numbers:
        """Return the columns that replaced faces."""
        return self._trail[: self._sums.state[-1]]


def _unpack(words: Words) -> NDArray[np.uint8]:
    """Return bits along the last axis."""
    return np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little")


class _Elimination(ReducedColumns):
    """Reduced columns that are sums of sign patterns, as their faces without a partner."""

    def __init__(self, growth: Growth, size: int) -> None:
        super().__init__(7)
        self._growth = growth
        self.looks = 0  # at the clock, while the faces of the last columns were replaced
        self.take(np.zeros((0, size), np.int64))

    def take(self, patterns: Numbers) -> None:
        """Take the next patterns, after all earlier ones are reduced; they must not change."""
        self._batch, self._flow = patterns, _Flow(self._growth, patterns)
        self._columns: Columns | None = None
        self._state[0], self._before = 0, self._kept

    def reduce(self, search: Search) -> Numbers | str | None:
        """Reduce what was taken; return an odd cycle, a reason to end, or None."""
        if not len(self._batch):
            return None
        if self._columns is None:
            if (ended := self._flow.go(search)) is not None:
                return ended
            self._columns, self.looks = self._flow.columns(), self._flow.looks
        if (found := self._reduce_batch(self._columns, search)) is None:
            self._patterns.append(self._own_patterns)
            self.take(self._batch[:0])
        return found

    def _reduce_batch(self, columns: Columns, search: Search) -> Numbers | str | None:
        """Reduce the columns whose faces have been replaced."""
        while True:
            code, steps = choose_code("sums_kernel", work=_PLAIN_WORK)
            if code.reduce(*columns, self._heap, self._state, *self._stored, steps):
                return self._trace()
            if self._state[0] == len(self._batch):
                return None
            if search.out_of_time:
                return OUT_OF_TIME
            if not self._make_room():
                return TOO_LARGE

    def _trace(self) -> Numbers | str:
        """Return the patterns that add up to the last column, which has no rows."""
        code, _ = choose_code("elimination_kernel")
        stored = self._sum_of_last(code)
        flow = _Flow(self._growth, stored, together=True)
        ended = flow.go(Search())
        return np.concatenate([stored, flow.trail()]) if ended is None else ended

    def _make_room(self) -> bool:
        """Double the arrays that are more than half full; return whether they may be so large."""
        if not self._make_room_for(int(self._starts[self._kept] + self._state[3])):
            return False
        if 2 * int(self._state[3] + self._state[6]) > len(self._heap):
            self._heap = double(self._heap)
        return True
