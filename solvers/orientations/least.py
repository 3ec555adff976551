"""Refutations of the least orientations: relations, symmetries and final polynomials in turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.refutations.final_polynomial import PAIRS, FinalPolynomial, Step
from samapprox.proofs.refutations.orientation_clauses import (
    CLAUSES_A_RELATION,
    Clauses,
    circuit_clauses,
    relation_clauses,
    subset_ranks,
    subsets_of,
)
from samapprox.proofs.refutations.symmetry import Automorphism, Symmetry
from samapprox.solvers.engine.backends import Sat, list_clauses, refutation
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.biquadratic import (
    final_polynomial,
    final_polynomial_of_part,
    least_elements,
)
from samapprox.solvers.orientations.contractions import read_orientations
from samapprox.solvers.orientations.cores import Core
from samapprox.solvers.orientations.trim import affordable_steps, trim
from samapprox.support.arrays import Flags
from samapprox.support.text import plural

_MOST_AT_ONCE = 16  # clauses that one model gives
_MOST_POLYNOMIALS = 200  # with their images, so many polynomials take some 200 MB


# Orientations times automorphisms whose images are stored, in five bytes each.
_MOST_IMAGES = 1 << 24
_MOST_LITERALS = 1 << 18  # literals of all images of a clause together
_AT_ONCE = 1 << 20  # images that are computed at the same time


def refute_least(core: Core, breaker: Breaker, search: Search) -> Chirotope | str:
    """Refute all orientations of a core that are least among their images, or say why that fails.

    A model of the clauses of circuits and relations that exceeds one of its images gives clauses
    against that; one that is the least of its images gives a final polynomial. So each kind of
    orientations is refuted once, not once for each of its images. Final polynomials on few elements
    are cheaper than models: they are tried on every model, and their images are added as well.
    """
    rank, elements = core.d + 1, core.signs.shape[1]
    rng = np.random.RandomState(search.seed)
    clauses = _Clauses.of(core)
    answer: bool | None = None
    with Sat(search) as sat:
        sat.add(list_clauses(clauses.blocks(), search))
        while len(clauses.polynomials) < _MOST_POLYNOMIALS and (answer := sat.solve()):
            chi = read_orientations(sat.true, elements, rank)
            positive = chi[1:] > 0
            broken = breaker.violated(positive, _MOST_AT_ONCE)
            sat.add([clause.literals for clause in broken])
            clauses.broken += broken
            polynomial = None
            if elements > least_elements(rank):
                doubtful = rng.random_sample((elements,))
                polynomial = final_polynomial_of_part(chi[1:], doubtful, rank, rng, search)
            if polynomial is not None:
                images = breaker.images(polynomial.clause)
            elif broken:
                continue
            else:
                polynomial = final_polynomial(chi, elements, rank, search)
                if polynomial is None:
                    break
                images = Images(np.array([polynomial.clause], dtype=np.int32), np.zeros(1, int))
            sat.add(images.literals.tolist())
            clauses.polynomials.append((polynomial, images))
    if answer is False:
        return clauses.proof(core, breaker, search) or "no time left for the refutation"
    found = plural(len(clauses.polynomials), "final polynomial")
    if search.out_of_time:
        return f"no time left after {found}"
    if len(clauses.polynomials) == _MOST_POLYNOMIALS:
        return f"{found} do not refute the orientations of {plural(elements, 'element')}"
    return f"after {found}, it found orientations of {plural(elements, 'element')} without one"


@dataclass(slots=True)
class _Clauses:
    """The clauses of a core, and those that models gave."""

    circuits: Clauses
    relations: Clauses
    broken: list[BrokenClause] = field(default_factory=list)
    polynomials: list[tuple[FinalPolynomial, Images]] = field(default_factory=list)

    @classmethod
    def of(cls, core: Core) -> _Clauses:
        """Return the clauses of circuits and of all relations."""
        signs, rank = core.signs, core.d + 1
        return cls(circuit_clauses(signs, rank), relation_clauses(signs.shape[1], rank))

    def blocks(self) -> list[Clauses]:
        """Return all clauses, those of one origin after the other."""
        broken = [each.literals for each in self.broken]
        singles = [np.array([literals], dtype=np.int32) for literals in [(1,), *broken]]
        images = [images.literals for _, images in self.polynomials]
        return [self.circuits, self.relations, *singles, *images]

    def proof(self, core: Core, breaker: Breaker, search: Search) -> Chirotope | None:
        """Return a proof with what a refutation uses; None if time is up."""
        lemmas = refutation(list_clauses(self.blocks(), search), search)
        if lemmas is None:
            return None
        trimmed = trim(self.blocks(), lemmas, affordable_steps(search))
        if trimmed is None:
            return None
        (_, of_relations, _, *of_learnt), lemmas = trimmed
        used = [len(each) > 0 for each in of_learnt]
        count = len(self.relations) // CLAUSES_A_RELATION
        return Chirotope(
            core.d,
            core.rows,
            core.columns,
            core.side,
            np.unique(of_relations % max(1, count)).tolist(),
            lemmas,
            list(self._used_polynomials(of_learnt[len(self.broken) :], breaker)),
            breaker.symmetry(compress(self.broken, used)),
        )

    def _used_polynomials(
        self, used: Sequence[NDArray[np.int64]], breaker: Breaker
    ) -> Iterator[FinalPolynomial]:
        """Yield the images of polynomials whose clauses are used."""
        for (polynomial, images), places in zip(self.polynomials, used, strict=True):
            for place in places.tolist():
                permutation = breaker.permutation(int(images.automorphisms[place]))
                yield move(polynomial, (-images.literals[place]).tolist(), permutation)


def move(
    polynomial: FinalPolynomial, signs: list[int], permutation: NDArray[np.int64]
) -> FinalPolynomial:
    """Return the image of a final polynomial under an automorphism."""
    return FinalPolynomial(signs, [_move_step(step, permutation) for step in polynomial.steps])


def _move_step(step: Step, permutation: NDArray[np.int64]) -> Step:
    """Move the elements of a step; its terms are the three ways to pair four elements."""
    moved = permutation[list(step.four)].tolist()
    order = np.argsort(moved).tolist()
    terms = [{frozenset(order.index(at) for at in pair) for pair in pairs} for pairs in PAIRS]
    ways = [set(map(frozenset, pairs)) for pairs in PAIRS]
    return Step(
        step.power,
        ways.index(terms[step.larger]),
        ways.index(terms[step.smaller]),
        permutation[list(step.fixed)].tolist(),
        sorted(moved),
    )


# ---------------------------------------------------------------- broken symmetries


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
        """Return a clause against orientations that, like these, first differ at a place."""
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
