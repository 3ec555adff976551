"""Broken symmetries of a core: its automorphisms, and clauses that the least orientations satisfy.

An automorphism permutes the elements and flips some of them so that the covectors stay the same, up
to the sign of each. It turns the orientations of every realization into those of another one. Of
all these the lexicographically least, in some order of the orientations with + before -, is not
greater than its image.

The check of broken symmetries: automorphisms, and the clauses that each of them justifies.

Let an automorphism g of the covectors turn the orientations x of a realization into g(x), those of
another one. If x is the least of all in an order of literals l_1, l_2, .. (true before false), then
x <= g(x) and x <= -g(x). So x violates no clause that holds, for some k, the literals l_k and
-g(l_k), and for every j < k with g(l_j) != l_j one of l_j and -g(l_j): where all of them are false,
x and g(x) have no first difference before k at which x is less, and at k x is greater.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.proofs.base import Record, Records
from samapprox.proofs.members import Clauses, Indices, Literals
from samapprox.proofs.refutations.orientation_clauses import subset_ranks, unrank_subsets
from samapprox.support.arrays import Signs

_MOST_SIGNS = 1 << 28
"""Signs of covectors and elements of orientations, over all automorphisms: some seconds."""

_MOST_STEPS = 1 << 25
"""Literals that are looked up in clauses: some seconds."""

Literal = int

Clause = tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Automorphism(Record):
    """A permutation of the elements with signs, and the clauses that it justifies.

    Attributes
    ----------
    permutation : tuple of int
        Element i takes the place of element ``permutation[i]``.
    flipped : tuple of int
        The elements i whose vector is that of ``permutation[i]`` times -1.
    clauses : tuple of clauses
        DIMACS literals; each clause follows from this automorphism, or from its mirror image.
    """

    TITLE = "an automorphism"
    MEMBERS = (Indices("permutation"), Indices("flipped"), Clauses("clauses"))

    permutation: tuple[int, ...]
    flipped: tuple[int, ...]
    clauses: tuple[Clause, ...]

    def __init__(
        self,
        permutation: Iterable[int],
        flipped: Iterable[int],
        clauses: Iterable[Iterable[Literal]],
    ) -> None:
        self._fill(permutation, flipped, clauses)
        if max(self.permutation, default=-1) >= len(self.permutation):
            raise InputError("permutation must hold each of the numbers from 0 on once")
        if max(self.flipped, default=-1) >= len(self.permutation):
            raise InputError("flipped must be elements of the permutation")


@dataclass(frozen=True, slots=True)
class Symmetry(Record):
    """An order of orientations, and automorphisms with clauses of the least orientations.

    Attributes
    ----------
    order : tuple of int
        DIMACS literals of the orientations that are compared, the first one first; of two
        orientations that differ first at a literal, the one in which it is true is less.
    automorphisms : tuple of Automorphism
        The automorphisms, with the clauses that each justifies.
    """

    TITLE = "a symmetry"
    MEMBERS = (Literals("order"), Records("automorphisms", Automorphism))

    order: tuple[Literal, ...]
    automorphisms: tuple[Automorphism, ...]

    def __init__(self, order: Iterable[Literal], automorphisms: Iterable[Automorphism]) -> None:
        self._fill(order, automorphisms)

    @property
    def clauses(self) -> list[Clause]:
        """All clauses, automorphism by automorphism."""
        return [clause for each in self.automorphisms for clause in each.clauses]

    def reorient(self, turned: Sequence[bool], turn: Callable[[Clause], Clause]) -> Symmetry:
        """Return the same argument about elements of which some have the opposite vector.

        Parameters
        ----------
        turned : sequence of bool
            Whether each element is the opposite of what it was.
        turn : callable
            The change of literals that this brings about.

        Examples
        --------
        >>> swap = Symmetry([1], [Automorphism([1, 0, 2], [], [[2, 3]])])
        >>> swap.reorient([True, False, False], lambda clause: clause).automorphisms[0].flipped
        (0, 1)
        """
        return Symmetry(
            turn(self.order),
            [
                Automorphism(
                    each.permutation,
                    [
                        element
                        for element, image in enumerate(each.permutation)
                        if (element in each.flipped) ^ turned[element] ^ turned[image]
                    ],
                    map(turn, each.clauses),
                )
                for each in self.automorphisms
            ],
        )

    def find_fault(self, signs: Signs, rank: int) -> str | None:
        """Return the reason why the clauses may not hold for the least orientations, or None.

        O(automorphisms (signs + order r^2) + clauses x order).
        """
        orientations = comb(signs.shape[1], rank)
        order = self.order
        if not order or order[0] != 1:
            return "the order of its symmetry must begin with orientation 1, which is positive"
        if max(map(abs, order)) > orientations:
            return f"its symmetry orders an orientation beyond the {orientations} that exist"
        if len(self.automorphisms) * (signs.size + len(order) * rank * rank) > _MOST_SIGNS:
            return f"it has too many automorphisms to check: {len(self.automorphisms)}"
        if len(order) * sum(1 + len(clause) for clause in self.clauses) > _MOST_STEPS:
            return f"its symmetry is too large to check: {len(self.clauses)} clauses"
        covectors = _lines(signs)
        for number, automorphism in enumerate(self.automorphisms):
            fault = _find_fault(automorphism, order, signs, covectors, rank)
            if fault is not None:
                return f"automorphism {number}: {fault}"
        return None


def _find_fault(
    automorphism: Automorphism,
    order: Sequence[int],
    signs: Signs,
    covectors: Collection[bytes],
    rank: int,
) -> str | None:
    """Return what is wrong with an automorphism or one of its clauses, or None."""
    elements, orientations = signs.shape[1], comb(signs.shape[1], rank)
    if len(automorphism.permutation) != elements:
        return f"it permutes {len(automorphism.permutation)} elements, not {elements}"
    permutation = np.array(automorphism.permutation, dtype=np.int64)
    flips = np.ones(elements, dtype=np.int8)
    flips[list(automorphism.flipped)] = -1
    if not _lines(signs[:, permutation] * flips).issuperset(covectors):
        return "it does not map the covectors to each other"
    images = find_images(order, permutation, flips, rank)
    for number, clause in enumerate(automorphism.clauses):
        if any(abs(literal) > orientations for literal in clause):
            return f"its clause {number} names an orientation beyond the {orientations} that exist"
        mirrored = [-image for image in images]
        if not any(holds_for_least(clause, order, each) for each in (images, mirrored)):
            return f"its clause {number} does not hold for the least orientations"
    return None


def find_images(
    order: Sequence[int], permutation: NDArray[np.int64], flips: NDArray[np.int8], rank: int
) -> list[int]:
    """Return the image of each literal: the one whose truth the automorphism moves there.

    Element i becomes element ``permutation[i]``, times ``flips[i]``.

    The orientation of elements i_1 < .. < i_r becomes that of their images, times their flips,
    times the sign of the permutation that sorts the images.

    The line through the elements 1 and 2 turns round when they change places.

    >>> find_images([1, 2, -3], np.array([0, 2, 1]), np.ones(3, dtype=np.int8), 2)
    [2, 1, 3]
    """
    literals = np.array(order, dtype=np.int64)
    subsets = unrank_subsets(np.abs(literals) - 1, rank)
    moved = permutation[subsets]
    first, second = np.triu_indices(rank, 1)
    swaps = (moved[:, first] > moved[:, second]).sum(axis=1)
    signs = flips[subsets].prod(axis=1, dtype=np.int64) * (1 - 2 * (swaps % 2)) * np.sign(literals)
    images: list[int] = (signs * (1 + subset_ranks(np.sort(moved, axis=1)))).tolist()
    return images


def holds_for_least(clause: Sequence[int], order: Sequence[int], images: Sequence[int]) -> bool:
    """Return whether a clause holds for all orientations that are not greater than their image.

    `order` has the literals that are compared, and `images` their images.

    >>> holds_for_least([1, -2], [1, 3], [2, 4]), holds_for_least([3, -4], [1, 3], [2, 4])
    (True, False)
    >>> holds_for_least([1, 3, -4], [1, 3], [2, 4]), holds_for_least([3, -4], [1, 3], [1, 4])
    (True, True)
    """
    literals = frozenset(clause)
    for literal, image in zip(order, images, strict=True):
        if literal == image:
            continue
        greater = literal in literals, -image in literals
        if all(greater):
            return True
        if not any(greater):
            return False
    return False


def _lines(signs: NDArray[np.int8]) -> frozenset[bytes]:
    """Return the covectors, each with the sign that makes its first entry that is not * positive.

    Of those that differ by their sign one is left.
    """
    leading = signs[np.arange(len(signs)), (signs != 0).argmax(axis=1)]
    normal = signs * np.where(leading == 0, 1, leading)[:, None]
    return frozenset(line.tobytes() for line in normal.astype(np.int8))
