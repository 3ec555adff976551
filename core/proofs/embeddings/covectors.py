"""Sign changes of a pattern's lines along an order of the keys or queries.

In homogeneous form a pattern is a matrix of signs with a row 0 of +. The *elements* are its
columns, or its rows with row 0; the lines of the other side are the *covectors*, signs on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.storage import block_height
from samapprox.support.arrays import Order, Signs, places_of

if TYPE_CHECKING:
    from samapprox.pattern import Pattern


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Places where some covectors change their signs along an order.

    `counts` (shape (covectors,)): the number of changes of each covector. `places`: covector after
    covector, ascending: place k lies between the elements k and k + 1 along the order. `last`
    (shape (covectors,)): the sign at the last element.
    """

    counts: NDArray[np.int64]
    places: NDArray[np.int64]
    last: Signs


class Covectors:
    """The covectors of a pattern on its columns, or on its rows and row 0.

    `elements`: n elements, the columns; or m + 1, row 0 and the rows. `count` and `size`: how many
    covectors there are, and how many elements. The first covector is row 0 where the elements are
    columns; the first element is row 0 where they are rows. `has_extra_element`: whether row 0 is
    an element. `ones` and `unspecified`: the entries, one covector a row; row 0 is left out.

    Sparse patterns stay sparse: one copy of their ones where the elements are the rows.
    """

    __slots__ = ("count", "has_extra_element", "ones", "size", "unspecified")

    def __init__(self, pattern: Pattern, elements: str) -> None:
        self.ones, self.unspecified = pattern.ones, pattern.unspecified
        self.has_extra_element = elements == "rows"
        if self.has_extra_element:
            self.ones = self.ones.transposed()
            self.unspecified = None if self.unspecified is None else self.unspecified.transposed()
        covectors, size = self.ones.shape
        self.count: int = covectors + (not self.has_extra_element)
        self.size: int = size + self.has_extra_element

    @property
    def is_sparse(self) -> bool:
        """Whether they are stored by their ones alone."""
        return self.ones.is_sparse and self.unspecified is None

    def count_changes(self, order: Order, flips: Signs) -> NDArray[np.int64]:
        """Count the changes of sign of each covector along an order of the elements.

        `order` (shape (size,)): the elements as they stand. `flips` (shape (size,)): +1 or -1 for
        each element: its entries are multiplied by it.

        Entries that are * take the sign of their left neighbour, at the left end that of the first
        entry specified.

        O(k log k + m + n) for a sparse pattern of k ones: a covector changes where one that is -
        throughout does, except at the ends of its runs of ones. O(m n) else.
        """
        zeros = self._zeros(order, flips)
        extra = [] if self.has_extra_element else [np.count_nonzero(zeros[1:] != zeros[:-1])]
        if self.is_sparse:
            counts = self._count_sparse_changes(order, zeros)
        else:
            blocks = self._filled_blocks(order, flips)
            found = [(block[:, 1:] != block[:, :-1]).sum(axis=1) for block in blocks]
            counts = np.concatenate(found)
        return np.concatenate([np.array(extra, dtype=np.int64), counts])

    def blocks_of_changes(self, order: Order, flips: Signs) -> Iterator[Changes]:
        """Yield places of changes, some covectors at a time; parameters as of `count_changes`."""
        zeros = self._zeros(order, flips)
        if not self.has_extra_element:
            places = np.flatnonzero(zeros[1:] != zeros[:-1])
            yield Changes(np.array([len(places)]), places, -zeros[-1:])
        if self.is_sparse:
            yield from self._sparse_changes(order, zeros)
            return
        for block in self._filled_blocks(order, flips):
            changed = block[:, 1:] != block[:, :-1]
            yield Changes(changed.sum(axis=1), np.nonzero(changed)[1], block[:, -1])

    def agreements(self, order: Order) -> NDArray[np.int64]:
        """For each two neighbours along an order, count agreeing covectors less the others.

        Covectors with a * on one of the two count for neither.
        """
        total = np.full(self.size - 1, not self.has_extra_element, dtype=np.int64)  # for row 0
        if not self.is_sparse:
            for block in self._blocks(order, np.ones(self.size, dtype=np.int8)):
                total += (block[:, 1:] * block[:, :-1]).sum(axis=0, dtype=np.int64)
            return total
        held = np.zeros(self.size, dtype=np.int64)  # by how many covectors
        both = np.zeros(self.size, dtype=np.int64)  # with the next element along the order
        for _, _, rows, places in self._sorted_ones(order):
            held += np.bincount(places, minlength=self.size)
            joined = (rows[1:] == rows[:-1]) & (places[1:] == places[:-1] + 1)
            both += np.bincount(places[:-1][joined], minlength=self.size)
        if self.has_extra_element:
            at = int(np.flatnonzero(order == 0)[0])
            held[at] = self.ones.shape[0]
            both[at] = held[(at + 1) % self.size]
            both[at - 1] = held[at - 1]
        differ = held[1:] + held[:-1] - 2 * both[:-1]
        return np.asarray(total + self.ones.shape[0] - 2 * differ)

    def signs(self) -> Signs:
        """Return all covectors, one a row: +1, -1, and 0 for *; shape (count, size)."""
        order = np.arange(self.size)
        blocks = list(self._blocks(order, np.ones(self.size, dtype=np.int8)))
        if not self.has_extra_element:
            blocks.insert(0, np.ones((1, self.size), dtype=np.int8))
        return np.concatenate(blocks)

    def _zeros(self, order: Order, flips: Signs) -> Signs:
        """Return the signs of a covector without ones along the order."""
        zeros = -flips[order]
        return np.where(order == 0, -zeros, zeros) if self.has_extra_element else zeros

    # ---------------------------------------------------------------- written out

    def _blocks(self, order: Order, flips: Signs) -> Iterator[Signs]:
        """Yield covectors along the order, block by block: +1, -1, and 0 for *; without row 0."""
        ahead = flips[order]
        extra = int(self.has_extra_element)
        step = block_height(8 * self.size)
        for start in range(0, self.ones.shape[0], step):
            block = self.ones.dense(start, start + step)
            signs = np.ones((len(block), self.size), dtype=np.int8)
            signs[:, extra:] = np.where(block, 1, -1)
            if self.unspecified is not None:
                signs[:, extra:][self.unspecified.dense(start, start + step)] = 0
            yield signs[:, order] * ahead

    def _filled_blocks(self, order: Order, flips: Signs) -> Iterator[Signs]:
        """Return the same without any 0."""
        blocks = self._blocks(order, flips)
        return blocks if self.unspecified is None else map(_fill, blocks)

    # ---------------------------------------------------------------- by the ones alone

    def _count_sparse_changes(self, order: Order, zeros: Signs) -> NDArray[np.int64]:
        turns = zeros[1:] != zeros[:-1]
        counts = np.full(self.ones.shape[0], np.count_nonzero(turns), dtype=np.int64)
        # A boundary of ones adds a change, or removes it where a covector of zeros has one.
        worth = np.concatenate(([0], 1 - 2 * turns.astype(np.int64), [0]))
        for start, stop, rows, places in self._sorted_ones(order):
            alone = worth[places] + worth[places + 1]
            joined = (rows[1:] == rows[:-1]) & (places[1:] == places[:-1] + 1)
            alone[1:][joined] -= 2 * worth[places[1:][joined]]
            counts[start:stop] += np.bincount(rows, alone, stop - start).astype(np.int64)
        return counts

    def _sparse_changes(self, order: Order, zeros: Signs) -> Iterator[Changes]:
        turns = np.flatnonzero(zeros[1:] != zeros[:-1])
        for start, stop, rows, places in self._sorted_ones(order):
            height = stop - start
            pairs = [rows * self.size + places - 1, rows * self.size + places]
            pairs = [
                pair[inside]
                for pair, inside in zip(pairs, (places > 0, places < self.size - 1), strict=True)
            ]
            base = (np.arange(height)[:, None] * self.size + turns).ravel()
            found, times = np.unique(np.concatenate([*pairs, base]), return_counts=True)
            row, place = np.divmod(found[times % 2 == 1], self.size)
            last = np.full(height, zeros[-1], dtype=np.int8)
            last[rows[places == self.size - 1]] *= -1
            yield Changes(np.bincount(row, minlength=height), place, last)

    def _sorted_ones(
        self, order: Order
    ) -> Iterator[tuple[int, int, NDArray[np.int64], NDArray[np.int64]]]:
        """Blocks of covectors: first, end, and of each 1 its covector in the block and place."""
        assert self.ones.is_sparse
        place = places_of(order)[int(self.has_extra_element) :]
        for start, stop, rows, columns in self.ones.blocks_of_ones():
            pairs = rows * self.size + place[columns]
            pairs.sort()
            yield start, stop, *np.divmod(pairs, self.size)


def _fill(signs: Signs) -> Signs:
    """Replace zeros by the last sign to the left, or the first one at all; + if there is none."""
    if signs.all():
        return signs
    places = np.where(signs != 0, np.arange(signs.shape[1]), -1)
    last = np.maximum.accumulate(places, axis=1)
    first = (signs != 0).argmax(axis=1)
    filled = np.take_along_axis(signs, np.where(last < 0, first[:, None], last), axis=1)
    return np.where(filled == 0, np.int8(1), filled)
