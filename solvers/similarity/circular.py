"""The strategy `circular`: keys on a circle, on a line, or at two points.

Walks of pairs of columns that have the same order, from one pair to its reverse, refute them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.similarities.key_order import Curve, KeyOrder
from samapprox.proofs.similarities.odd_cycle import OddCycle
from samapprox.proofs.similarities.opposite_keys import OppositeKeys
from samapprox.solvers.engine.search import Search, too_slow
from samapprox.solvers.similarity import widen_kernel
from samapprox.solvers.similarity.consecutive import (
    MOST_ONES,
    Conflict,
    cut,
    indices_of,
    order_columns,
    sparse_rows,
)
from samapprox.storage.sparse import SparseMatrix
from samapprox.support.arrays import places_of
from samapprox.support.plain import choose_version

Walk = NDArray[np.int64]
"""Steps: two columns, and the row that leads to the next pair; the last row leads to the reverse
of the first pair."""

Pair = tuple[int, int]

_MOST_PLAIN = 1 << 17
"""Places that plain Python passes in 0.3 seconds while it widens pairs."""

NAME = "circular"

_STEP = 1 << 8
"""Rows between two looks at the clock."""

_MANY_ONES, _LISTED_A_SECOND = 1 << 20, 2e7
"""Ones of a dense pattern from which listing them takes long, and those that are listed, and cut at
a column, in a second."""

State = tuple[int, int]
"""A column, and whether it is opposite to the column where a walk begins."""

Link = tuple[State, int]
"""The state before, and the row that leads on from it."""


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
        places = places_of(order)
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


def find_points(pattern: Pattern, search: Search) -> KeyOrder | OppositeKeys | str:
    """Divide the columns among two points such that no point has a one and a zero of a row.

    O(m + n + ones) without don't-cares, where equal columns share a point; else O(m n).
    """
    if pattern.is_specified:
        return _compare_columns(pattern)
    points = _Points.of(pattern.shape[1])
    for row in range(pattern.shape[0]):
        if row % _STEP == 0:
            if row and search.out_of_time:
                return "no time left"
            block = pattern.block(row, row + _STEP)
        if ends := points.add_row(block[row % _STEP]):
            return _refute_points(pattern.block(0, row + 1), ends)
    return KeyOrder("circle", points.sides)


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Columns in groups, within which the rows so far say who is opposite to whom."""

    groups: NDArray[np.int64]  # the group of each column, named by one of its columns
    sides: NDArray[np.int64]  # 0 and 1 are the two points

    @classmethod
    def of(cls, columns: int) -> _Points:
        """Put each column into a group of its own."""
        return cls(np.arange(columns), np.zeros(columns, dtype=np.int64))

    def add_row(self, entries: NDArray[np.int8]) -> tuple[int, int] | None:
        """Join the groups of a row's columns; or return two columns that it contradicts.

        A row of one kind only is constant on both points, or has a threshold beyond them.
        """
        columns = np.flatnonzero(entries != UNSPECIFIED)
        values = entries[columns]
        if values.all() or not values.any():
            return None
        apart: NDArray[np.bool_] = np.not_equal(self.sides[columns], values)
        named = np.full((2, len(entries)), -1)  # a column of each group that must turn, or not
        for turned in (0, 1):
            named[turned, self.groups[columns[apart == turned]]] = columns[apart == turned]
        if (wrong := np.flatnonzero((named[0] >= 0) & (named[1] >= 0))).size:
            return int(named[0, wrong[0]]), int(named[1, wrong[0]])
        self.sides[named[1, self.groups] >= 0] ^= 1
        self.groups[named.max(axis=0)[self.groups] >= 0] = self.groups[columns[0]]
        return None


def _refute_points(entries: NDArray[np.int8], ends: tuple[int, int]) -> OppositeKeys:
    """Close a walk between two columns by the last row, which contradicts the rows before it."""
    start, end = ends
    opposite = int(entries[-1, start] == entries[-1, end])
    steps = _find_walk(entries[:-1], start, (end, opposite))
    steps += _lead(entries[-1], len(entries) - 1, end, start)
    columns, by = zip(*_find_cycle(steps), strict=True)
    rows, numbers = np.unique(by, return_inverse=True)
    return OppositeKeys(rows.tolist(), columns, numbers.reshape(-1))


def _find_walk(entries: NDArray[np.int8], start: int, end: State) -> list[State]:
    """Return a shortest walk by rows from a column to another that is equal or opposite to it.

    Its steps are (column, row), each to a column that the row separates from it. A search in
    breadth: every row is passed once for each of the two points that its ones may have.
    """
    specified = entries != UNSPECIFIED
    mixed = (entries == 1).any(axis=1) & (entries == 0).any(axis=1)
    fresh_rows = np.stack([mixed, mixed])
    fresh = np.ones((2, entries.shape[1]), dtype=np.bool_)
    fresh[0, start] = False
    links: dict[State, Link] = {}
    queue: list[State] = [(start, 0)]
    for column, side in queue:
        values = entries[:, column]
        for value in (0, 1):  # the row's ones are at the point side ^ value ^ 1
            rows = np.flatnonzero(
                fresh_rows[side ^ value] & specified[:, column] & (values == value)
            )
            fresh_rows[side ^ value, rows] = False
            for row in rows.tolist():
                for other in (0, 1):
                    there = side ^ int(value != other)
                    reached = np.flatnonzero(fresh[there] & (entries[row] == other))
                    fresh[there, reached] = False
                    for name in reached.tolist():
                        links[name, there] = ((column, side), row)
                        queue.append((name, there))
        if end in links:
            break
    path: list[tuple[int, int, int]] = []
    state = end
    while state != (start, 0):
        before, row = links[state]
        path.append((before[0], row, state[0]))
        state = before
    return [
        step
        for column, row, other in reversed(path)
        for step in _lead(entries[row], row, column, other)
    ]


