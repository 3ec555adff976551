"""Automorphisms of covectors: permutations of the elements with signs, by refinement of colours.

The *nodes* are the elements and covectors, each with both signs; a covector sees the elements that
have its sign on it. An automorphism maps nodes to nodes, antipodes to antipodes, and pairs of a
covector and an element that it sees to such pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Signs

Nodes = NDArray[np.int64]
"""Numbers of nodes, or their colours: element i is node i, its antipode is node N + i."""

# Leaves of the search for one automorphism; refinement alone nearly always decides.
_MOST_LEAVES = 1_000
_HASHES = 1 << 40  # colours are hashed to numbers below this, so that sums of them do not overflow


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A group of automorphisms, by a chain of stabilisers."""

    elements: int  # N
    # (images, 2 N): Each automorphism is a product of one map of each level, in exactly one way.
    # Those of a level fix the base nodes of all levels before it and map its own one to different
    # nodes.
    levels: tuple[Nodes, ...]

    @property
    def order(self) -> int:
        """The number of automorphisms."""
        order = 1
        for level in self.levels:
            order *= len(level)
        return order

    def sample(self, most: int, rng: np.random.RandomState) -> Nodes:
        """Return all automorphisms, or at most so many, the identity first."""
        chosen = np.arange(2 * self.elements)[None]
        for level in reversed(self.levels):
            room = max(1, most // len(chosen))
            if len(level) > room:
                others = 1 + rng.permutation(len(level) - 1)[: room - 1]
                level = level[np.append(0, others)]
            chosen = level[:, chosen].reshape(-1, 2 * self.elements)
        return chosen


def find_automorphisms(signs: Signs, search: Search) -> Group:
    """Find the automorphisms of some covectors, or a subgroup of them where time is up.

    Individualisation and refinement: a base of nodes that no automorphism but the identity fixes,
    and for each of them, from the last one on, an automorphism to every node of its orbit. Nodes
    that the automorphisms found so far reach need no search. A search refines 2 (M + N) colours of
    nodes a few times for each node of the base.

    McKay, Piperno (2014), "Practical graph isomorphism, II".
    """
    nodes = _Nodes(signs, search)
    colours, base = [nodes.refine(nodes.first_colours)], []
    while (node := nodes.next_node(colours[-1])) is not None:
        base.append(node)
        colours.append(nodes.refine(nodes.distinguish(colours[-1], node)))
    generators: list[Nodes] = []
    levels: list[Nodes] = []
    for depth in reversed(range(len(base))):
        node = base[depth]
        reached = {node: np.arange(2 * nodes.elements)}
        _extend(reached, generators)
        for image in np.flatnonzero(colours[depth] == colours[depth][node]).tolist():
            if image not in reached:
                found = nodes.find_map(base[depth:], image, colours[depth])
                if found is not None:
                    generators.append(found)
                    _extend(reached, generators)
        levels.append(np.array(list(reached.values())))
    return Group(nodes.elements, tuple(reversed(levels)))


def _extend(reached: dict[int, Nodes], generators: list[Nodes]) -> None:
    """Add an automorphism to each node of the orbit of those reached."""
    waiting = list(reached)
    while waiting:
        node = waiting.pop()
        for generator in generators:
            image = int(generator[node])
            if image not in reached:
                reached[image] = generator[reached[node]]
                waiting.append(image)


class _Nodes:
    """Elements and covectors with both signs, and which covector sees which element."""

    def __init__(self, signs: Signs, search: Search) -> None:
        self._signs, self._search = signs, search
        # Sorted, so that the opposite of the first one is the last.
        self._lines = _with_opposites(signs)
        self.elements = signs.shape[1]
        self.size = 2 * self.elements + len(self._lines)
        elements = np.arange(2 * self.elements)
        covectors = np.arange(2 * self.elements, self.size)
        self._antipodes = np.concatenate([np.roll(elements, self.elements), covectors[::-1]])
        self._edges = np.zeros((self.size, self.size), dtype=np.int64)
        self._edges[covectors[:, None], elements] = np.hstack([self._lines > 0, self._lines < 0])
        self._edges += self._edges.T
        self._hashes = np.random.RandomState(0).randint(_HASHES, size=2 * self.size)

    @cached_property
    def first_colours(self) -> Nodes:
        """Colours that distinguish elements from covectors."""
        colours: Nodes = (np.arange(self.size) >= 2 * self.elements).astype(np.int64)
        return colours

    def next_node(self, colours: Nodes) -> int | None:
        """Return the first element that shares its colour with another one, or None."""
        own = colours[: 2 * self.elements]
        shared = np.bincount(own)[own] > 1
        return int(shared.argmax()) if shared.any() else None

    def distinguish(self, colours: Nodes, node: int) -> Nodes:
        """Give a node a colour of its own, the greatest."""
        colours = colours.copy()
        colours[node] = colours.max() + 1
        return colours

    def refine(self, colours: Nodes) -> Nodes:
        """Refine colours until nodes of one colour see equally many of each."""
        count = len(np.unique(colours))
        while True:
            lines = np.stack(
                [colours, colours[..., self._antipodes], self._hashes[colours] @ self._edges], -1
            )
            lines = lines.reshape(-1, 3)
            refined: Nodes = np.unique(lines, axis=0, return_inverse=True)[1]
            refined = refined.reshape(colours.shape)
            before, count = count, int(refined.max()) + 1
            if count == before:
                return refined
            colours = refined

    def find_map(self, base: list[int], image: int, colours: Nodes) -> Nodes | None:
        """Find an automorphism that keeps colours and maps the first base node to the image."""
        self._leaves = _MOST_LEAVES
        return self._map_base(base, [image], np.stack([colours, colours]))

    def _map_base(self, base: list[int], images: list[int], both: Nodes) -> Nodes | None:
        """Find an automorphism from the first colouring to the second one, or None."""
        for image in images:
            if self._leaves == 0 or self._search.out_of_time:
                return None
            self._leaves -= 1
            left, right = self.distinguish(both[0], base[0]), self.distinguish(both[1], image)
            refined = self.refine(np.stack([left, right]))
            first, second = (np.sort(each) for each in refined)
            if not np.array_equal(first, second):
                continue
            if len(base) > 1:
                options = np.flatnonzero(refined[1] == refined[0][base[1]]).tolist()
                found = self._map_base(base[1:], options, refined)
            else:
                found = self._read_map(refined)
            if found is not None:
                return found
        return None

    def _read_map(self, both: Nodes) -> Nodes | None:
        """Return the map of elements that keeps colours, if it is an automorphism."""
        own = both[:, : 2 * self.elements]
        found = np.empty(2 * self.elements, dtype=np.int64)
        found[np.argsort(own[0])] = np.argsort(own[1])
        flips = np.where(found < self.elements, 1, -1)[: self.elements]
        moved = self._signs[:, found[: self.elements] % self.elements] * flips
        return found if np.array_equal(_with_opposites(moved), self._lines) else None


def _with_opposites(signs: Signs) -> Signs:
    """Return all covectors and their opposites, sorted."""
    lines: Signs = np.unique(np.concatenate([signs, -signs]), axis=0)
    return lines
