"""Contractions of orientations to rank 2: the relations that they violate, and their orders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.refutations.orientation_clauses import (
    subset_ranks,
    subsets_of,
    three_term_relations,
)
from samapprox.support.arrays import Numbers, places_of

Orientations = NDArray[np.int8]
"""chi by variable: +1 or -1; place 0 is 0 and belongs to no variable."""


def read_orientations(true: Iterable[int], elements: int, rank: int) -> Orientations:
    """Return the orientations of a model, from its true variables; others may be among these."""
    chi = np.full(1 + comb(elements, rank), -1, dtype=np.int8)
    chi[[variable for variable in true if variable < len(chi)]] = 1
    chi[0] = 0
    return chi


@dataclass(frozen=True, slots=True, eq=False)
class CyclicOrders:
    """The contractions to rank 2 of orientations that satisfy all three-term relations."""

    fixed: Numbers  # (subsets, r - 2): The (r-2)-subsets A
    # (subsets, m): The m other elements, as lines of the plane through 0 in the order of their
    # angles.
    elements: Numbers
    # (subsets, m, m): The variables of A + b + c, for b and c in this order.
    brackets: NDArray[np.int32]

    def without(self, element: int) -> CyclicOrders:
        """Return the contractions of the orientations of all elements but one."""
        kept = (self.fixed != element).all(axis=1)
        stay = self.elements[kept] != element
        places = np.nonzero(stay)[1].reshape(len(stay), self.elements.shape[1] - 1)
        subsets = np.flatnonzero(kept)[:, None]
        return CyclicOrders(
            self.fixed[kept],
            self.elements[subsets, places],
            self.brackets[subsets[:, :, None], places[:, :, None], places[:, None, :]],
        )


class Contractions:
    """All contractions of orientations to rank 2, in which violated relations are cycles.

    For an (r-2)-subset A let x(b, c) = chi(A + b + c) = -x(c, b). Multiply elements by signs until
    x(e, b) is + for one element e and every other b. The relations of A with e hold if and only if
    "b before c when x(b, c) is +" has no cycle of three elements, that is, if it is an order; and
    then all relations of A hold, as they do for vectors of the plane in that order.

    C(N, r - 2) (N - r + 2)^2 numbers of 4 bytes, which is some r^2 / 2 for each orientation; the
    relations themselves are many times as many.
    """

    def __init__(self, elements: int, rank: int) -> None:
        self._size = elements, rank
        self._fixed = _list_subsets(elements, rank - 2)
        rest = np.ones((len(self._fixed), elements), dtype=np.bool_)
        rest[np.arange(len(rest))[:, None], self._fixed] = False
        self._rest = np.nonzero(rest)[1].reshape(len(rest), -1)
        size = self._rest.shape[1]
        first, second = np.triu_indices(size, 1)
        self._brackets = np.zeros((len(rest), size, size), dtype=np.int32)
        for one, other in zip(first.tolist(), second.tolist(), strict=True):
            pair = np.column_stack([self._fixed, self._rest[:, one], self._rest[:, other]])
            variables = 1 + subset_ranks(np.sort(pair, axis=1))
            self._brackets[:, one, other] = self._brackets[:, other, one] = variables
        self._upper = np.sign(np.subtract.outer(-np.arange(size), -np.arange(size))).astype(np.int8)

    @classmethod
    @lru_cache(maxsize=8)  # patterns of one size are often decided one after the other
    def of(cls, elements: int, rank: int) -> Contractions:
        """Return the contractions of this size, kept until those of several others are in use."""
        return cls(elements, rank)

    def orders(self, chi: Orientations) -> CyclicOrders:
        """Return the orders of the elements in the contractions of given orientations."""
        before = self._before(chi, np.zeros(len(self._rest), dtype=np.int64))
        places = np.argsort(-before.sum(axis=2), axis=1)
        subsets = np.arange(len(places))[:, None]
        return CyclicOrders(
            self._fixed,
            self._rest[subsets, places],
            self._brackets[subsets[:, :, None], places[:, :, None], places[:, None, :]],
        )

    def violated(
        self, chi: Orientations, rng: np.random.RandomState, most: int = 1 << 30
    ) -> Numbers:
        """Find relations that orientations violate: at most one for each (r-2)-subset."""
        count, size = self._rest.shape
        base = rng.randint(size, size=count)
        before = self._before(chi, base)
        ahead = np.sort(before.sum(axis=2), axis=1)
        cyclic = np.flatnonzero((ahead != np.arange(size)).any(axis=1))
        cyclic = rng.permutation(cyclic)[:most]
        found = np.empty((len(cyclic), 4), dtype=np.int64)
        for at, subset in enumerate(cyclic.tolist()):
            order = before[subset]
            cycles = order[:, :, None] & order[None, :, :] & order.T[:, None, :]
            triples = np.argwhere(cycles)
            found[at] = self._rest[subset][[base[subset], *triples[rng.randint(len(triples))]]]
        elements, rank = self._size
        fours = np.sort(found, axis=1)
        return np.unique(relation_numbers(self._fixed[cyclic], fours, elements, rank))

    def _before(self, chi: Orientations, base: Numbers) -> NDArray[np.bool_]:
        """Return for each subset which elements come before which, the base before all others."""
        # Orientations are taken as sorted: the signs of sorting cancel in every relation.
        pairs = chi[self._brackets] * self._upper
        subsets = np.arange(len(base))
        signs = pairs[subsets, base]
        signs[subsets, base] = 1
        return np.asarray(pairs * signs[:, :, None] * signs[:, None, :] > 0)


def relation_numbers(fixed: Numbers, fours: Numbers, elements: int, rank: int) -> Numbers:
    """Return places of relations in `three_term_relations`."""
    union = np.sort(np.concatenate([fixed, fours], axis=1), axis=1)
    places = (union[:, None, :] < fours[:, :, None]).sum(axis=2)
    return _rank_lexicographically(union, elements) * comb(rank + 2, 4) + _rank_lexicographically(
        places, rank + 2
    )


def keep_relations(numbers: Numbers, kept: Numbers, elements: int, rank: int) -> Numbers:
    """Return the places, among fewer elements, of the relations that are about these alone."""
    if not len(numbers):
        return numbers
    relations = three_term_relations(elements, rank, numbers.tolist())
    number = places_of(kept, elements)
    fixed, fours = number[relations.fixed], number[relations.fours]
    stay = (fixed >= 0).all(axis=1) & (fours >= 0).all(axis=1)
    return relation_numbers(fixed[stay], fours[stay], len(kept), rank)


def _list_subsets(elements: int, size: int) -> Numbers:
    """Return the subsets of this size; the empty one, if it is 0."""
    return subsets_of(elements, size) if size else np.empty((1, 0), dtype=np.int64)


def _rank_lexicographically(subsets: Numbers, count: int) -> Numbers:
    """Rank ascending subsets of 0..count - 1 as `subsets_of` lists them."""
    mirrored = count - 1 - subsets[:, ::-1]
    return comb(count, subsets.shape[1]) - 1 - subset_ranks(mirrored)
