"""Detours through all of a large sparse pattern, in time linear in its ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.detours.chain import Detour, Vertex, split_off

if TYPE_CHECKING:
    from samapprox.pattern import Pattern

__all__ = ["SparseCovectors"]

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Signs = NDArray[np.int8]


class SparseCovectors:
    """The covectors of a fully specified pattern on its columns, by their ones.

    O(m + n + ones) time and memory. Covector 0 is +; covector i + 1 is row i.
    """

    def __init__(self, pattern: Pattern) -> None:
        import scipy.sparse

        rows, columns = pattern.shape
        indices = np.concatenate([np.arange(columns), *pattern.ones.indices()])
        starts = np.concatenate(([0], columns + np.cumsum(np.append(0, pattern.row_ones))))
        ones = np.ones(len(indices), dtype=np.int8)
        self._by_row = scipy.sparse.csr_array((ones, indices, starts), shape=(rows + 1, columns))
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
        face = _flips(np.delete(on_base, through, axis=1)) * sign
        rows = np.flatnonzero(face > 0)
        if not np.isin(self._held_by(start[0]), rows).any():
            return None
        others = [at for at in range(len(base)) if at != through]
        holders: dict[int, int] = {}
        allowed = np.ones(self._by_row.shape[1], dtype=np.bool_)
        for at in others:
            found = self._holder(_flips(np.delete(on_base, at, axis=1)) * sign, start[0])
            if found is None:
                return None
            holders[at], held = found
            held[[e for i, (e, s) in enumerate(base) if i != at and s == sign]] = True
            allowed &= held
        ends = self._ends(_flips(on_base) * sign)
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
        has_start = np.zeros(len(flips), dtype=np.bool_)
        has_start[self._held_by(start)] = True
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
        fits = np.flatnonzero(_flips(np.column_stack([on_base, self.on([element]) * sign])))
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


def _flips(signs: Signs) -> Signs:
    """Return, for each row, the sign that all its entries have, or 0."""
    first = signs[:, 0]
    return np.asarray(np.where((signs == first[:, None]).all(axis=1), first, 0))
