"""Cycles of signed simplices: the splits of d + 2 elements, with detours for the missing ones.

A *simplex* is a set of d + 2 elements with signs, up to a global flip; it is *present* if some
covector has these signs. All 2^(d + 1) simplices on the same elements form a cycle: each face lies
in two of them, and exactly one of them alternates. Let M be a missing simplex, v one of its signed
elements, and T the others. A *detour* is a path v = x_0, x_1, .., x_k of signed elements such that
the simplices

    T without t, with x_(i - 1) and x_i     (every t in T, every step i), and T with x_k

are present, apart from those in which an element is repeated, which cancel. Modulo 2, the faces of
these simplices are those of M, so they replace M in the cycle. Detours keep the parity of
alternation, because M and its detour lift to a cycle before flips are identified.
docs/theory/detours.md proves this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Flags, Numbers, Signs, flags_at

if TYPE_CHECKING:
    from samapprox.pattern import Pattern


Vertex = tuple[int, int]
"""An element with a sign, +1 or -1."""

Simplex = tuple[tuple[int, ...], tuple[int, ...]]
"""Ascending elements, and their signs, the first of which is +."""


@dataclass(frozen=True, slots=True)
class Detour:
    """A path of signed elements that replaces a missing simplex."""

    base: tuple[Vertex, ...]  # T, the missing simplex without the start of the path
    path: tuple[Vertex, ...]  # from the remaining element of the missing simplex on
    # For each step, and each t of `base`, the covector that the step's simplex without t belongs
    # to; any number if an element is repeated there.
    steps: tuple[tuple[int, ...], ...]
    # The covector of `base` with the last element of the path; any number if it is in `base`.
    end: int


class Chain:
    """A set of signed simplices, added modulo 2, with a covector for each."""

    def __init__(self) -> None:
        self._covectors: dict[Simplex, int] = {}

    @property
    def members(self) -> list[tuple[int, ...]]:
        """The covector and the elements of each simplex, in order."""
        return sorted((covector, *elements) for (elements, _), covector in self._covectors.items())

    def add(self, vertices: Iterable[Vertex], covector: int) -> None:
        """Add a simplex, or remove it where it is in the chain; ignore a degenerate one."""
        elements, signs = zip(*sorted(vertices), strict=True)
        if any(a == b for a, b in pairwise(elements)):
            return
        simplex = elements, tuple(sign * signs[0] for sign in signs)
        if self._covectors.pop(simplex, None) is None:
            self._covectors[simplex] = covector

    def add_detour(self, detour: Detour) -> None:
        """Add what replaces a missing simplex."""
        base = detour.base
        faces = [(*base[:at], *base[at + 1 :]) for at in range(len(base))]
        edges = pairwise(detour.path)
        for (start, stop), covectors in zip(edges, detour.steps, strict=True):
            for face, covector in zip(faces, covectors, strict=True):
                self.add((start, stop, *face), covector)
        self.add((detour.path[-1], *base), detour.end)


def split_off(split: Sequence[Vertex], at: int) -> tuple[Vertex, tuple[Vertex, ...]]:
    """Return an element of a simplex, and the others."""
    return split[at], (*split[:at], *split[at + 1 :])


# ---------------------------------------------------------------- in a small pattern, written out


def shortest_detour(signs: Signs, missing: Sequence[Vertex], search: Search) -> Detour | None:
    """Return the shortest detour for a missing simplex, from any of its elements, or None.

    Breadth-first search: for each of the d + 2 elements, each of the 2 n signed elements is
    expanded at most once, in O(d m n) operations on bytes.
    """
    best: _Graph | None = None
    for at in range(len(missing)):
        start, base = split_off(missing, at)
        graph = _Graph(signs, base)
        limit = None if best is None else len(best.path)
        if graph.find(start, limit, search):
            best = graph
        if search.out_of_time:
            return None
    return None if best is None else best.detour()


class _Graph:
    """The graph of signed elements whose paths are the detours over a base.

    An edge joins x and y if, for every t of the base, some covector has the signs of x, y and the
    base without t. The *faces* are these covectors, flipped so that they agree with the base; each
    is 1 at the signed elements that it has. Element e with + has the number e, with - e + n.
    """

    def __init__(self, signs: Signs, base: tuple[Vertex, ...]) -> None:
        self.path: list[Vertex] = []
        self._base = base
        self._size = signs.shape[1]
        elements = [element for element, _ in base]
        on_base = signs[:, elements] * np.array([sign for _, sign in base], dtype=np.int8)
        self._faces = [_Face(signs, np.delete(on_base, at, axis=1)) for at in range(len(base))]
        self._whole = _Face(signs, on_base)
        self._in_base = [self._number(vertex) for vertex in base]
        self._degenerate = [np.delete(self._in_base, at) for at in range(len(base))]

    def find(self, start: Vertex, limit: int | None, search: Search) -> bool:
        """Find a shortest path from `start` to an end, of fewer vertices than `limit`."""
        ends = self._whole.held.max(axis=0, initial=0) > 0
        ends[self._in_base] = True
        before = np.full(2 * self._size, -1)
        layer = np.array([self._number(start)])
        before[layer] = layer
        length = 1
        while len(layer) and not search.out_of_time and (limit is None or length < limit):
            if ends[layer].any():
                self._trace(before, int(layer[ends[layer].argmax()]))
                return True
            near = self._neighbours(layer) & (before < 0)
            following = np.flatnonzero(near.any(axis=0))
            before[following] = layer[near[:, following].argmax(axis=0)]
            layer, length = following, length + 1
        return False

    def detour(self) -> Detour:
        """Return the detour along the path, with a covector for each of its simplices."""
        numbers = [self._number(vertex) for vertex in self.path]
        steps = [tuple(face.covector(step) for face in self._faces) for step in pairwise(numbers)]
        end = self._whole.covector(numbers[-1:])
        return Detour(self._base, tuple(self.path), tuple(steps), end)

    def _neighbours(self, layer: NDArray[np.int64]) -> Flags:
        """Return, for each vertex of a layer outside the base, the vertices next to it."""
        common = np.ones((len(layer), 2 * self._size), dtype=np.bool_)
        for face, degenerate in zip(self._faces, self._degenerate, strict=True):
            near = face.held[:, layer].T @ face.held > 0
            near[:, degenerate] = True
            common &= near
        return common

    def _trace(self, before: NDArray[np.int64], number: int) -> None:
        """Keep the path that ends at a vertex."""
        backwards = [number]
        while (number := int(before[number])) != backwards[-1]:
            backwards.append(number)
        self.path = [(one % self._size, -1 if one >= self._size else 1) for one in backwards[::-1]]

    def _number(self, vertex: Vertex) -> int:
        element, sign = vertex
        return element if sign > 0 else element + self._size


class _Face:
    """The covectors that agree with signs on some elements up to a flip, flipped to agree."""

    def __init__(self, signs: Signs, on_face: Signs) -> None:
        first = on_face[:, :1]
        self._numbers = np.flatnonzero(((on_face == first) & (first != 0)).all(axis=1))
        agreeing = signs[self._numbers] * first[self._numbers]
        self.held = np.hstack([agreeing > 0, agreeing < 0]).astype(np.float32)

    def covector(self, vertices: Sequence[int]) -> int:
        """Return one that has all of these signed elements, or -1."""
        fits = self.held[:, vertices].all(axis=1)
        return int(self._numbers[fits.argmax()]) if fits.any() else -1


# ---------------------------------------------------------------- in a large sparse pattern


class SparseCovectors:
    """The covectors of a fully specified pattern on its columns, by their ones.

    O(m + n + ones) time and memory. Covector 0 is +; covector i + 1 is row i.
    """

    def __init__(self, pattern: Pattern) -> None:
        import scipy.sparse

        extra = np.ones((1, pattern.shape[1]), dtype=np.int8)
        self._by_row = scipy.sparse.vstack([extra, pattern.to_sparse()], format="csr")
        self._by_column = self._by_row.tocsc()
        self._few = np.argsort(np.diff(self._by_row.indptr), kind="stable")

    @classmethod
    @lru_cache(maxsize=1)  # every turn asks for the same one
    def of(cls, pattern: Pattern) -> SparseCovectors:
        """Return the covectors of a pattern, kept until another one is asked for."""
        return cls(pattern)

    def on(self, elements: Sequence[int]) -> Signs:
        """Return the signs of all covectors on some elements."""
        signs = np.full((self._by_row.shape[0], len(elements)), -1, dtype=np.int8)
        for at, element in enumerate(elements):
            signs[self._held_by(element), at] = 1
        return signs

    def detour(self, missing: Sequence[Vertex], search: Search) -> Detour | None:
        """Return a detour for a missing simplex, or None.

        O((d + 1)(d + 2)) breadth-first searches, each linear in the ones. All vertices of the path
        have the same sign. Its edges are pairs of ones of a row, for one of the faces; for each of
        the others, one covector has to hold the whole path: the one that holds most elements.
        """
        on = self.on([element for element, _ in missing]) * np.array([s for _, s in missing])
        for at in range(len(missing)):
            start, base = split_off(missing, at)
            for through in range(len(base)):
                if search.out_of_time:
                    return None
                found = self._along(np.delete(on, at, axis=1), start, base, through)
                if found is not None:
                    return found
        return None

    def _along(
        self, on_base: Signs, start: Vertex, base: tuple[Vertex, ...], through: int
    ) -> Detour | None:
        """Return a detour whose edges are rows of the face without the element `through`."""
        sign = start[1]
        face = _find_flips(np.delete(on_base, through, axis=1)) * sign
        rows = np.flatnonzero(face > 0)
        if not np.isin(self._held_by(start[0]), rows).any():
            return None
        others = [at for at in range(len(base)) if at != through]
        holders: dict[int, int] = {}
        allowed = np.ones(self._by_row.shape[1], dtype=np.bool_)
        for at in others:
            found = self._holder(_find_flips(np.delete(on_base, at, axis=1)) * sign, start[0])
            if found is None:
                return None
            holders[at], held = found
            held[[e for i, (e, s) in enumerate(base) if i != at and s == sign]] = True
            allowed &= held
        ends = self._ends(_find_flips(on_base) * sign)
        ends[[element for element, its in base if its == sign]] = True
        path = self._search(rows, allowed, start[0], ends & allowed)
        if path is None:
            return None
        elements, between = path
        steps = tuple(
            tuple(row if at == through else holders[at] for at in range(len(base)))
            for row in between
        )
        end = self._whole(on_base, elements[-1], sign)
        return Detour(base, tuple((element, sign) for element in elements), steps, end)

    def _held_by(self, element: int) -> Numbers:
        """Return the covectors that have a one at an element."""
        starts = self._by_column.indptr
        held: Numbers = self._by_column.indices[starts[element] : starts[element + 1]]
        return held

    def _ones(self, covector: int) -> Flags:
        """Return where a covector has ones."""
        ones = np.zeros(self._by_row.shape[1], dtype=np.bool_)
        starts = self._by_row.indptr
        ones[self._by_row.indices[starts[covector] : starts[covector + 1]]] = True
        return ones

    def _holder(self, flips: Signs, start: int) -> tuple[int, Flags] | None:
        """Return the flipped covector that is + at `start` and at most elements, and where."""
        has_start = flags_at(self._held_by(start), len(flips))
        by_ones = self._few[((flips > 0) & has_start)[self._few]][-1:]
        by_zeros = self._few[((flips < 0) & ~has_start)[self._few]][:1]
        options = [(row, self._ones(row)) for row in by_ones.tolist()]
        options += [(row, ~self._ones(row)) for row in by_zeros.tolist()]
        return max(options, key=lambda option: option[1].sum(), default=None)

    def _ends(self, flips: Signs) -> Flags:
        """Return the elements that some flipped covector is + at."""
        ends = np.zeros(self._by_row.shape[1], dtype=np.bool_)
        for row in np.flatnonzero(flips > 0).tolist():
            ends |= self._ones(row)
        zeros = np.flatnonzero(flips < 0)
        if len(zeros):
            ends |= self._by_row[zeros].sum(axis=0) < len(zeros)
        return ends

    def _whole(self, on_base: Signs, element: int, sign: int) -> int:
        """Return a covector that has the signs of the base and the last element, or -1."""
        fits = np.flatnonzero(_find_flips(np.column_stack([on_base, self.on([element]) * sign])))
        return int(fits[0]) if len(fits) else -1

    def _search(
        self, rows: Numbers, allowed: Flags, start: int, ends: Flags
    ) -> tuple[list[int], list[int]] | None:
        """Return a shortest path from `start` to an end along these rows, and its rows."""
        import scipy.sparse
        from scipy.sparse.csgraph import breadth_first_order

        if not allowed[start]:
            return None
        columns = np.flatnonzero(allowed)
        part = self._by_row[rows][:, columns]
        graph = scipy.sparse.block_array([[None, part], [part.T, None]], format="csr")
        first = len(rows) + int(np.searchsorted(columns, start))
        order, before = breadth_first_order(graph, first, directed=False)
        reached = order[order >= len(rows)]
        reached = reached[ends[columns[reached - len(rows)]]]
        if not len(reached):
            return None
        backwards = [int(reached[0])]
        while backwards[-1] != first:
            backwards.append(int(before[backwards[-1]]))
        nodes = np.array(backwards[::-1])
        elements: list[int] = columns[nodes[::2] - len(rows)].tolist()
        between: list[int] = rows[nodes[1::2]].tolist()
        return elements, between


def _find_flips(signs: Signs) -> Signs:
    """Return, for each row, the sign that all its entries have, or 0."""
    first = signs[:, 0]
    return np.asarray(np.where((signs == first[:, None]).all(axis=1), first, 0))
