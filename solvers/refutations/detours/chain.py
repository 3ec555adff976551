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
from itertools import pairwise

__all__ = ["Chain", "Detour", "Vertex", "split_off"]

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
