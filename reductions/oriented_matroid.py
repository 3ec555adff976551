"""Uniform oriented matroids: the orientations that vectors in general position may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError, abridge, require_type, require_whole
from samapprox.proofs.exact import exact
from samapprox.proofs.refutations.orientation_clauses import subset_ranks, three_term_relations
from samapprox.support.arrays import Signs

_MOST_SUBSETS = 1 << 18
_MOST_RELATIONS = 1 << 21
_MOST_WORK = 1 << 28  # topes times circuits


@dataclass(frozen=True, slots=True)
class OrientedMatroid:
    """A uniform oriented matroid, given by its chirotope.

    Attributes
    ----------
    rank : int
        r, at least 2.
    elements : int
        n, at least r.
    chirotope : str
        The signs + and - of all r-subsets of 0..n-1 in colexicographic order (012, 013, 023, 123,
        014, ..: the "reverse lexicographic" one of the published lists).

    Raises
    ------
    InputError
        Another number or kind of signs, or a three-term Grassmann-Pluecker relation that fails.

    Notes
    -----
    For uniform oriented matroids the three-term relations are all the axioms there are. Checking
    them takes O(C(n, r + 2) r^4).

    References
    ----------
    Bjoerner, Las Vergnas, Sturmfels, White, Ziegler, "Oriented Matroids" (1999), Section 3.6.

    Examples
    --------
    >>> OrientedMatroid(2, 4, "+" * 6).topes()[:, 1:].tolist()
    [[1, 1, 1], [1, 1, -1], [1, -1, -1], [-1, -1, -1]]
    >>> OrientedMatroid(2, 4, "++++-+")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: not a chirotope: the three-term relation on elements 0, 1, 2, 3 ...
    """

    rank: int
    elements: int
    chirotope: str

    def __post_init__(self) -> None:
        require_size(self.rank, self.elements)
        require_type("the chirotope", self.chirotope, str, "a text of signs")
        count = comb(self.elements, self.rank)
        if len(self.chirotope) != count:
            raise InputError(
                f"rank {self.rank} on {self.elements} elements needs {count} signs, "
                f"not {len(self.chirotope)}"
            )
        if set(self.chirotope) - set("+-"):
            raise InputError("a chirotope is written with the signs + and - alone (ASCII)")
        if self.elements < self.rank + 2:
            return
        brackets = three_term_relations(self.elements, self.rank).variables - 1
        first, second, third, fourth, fifth, sixth = self.signs[brackets].T
        terms = first * second, -third * fourth, fifth * sixth
        broken = np.flatnonzero((terms[0] == terms[1]) & (terms[1] == terms[2]))
        if broken.size:
            subsets = colexicographic(self.elements, self.rank)
            places = sorted({element for at in brackets[broken[0]] for element in subsets[at]})
            raise InputError(
                "not a chirotope: the three-term relation on elements "
                f"{', '.join(map(str, places))} fails"
            )

    @classmethod
    def from_vectors(cls, vectors: ArrayLike) -> OrientedMatroid:
        """Compute the signs of all determinants, exactly.

        Parameters
        ----------
        vectors : array_like of int, shape (n, r)
            At least r of them, every r linearly independent.

        Raises
        ------
        InputError
            Not integers, or r of them linearly dependent.

        Examples
        --------
        >>> OrientedMatroid.from_vectors([[1, 0], [1, 1], [-1, 1]]).chirotope
        '+++'
        """
        signs = orientations(vectors)
        count, rank = np.shape(vectors)
        if 0 in signs:
            flat = colexicographic(count, rank)[signs.index(0)]
            raise InputError(f"vectors {', '.join(map(str, flat))} are linearly dependent")
        return cls(rank, count, "".join("-+"[sign > 0] for sign in signs))

    @property
    def signs(self) -> Signs:
        """The chirotope as numbers +1 and -1, in colexicographic order."""
        return np.array([1 if sign == "+" else -1 for sign in self.chirotope], dtype=np.int8)

    @property
    def surely_realizable(self) -> bool:
        """Whether all uniform oriented matroids of this rank and size belong to vectors.

        Those of rank 2 do, those of rank 3 up to 8 elements, and so do their duals, of rank n - r.

        References
        ----------
        Goodman and Pollack (1980), "Proof of Gruenbaum's Conjecture on the Stretchability of
        Certain Arrangements of Pseudolines".

        Examples
        --------
        >>> OrientedMatroid(2, 5, "+" * 10).surely_realizable
        True
        """
        smaller = min(self.rank, self.elements - self.rank)
        return smaller <= 2 or (smaller == 3 and self.elements <= 8)

    def sign(self, *subset: int) -> int:
        """Return the orientation of r different elements, in any order.

        Examples
        --------
        >>> OrientedMatroid(2, 3, "+-+").sign(2, 0)
        1
        """
        swaps = sum(a > b for a, b in combinations(subset, 2))
        rank = sum(comb(element, size) for size, element in enumerate(sorted(subset), 1))
        return 1 if (self.chirotope[rank] == "+") == (swaps % 2 == 0) else -1

    def topes(self) -> Signs:
        """Compute the topes: the signs of all cells of the arrangement, one of each antipodal pair.

        Returns
        -------
        ndarray of int8, shape (C(n-1, 0) + .. + C(n-1, r-1), n)
            +1 and -1, +1 on element 0, in descending lexicographic order.

        Raises
        ------
        InputError
            Too many.

        Notes
        -----
        A sign vector without a 0 is a tope exactly if it agrees with no circuit in all signs, nor
        in none. The topes of the first k elements are extended in both ways and tested on the
        circuits that have element k: O(topes C(n, r + 1) r).
        """
        if self.tope_pairs * comb(self.elements, self.rank) > _MOST_WORK:
            raise InputError(f"{self.elements} elements of rank {self.rank} have too many topes")
        signs = self.signs
        found = np.ones((1, 1), dtype=np.int8)
        for new in range(1, self.elements):
            found = np.concatenate(
                [np.pad(found, ((0, 0), (0, 1)), constant_values=sign) for sign in (1, -1)]
            )
            if new < self.rank:
                continue
            support = np.pad(_subsets(new, self.rank), ((0, 0), (0, 1)), constant_values=new)
            agreement = np.zeros((len(found), len(support)), dtype=np.int8)
            for at in range(self.rank + 1):
                rest = np.delete(support, at, axis=1)
                circuit = (-1) ** at * signs[subset_ranks(rest)]
                agreement += found[:, support[:, at]] * circuit
            found = found[(np.abs(agreement) <= self.rank).all(axis=1)]
        return np.unique(found, axis=0)[::-1]

    @property
    def tope_pairs(self) -> int:
        """Count the pairs of antipodal topes: C(n-1, 0) + .. + C(n-1, r-1).

        Examples
        --------
        >>> OrientedMatroid(2, 4, "+" * 6).tope_pairs
        4
        """
        return sum(comb(self.elements - 1, size) for size in range(self.rank))

    def extend(self, basis: Sequence[tuple[int, int]]) -> OrientedMatroid:
        """Add one element by a lexicographic extension, close to the first of some others.

        Parameters
        ----------
        basis : sequence of (int, int)
            r different elements, each with a sign. With vectors a_e the new one would be
            s_1 a_(e_1) + eps s_2 a_(e_2) + eps^2 s_3 a_(e_3) + .. for a small eps > 0: so the
            extension is realizable exactly if the oriented matroid is.

        References
        ----------
        Las Vergnas (1978), "Extensions ponctuelles d'une geometrie combinatoire orientee".

        Examples
        --------
        >>> OrientedMatroid(2, 2, "+").extend([(0, 1), (1, 1)]).chirotope
        '++-'
        """
        if len({element for element, _ in basis}) != self.rank:
            raise InputError(f"a lexicographic extension needs {self.rank} different elements")
        more = []
        for subset in colexicographic(self.elements, self.rank - 1):
            element, sign = next(pair for pair in basis if pair[0] not in subset)
            more.append("-+"[sign * self.sign(*subset, element) > 0])
        return OrientedMatroid(self.rank, self.elements + 1, self.chirotope + "".join(more))


def colexicographic(count: int, size: int) -> list[tuple[int, ...]]:
    """List the subsets of 0..count-1 of a size, ordered by their largest elements first."""
    return sorted(combinations(range(count), size), key=lambda subset: subset[::-1])


def orientations(vectors: ArrayLike) -> list[int]:
    """Compute the signs of the determinants of all r vectors in colexicographic order, exactly.

    O(C(n, r) r) products of Python integers.
    """
    rows = exact(vectors, 2, "vectors").astype(object)
    count, rank = rows.shape
    require_size(rank, count)
    minors: dict[tuple[int, ...], int] = {(): 1}  # of the first coordinates
    for size in range(rank):
        minors = {
            subset: sum(
                (-1) ** (size - at)
                * rows[subset[at], size]
                * minors[subset[:at] + subset[at + 1 :]]
                for at in range(size + 1)
            )
            for subset in combinations(range(count), size + 1)
        }
    values = [minors[subset] for subset in colexicographic(count, rank)]
    return [(value > 0) - (value < 0) for value in values]


def require_size(rank: int, elements: int) -> None:
    """Refuse ranks and numbers of elements without a chirotope, or with too large a one."""
    require_whole("the rank", rank, 2)
    require_whole("the number of elements", elements)
    if elements < rank:
        raise InputError(f"there must be at least as many elements as the rank, not {elements}")
    if (
        elements > 1000
        or comb(elements, min(rank, elements // 2)) > _MOST_SUBSETS
        or comb(elements, rank + 2) * comb(rank + 2, 4) > _MOST_RELATIONS
    ):
        raise InputError(f"{abridge(elements)} elements of rank {rank} have too many orientations")


def _subsets(count: int, size: int) -> NDArray[np.int64]:
    return np.array(colexicographic(count, size), dtype=np.int64).reshape(-1, size)
