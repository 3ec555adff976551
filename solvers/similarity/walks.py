"""Walks of pairs of columns that have the same order, from one pair to its reverse."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.similarity import widen_kernel
from samapprox.solvers.similarity.consecutive import Conflict, indices_of
from samapprox.storage.sparse import SparseMatrix
from samapprox.support.plain import choose_version

__all__ = ["find_walk"]

Walk = NDArray[np.int64]
"""Steps: two columns, and the row that leads to the next pair; the last row leads to the reverse
of the first pair."""

Pair = tuple[int, int]

_MOST_PLAIN = 1 << 17
"""Places that plain Python passes in 0.3 seconds while it widens pairs."""


def find_walk(rows: SparseMatrix, conflict: Conflict) -> Walk | None:
    """Return a walk of pairs that contradicts all orders of the columns, or None.

    O(m + n + ones). The walk is no longer than a small multiple of n, mostly far shorter.
    """
    from scipy.sparse.csgraph import dijkstra

    links = _Links.of(rows, conflict)
    pairs = list(permutations(conflict.columns, 2))
    lengths, before = dijkstra(_connect(links, pairs), return_predecessors=True)
    reverse = [pairs.index(pair[::-1]) for pair in pairs]
    start = int(lengths[range(len(pairs)), reverse].argmin())
    if np.isinf(lengths[start, reverse[start]]):
        return None
    path = [reverse[start]]
    while path[-1] != start:
        path.append(int(before[start, path[-1]]))
    path.reverse()
    steps = [
        step for here, there in pairwise(path) for step in links.join(pairs[here], pairs[there])
    ]
    return _shorten(np.array(steps, dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class _Links:
    """Walks by the rows before the one that cannot be inserted, and steps by this one."""

    row: int  # the row that cannot be inserted
    held: frozenset[int]  # those of the conflict's columns that it holds
    order: NDArray[np.int64]
    place: dict[int, int]  # the places of the conflict's columns in the order
    # For each two columns of the conflict, by ascending places, how they are widened.
    chains: dict[Pair, Walk]

    @classmethod
    def of(cls, rows: SparseMatrix, conflict: Conflict) -> _Links:
        """Widen all pairs of columns of a conflict."""
        order, columns = conflict.order, conflict.columns
        places = np.empty(len(order), dtype=np.int64)
        places[order] = np.arange(len(order))
        before = SparseMatrix(
            rows.indptr[: conflict.row + 1],
            indices_of(rows)[: rows.indptr[conflict.row]],
            rows.columns,
        )
        names = np.flatnonzero(before.row_counts)
        reached = places[indices_of(before)] if names.size else np.zeros(0, dtype=np.int64)
        firsts = before.indptr[names]
        most = len(names) + len(order) * len(columns) * (len(columns) - 1) // 2
        kernel = choose_version(widen_kernel, most, _MOST_PLAIN)
        left, right = kernel.reach_furthest(
            np.minimum.reduceat(reached, firsts) if names.size else reached,
            np.maximum.reduceat(reached, firsts) if names.size else reached,
            names,
            len(order),
        )
        place = {column: int(places[column]) for column in columns}
        chains = {
            (x, y): kernel.widen(left, right, place[x], place[y])
            for x, y in permutations(columns, 2)
            if place[x] < place[y]
        }
        held = frozenset(columns) & frozenset(rows.row(conflict.row).tolist())
        return cls(conflict.row, held, order, place, chains)

    def length(self, pair: Pair, other: Pair) -> int | None:
        """Return the length of a walk from one pair to the other by the rows before; or None."""
        if (self.place[pair[0]] < self.place[pair[1]]) != (
            self.place[other[0]] < self.place[other[1]]
        ):
            return None
        here, there = self._chain(pair), self._chain(other)
        shared = _count_shared(here, there)
        return len(here) + len(there) - 2 * shared if shared else None

    def steps_by_row(self, pair: Pair, other: Pair) -> bool:
        """Return whether the row itself leads from one pair to the other in one step."""
        (a, b), (c, d) = pair, other
        if b == d:
            return a != c and {a, c} <= self.held and b not in self.held
        return a == c and {b, d} <= self.held and a not in self.held

    def join(self, pair: Pair, other: Pair) -> list[tuple[int, int, int]]:
        """Return the steps from one pair to the other, without the other."""
        if self.steps_by_row(pair, other):
            return [(*pair, self.row)]
        here, there = self._chain(pair), self._chain(other)
        shared = _count_shared(here, there)
        forwards = here[: len(here) - shared]
        backwards = there[len(there) - shared :: -1]
        pairs = np.concatenate([forwards[:, :2], backwards[:-1, :2]])
        by = np.concatenate([forwards[:, 2], backwards[1:, 2]])
        columns = self.order[pairs]
        if self.place[pair[0]] > self.place[pair[1]]:
            columns = columns[:, ::-1]
        return [(*names, row) for names, row in zip(columns.tolist(), by.tolist(), strict=True)]

    def _chain(self, pair: Pair) -> Walk:
        return self.chains[pair if pair in self.chains else pair[::-1]]


def _count_shared(here: Walk, there: Walk) -> int:
    """Return the number of pairs that two walks have in common at their ends."""
    count = min(len(here), len(there))
    same = (here[len(here) - count :, :2] == there[len(there) - count :, :2]).all(axis=1)
    return count if same.all() else int(same[::-1].argmin())


def _connect(links: _Links, pairs: list[Pair]) -> NDArray[np.float64]:
    """Return the lengths of the walks between pairs of columns; infinite where there is none."""
    lengths = np.full((len(pairs), len(pairs)), np.inf)
    for (i, pair), (j, other) in permutations(enumerate(pairs), 2):
        length = 1 if links.steps_by_row(pair, other) else links.length(pair, other)
        if length is not None:
            lengths[i, j] = length
    return lengths


def _shorten(steps: Walk) -> Walk:
    """Return the shortest part of a walk that leads from a pair to its reverse."""
    last: dict[Pair, int] = {}
    first, end = 0, len(steps)
    pairs = [tuple(pair) for pair in steps[:, :2].tolist()]
    for number, (a, b) in enumerate([*pairs, *((b, a) for a, b in pairs)]):
        if (b, a) in last and number - last[b, a] < end - first:
            first, end = last[b, a], number
        last[a, b] = number
    count = len(steps)
    walk = steps[np.arange(first, end) % count]
    walk[np.arange(first, end) >= count, :2] = walk[np.arange(first, end) >= count, 1::-1]
    return walk
