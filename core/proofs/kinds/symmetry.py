"""Broken symmetries of a core: its automorphisms, and clauses that the least orientations satisfy.

An automorphism permutes the elements and flips some of them so that the covectors stay the same, up
to the sign of each. It turns the orientations of every realization into those of another one. Of
all these the lexicographically least, in some order of the orientations with + before -, is not
greater than its image.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from samapprox.errors import InputError
from samapprox.proofs.members import Clauses, Indices, Literals, Record, Records

__all__ = ["Automorphism", "Symmetry"]

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
        self._fill(permutation=permutation, flipped=flipped, clauses=clauses)
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
    """

    TITLE = "a symmetry"
    MEMBERS = (Literals("order"), Records("automorphisms", Automorphism))

    order: tuple[Literal, ...]
    automorphisms: tuple[Automorphism, ...]

    def __init__(self, order: Iterable[Literal], automorphisms: Iterable[Automorphism]) -> None:
        self._fill(order=order, automorphisms=automorphisms)

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
