"""Cores of a pattern: sets of items of which at least one is wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.base import Obstruction, Submatrix
from samapprox.proofs.fits.hitting_set import Core
from samapprox.proofs.fits.items import Items
from samapprox.proofs.questions import Fit
from samapprox.proofs.refutations.radon import Radon
from samapprox.proofs.refutations.shattering import Shattering
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.hitting_sets import (
    HittingItems,
    bound_by_packing,
    find_least_hitting_set,
    prove_bound,
)
from samapprox.solvers.similarity.transfers import carry_core

# Cores of each kind: more give better bounds, but longer linear programs.
_MOST_LISTED = 5_000
# Rows from which listed cores are chosen: the pairs of more rows take too long.
_MOST_ROWS_LISTED = 2_000


class KnownCores:
    """The cores found so far, each once; `weights` counts the equal items that each one stands for.

    The number of wrong items that `question` names is ignored.
    """

    def __init__(self, question: Fit, items: Items, weights: Mapping[int, int]) -> None:
        self._question = question
        self._items = items
        self._weights = weights
        self._cores: list[Core] = []
        self._family: list[frozenset[int]] = []
        self._known: set[frozenset[int]] = set()

    def __len__(self) -> int:
        return len(self._cores)

    def add(self, core: Core) -> frozenset[int]:
        """Add a core, and return its items."""
        items = frozenset(self._items.read_by(core))
        if items not in self._known:
            self._known.add(items)
            self._cores.append(core)
            self._family.append(items)
        return items

    def list_few_rows(self, seconds: float, search: Search) -> None:
        """Add cores of few rows, as far as they are found in so many seconds; rows only."""
        question = self._question
        if question.unit == "entries":
            return
        rows = sorted(self._weights)[:_MOST_ROWS_LISTED]
        d = question.d + question.similarity.below  # of halfspaces that are no weaker
        listed: list[Iterator[Submatrix]] = [
            _list_shattered(question.pattern, rows, d + 1, search.slice(seconds, 0))
        ]
        if d == 1:
            listed.append(_list_separating(question.pattern, rows, search.slice(2 * seconds, 0)))
        for cores in listed:
            for core in islice(cores, _MOST_LISTED):
                self.add(Core(carry_core(core, question.similarity)))

    def hit(self, search: Search) -> HittingItems:
        """Return the lightest items that hit all cores, as far as time allows."""
        return find_least_hitting_set(self._family, self._weights, search)

    def are_hit(self, items: Collection[int]) -> bool:
        """Return whether these items hit all cores."""
        return not any(core.isdisjoint(items) for core in self._family)

    def choose(self, dropped: Collection[int]) -> int:
        """Return an item of many cores that is not dropped yet."""
        # An item of many cores is probably wrong.
        counts = {item: 0 for item in self._weights if item not in dropped}
        if not counts:
            return next(iter(self._weights))
        for core in self._family:
            for item in core & counts.keys():
                counts[item] += 1
        return max(sorted(counts), key=counts.__getitem__)

    def bound_by_packing(self) -> int:
        """Return a lower bound on the wrong items, by the best fractional packing of cores."""
        return bound_by_packing(self._family, self._weights)

    def prove_more_than(self, wrong: int, search: Search) -> Obstruction | None:
        """Return a proof that more than so many items are wrong, if the cores show it in time."""
        return prove_bound(self._cores, self._family, self._weights, wrong, search)


Masks = Sequence[tuple[int, int]]
"""The zeros and the ones of rows, as the bits of two numbers."""


def _list_shattered(
    pattern: Pattern, rows: Sequence[int], size: int, search: Search
) -> Iterator[Shattering]:
    r"""Yield the sets of `size` rows that shatter some columns: each refutes d = size - 1.

    >>> list(_list_shattered(Pattern.from_text("0011\n0101\n1111"), [0, 1, 2], 2, Search()))
    [Shattering(rows=(0, 1), columns=(0, 2, 1, 3))]
    """
    masks = _read_masks(pattern, rows)
    every = (1 << pattern.shape[1]) - 1
    waiting: list[tuple[tuple[int, ...], list[int]]] = [((), [every])]
    while waiting and not search.out_of_time:
        chosen, cells = waiting.pop()
        if len(chosen) == size:
            columns = [_first(cell) for cell in cells]
            yield Shattering([rows[place] for place in chosen], columns)
            continue
        for place in reversed(range(chosen[-1] + 1 if chosen else 0, len(rows))):
            split = [cell & side for side in masks[place] for cell in cells]
            if all(split):
                waiting.append(((*chosen, place), split))


def _list_separating(pattern: Pattern, rows: Sequence[int], search: Search) -> Iterator[Radon]:
    r"""Yield the sets of three rows each of which separates one of three keys: NO for d = 1.

    >>> list(_list_separating(Pattern.from_text("100\n010\n001"), [0, 1, 2], Search()))
    [Radon(rows=(0, 1, 2), columns=(0, 1, 2))]
    """
    masks = _read_masks(pattern, rows)
    for first, second in combinations(range(len(rows)), 2):
        if search.out_of_time:
            return
        pairs = [[one & other for other in masks[second]] for one in masks[first]]
        for third in range(second + 1, len(rows)):
            cells = [[[pair & side for side in masks[third]] for pair in line] for line in pairs]
            for corner in range(8):
                a, b, c = corner & 1, corner >> 1 & 1, corner >> 2
                keys = cells[1 - a][b][c], cells[a][1 - b][c], cells[a][b][1 - c]
                if all(keys):
                    chosen = [rows[place] for place in (first, second, third)]
                    yield Radon(chosen, [_first(key) for key in keys])
                    break


def _read_masks(pattern: Pattern, rows: Sequence[int]) -> Masks:
    """Return the columns where each row has a 0, and where it has a 1, as bits."""
    entries = (pattern.block(row, row + 1)[0] for row in rows)
    return [(_pack(line == 0), _pack(line == 1)) for line in entries]


def _pack(flags: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _first(mask: int) -> int:
    """Return the place of the lowest bit."""
    return (mask & -mask).bit_length() - 1
