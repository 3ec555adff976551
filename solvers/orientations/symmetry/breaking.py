"""Clauses that the lexicographically least orientations satisfy, as a model violates them.

Why they hold is proven in `samapprox.proofs.checks.symmetry`, which checks each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.checks.orientation_clauses import subset_ranks, subsets_of
from samapprox.proofs.kinds.symmetry import Automorphism, Symmetry
from samapprox.solvers.engine.search import Search

__all__ = ["Breaker", "BrokenClause", "Images"]

Variables = NDArray[np.int32]
Flags = NDArray[np.bool_]

_MOST_IMAGES = 1 << 24  # of literals, four bytes each
_MOST_LITERALS = 1 << 18  # of the images of a clause
_AT_ONCE = 1 << 20  # images that are computed at the same time


@dataclass(frozen=True, slots=True)
class BrokenClause:
    """A clause, and the automorphism that justifies it."""

    automorphism: int  # its number in `Breaker.maps`
    last: int  # the last variable that is compared
    literals: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Images:
    """Images of a clause."""

    literals: NDArray[np.int32]  # (images, literals)
    # (images,): The automorphism, or its mirror image, that moves the clause there.
    automorphisms: NDArray[np.int64]


class Breaker:
    """Automorphisms, and what they do to every orientation.

    The order of the orientations is that of their variables. As many automorphisms count as fit in
    80 MB. A model takes O(automorphisms x orientations).
    """

    def __init__(self, maps: NDArray[np.int64], rank: int, search: Search) -> None:
        self._elements = maps.shape[1] // 2
        most = max(1, _MOST_IMAGES // comb(self._elements, rank))
        self.maps = maps[:most]
        blocks = list(self._images(rank, search))
        self._places = np.concatenate([places for places, _ in blocks])
        self._turns = np.concatenate([turns for _, turns in blocks])

    def _images(
        self, rank: int, search: Search
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.bool_]]]:
        """Yield the variable that each one becomes, and whether it turns round, some at a time."""
        subsets = subsets_of(self._elements, rank)
        subsets = subsets[np.argsort(subset_ranks(subsets))]
        first, second = np.triu_indices(rank, 1)
        step = max(1, _AT_ONCE // (len(subsets) * len(first)))
        for start in range(0, len(self.maps), step):
            flipped, moved = np.divmod(self.maps[start : start + step, subsets], self._elements)
            turns = (moved[..., first] > moved[..., second]).sum(axis=-1) + flipped.sum(axis=-1)
            places = subset_ranks(np.sort(moved, axis=-1))
            yield places.astype(np.int32), turns % 2 == 1
            if search.out_of_time:
                return

    def violated(self, positive: Flags, most: int) -> list[BrokenClause]:
        """Return clauses that a model violates, short ones first; none if it is the least."""
        images = positive[self._places] ^ self._turns
        found: list[tuple[int, int, bool]] = []
        for mirrored in (False, True):
            differs = images ^ mirrored ^ positive
            places = differs.argmax(axis=1)
            greater = differs[np.arange(len(places)), places] & ~positive[places]
            numbers = np.flatnonzero(greater)
            numbers = numbers[np.argsort(places[numbers], kind="stable")[:most]]
            found += [(int(places[number]), int(number), mirrored) for number in numbers]
        clauses = {
            clause.literals: clause
            for place, number, mirrored in sorted(found)[:most]
            for clause in [self._clause(positive, number, place, mirrored)]
        }
        return list(clauses.values())

    def images(self, clause: Sequence[int]) -> Images:
        """Return the different images of a clause that holds for all realizable orientations."""
        literals = np.array(clause, dtype=np.int32)
        variables = np.abs(literals) - 1
        most = max(1, _MOST_LITERALS // (2 * len(literals)))
        moved = 1 + self._places[:most, variables]
        moved *= np.where(self._turns[:most, variables], -1, 1) * np.sign(literals)
        every = np.sort(np.concatenate([moved, -moved]), axis=1).astype(np.int32)
        different, firsts = np.unique(every, axis=0, return_index=True)
        return Images(different, firsts % len(moved))

    def permutation(self, automorphism: int) -> NDArray[np.int64]:
        """Return the element whose vector each element takes over, up to its sign."""
        found: NDArray[np.int64] = self.maps[automorphism, : self._elements] % self._elements
        return found

    def _clause(self, positive: Flags, number: int, place: int, mirrored: bool) -> BrokenClause:
        """Forbid that the orientations differ from their image first at a place, as they do."""
        own = 1 + np.arange(place + 1)
        signs = np.where(self._turns[number, : place + 1] ^ mirrored, -1, 1)
        images = signs * (1 + self._places[number, : place + 1])
        before = np.where(positive[:place], -images[:-1], own[:-1])[own[:-1] != images[:-1]]
        literals = {*before.tolist(), int(own[-1]), int(-images[-1])}
        return BrokenClause(number, place + 1, tuple(sorted(literals, key=abs)))

    def symmetry(self, clauses: Iterable[BrokenClause]) -> Symmetry | None:
        """Return the part of a proof that justifies clauses; None if there are none."""
        by_automorphism: dict[int, list[BrokenClause]] = {}
        for clause in clauses:
            by_automorphism.setdefault(clause.automorphism, []).append(clause)
        if not by_automorphism:
            return None
        last = max(clause.last for group in by_automorphism.values() for clause in group)
        return Symmetry(
            range(1, last + 1),
            [
                Automorphism(
                    self.permutation(number).tolist(),
                    np.flatnonzero(self.maps[number, : self._elements] >= self._elements).tolist(),
                    [clause.literals for clause in group],
                )
                for number, group in by_automorphism.items()
            ],
        )
