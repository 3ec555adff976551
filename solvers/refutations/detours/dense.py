"""Detours among all elements of a pattern that is small enough to be written out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.detours.chain import Detour, Vertex, split_off

__all__ = ["shortest_detour"]

Signs = NDArray[np.int8]
Flags = NDArray[np.bool_]


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