def _lead(entries: NDArray[np.int8], row: int, column: int, other: int) -> list[tuple[int, int]]:
    """Return the steps by a row from a column to another: two where their entries are equal."""
    if entries[column] != entries[other]:
        return [(column, row)]
    between = int((entries == 1 - entries[column]).argmax())
    return [(column, row), (between, row)]


def _find_cycle(steps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return an odd cycle that passes no column twice, from a closed walk of odd length."""
    path: list[tuple[int, int]] = []
    place: dict[int, int] = {}
    for column, row in [*steps, steps[0]]:
        if column in place:
            loop = path[place[column] :]
            if len(loop) % 2:
                return loop
            for passed, _ in loop:
                del place[passed]
            del path[len(path) - len(loop) :]
        place[column] = len(path)
        path.append((column, row))
    raise AssertionError("a closed walk of odd length contains an odd cycle")


def _compare_columns(pattern: Pattern) -> KeyOrder | OppositeKeys:
    """Put equal columns at one of two points; refute three different columns."""
    _, first, place = np.unique(_hash_columns(pattern), return_index=True, return_inverse=True)
    if len(first) <= 2:
        return KeyOrder("circle", place.reshape(-1))
    columns = first[:3]
    entries = pattern.ones.entries(np.arange(pattern.shape[0])[:, None], columns[None, :])
    by = [int((entries[:, a] != entries[:, b]).argmax()) for a, b in pairwise((0, 1, 2, 0))]
    rows, numbers = np.unique(by, return_inverse=True)
    return OppositeKeys(rows.tolist(), columns.tolist(), numbers.reshape(-1))


def _hash_columns(pattern: Pattern) -> NDArray[np.uint64]:
    """Return a sum of random numbers for each column: equal for equal columns.

    Different columns with the same sum, one in 2^64 pairs, would fail the check of the proof.
    """
    rows = sparse_rows(pattern)
    numbers = np.random.default_rng(0).integers(1 << 32, size=(2, pattern.shape[0]))
    sums = np.zeros((2, pattern.shape[1]))
    for start, _, lines, columns in rows.blocks_of_ones():
        for part, random in zip(sums, numbers, strict=True):
            part += np.bincount(columns, random[start + lines], minlength=len(part)) % (1 << 32)
    low, high = (part.astype(np.uint64) & np.uint64(0xFFFFFFFF) for part in sums)
    return np.asarray(low | high << np.uint64(32))


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if not problem.similarity.curves:
        return f"keys on a circle or a line are of no use for the similarity {problem.similarity}"
    if not problem.pattern.is_specified and problem.similarity.curve(problem.d) != "points":
        return "don't-care entries make it an ordering problem beyond this linear-time test"
    if problem.pattern.count > MOST_ONES:
        return f"{problem.pattern.count} ones are more than {MOST_ONES}"
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Decide cosine similarity in d = 1, 2 and Euclidean distance in d = 1; else look for YES.

    O(m + n + ones) steps, up to the cost of union-find, and memory in proportion. For dense
    patterns, 4 bytes for each one. With don't-cares, for cosine similarity in d = 1 alone, O(m n).

    Tucker (1971), "Matrix characterizations of circular-arc graphs", Pacific J. Math. 39; McConnell
    (2004), "A certifying algorithm for the consecutive-ones property", SODA.
    """
    if problem.similarity.curve(problem.d) == "points":
        return find_points(problem.pattern, search)
    if late := _too_late(problem.pattern, search):
        return late
    curve: Curve = "line" if problem.similarity.curve(problem.d) == "line" else "circle"
    rows, cut_at = sparse_rows(problem.pattern), []
    if curve == "circle":
        column, rows = cut(rows)
        cut_at = [column]
    found = order_columns(rows, lambda: search.out_of_time)
    if found is None:
        return "no time left"
    if not isinstance(found, Conflict):
        return KeyOrder(curve, np.argsort(found))
    if problem.d > len(problem.similarity.curves):
        return "no circular order keeps the ones of each row together, which proves nothing here"
    walk = find_walk(rows, found)
    if walk is None:
        return "no orders that contradict each other were found"
    return _refute(curve, walk, cut_at)


def _too_late(pattern: Pattern, search: Search) -> str | None:
    """Return the reason why there is no time to list the ones of a large dense pattern, or None."""
    if pattern.ones.is_sparse or pattern.count < _MANY_ONES:
        return None
    return too_slow(pattern.count / _LISTED_A_SECOND, search)


def _refute(curve: Curve, walk: Walk, cut_at: list[int]) -> OddCycle:
    """Number the rows and columns of a walk; those where the circle is cut come first."""
    columns, places = np.unique(walk[:, :2], return_inverse=True)
    rows, lines = np.unique(walk[:, 2], return_inverse=True)
    numbered = np.column_stack([places.reshape(-1, 2) + len(cut_at), lines.reshape(-1)])
    return OddCycle(curve, rows.tolist(), [*cut_at, *columns.tolist()], numbered)
