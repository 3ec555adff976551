"""Cores: few rows and columns whose clauses already contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.base import Side
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.refutations.final_polynomial import FinalPolynomial, Step
from samapprox.proofs.refutations.orientation_clauses import (
    Clauses,
    circuit_clauses,
    circuit_kinds,
    count_relations,
    most_clauses,
    sign_matrix,
    subset_ranks,
    subsets_of,
)
from samapprox.solvers.engine.backends import Lemmas, Sat, list_clauses
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.on_demand import (
    MOST_WIDTH,
    Chi,
    Contradiction,
    PrimeImplicates,
    orient,
)
from samapprox.support.arrays import places_of

_MOST_RELATIONS = 250_000  # a core that is likely to be refuted may have so many relations
_MOST_CHECKED = 1_000_000  # the checker takes proofs about at most so many relations
# A core that may have consistent orientations gets relations only if there are so few.
_MOST_GROWN = 35_000
_FEW_CLAUSES = 5_000  # up to so many clauses, the solver is called after each new element

MOST_TO_TIDY = 1_000
"""The most relations that a core is made minimal with, where circuits were enough."""


@dataclass(frozen=True, slots=True, eq=False)
class Core:
    """Some rows and columns of a pattern; once refuted with lemmas and the relations they use.

    Without lemmas, `used` are the relations with which a refutation begins.
    """

    d: int
    entries: NDArray[np.int8]
    side: Side
    rows: list[int]
    columns: list[int]
    relations: bool = False
    used: tuple[int, ...] = ()
    lemmas: Lemmas | None = None
    polynomials: tuple[FinalPolynomial, ...] = ()

    @classmethod
    def of(
        cls,
        d: int,
        entries: NDArray[np.int8],
        side: Side | None = None,
        elements: Sequence[int] | None = None,
        *,
        relations: bool = False,
    ) -> Core:
        """Take the pattern, or some elements of a side by number; the extra query is row 0.

        The elements are the columns or the rows, whichever are fewer, unless a side is given.
        """
        rows, columns = (list(range(size)) for size in entries.shape)
        if side is None:
            side = "columns" if len(columns) <= len(rows) + 1 else "rows"
        if elements is not None and side == "columns":
            columns = list(elements)
        elif elements is not None:
            rows = [element - 1 for element in elements if element]
        return cls(d, entries, side, rows, columns, relations)

    @property
    def signs(self) -> NDArray[np.int8]:
        """The core's covectors on its elements, one per row."""
        return sign_matrix(self.entries[np.ix_(self.rows, self.columns)], self.side)

    def chosen(self, covectors: list[int], elements: list[int]) -> Core:
        """Some of its covectors and elements, by number; the extra query is 0 on its side.

        With polynomials, all elements of these, ascending.
        """
        by_row, by_column = (
            (covectors, elements) if self.side == "columns" else (elements, covectors)
        )
        rows = [self.rows[at - 1] for at in by_row if at > 0]
        columns = [self.columns[at] for at in by_column]
        count, rank = self.signs.shape[1], self.d + 1
        polynomials = self.polynomials
        if polynomials and len(elements) < count:
            numbers = places_of(elements, count)
            polynomials = tuple(renumber(each, numbers, rank) for each in polynomials)
        return replace(
            self, rows=rows, columns=columns, used=(), lemmas=None, polynomials=polynomials
        )

    def proof(self) -> Chirotope:
        """Return the certificate."""
        assert self.lemmas is not None
        return Chirotope(
            self.d,
            self.rows,
            self.columns,
            self.side,
            self.relations and (self.used or True),
            self.lemmas,
            self.polynomials,
        )


def most_elements(rank: int, relations: float = _MOST_RELATIONS) -> int:
    """Return the most elements with at most so many three-term relations."""
    most = rank + 1
    while count_relations(most + 1, rank) <= min(relations, _MOST_RELATIONS):
        most += 1
    return most


def affordable_elements(rank: int, covectors: int, clauses: int) -> int:
    """Return the most elements with at most so many clauses, without relations; at least r + 1."""
    size = rank + 1
    while most_clauses(size + 1, covectors, rank, relations=False) <= clauses:
        size += 1
    return size


def refute(core: Core, search: Search) -> Core | None:
    """Refute a core; return None if its clauses can be satisfied or time is up.

    Relations are added as orientations violate them: see
    `samapprox.solvers.orientations.on_demand.orient`.
    """
    if core.signs.shape[1] <= core.d + 1:
        return None
    oriented = orientations(core, search.half())
    if not isinstance(oriented, Contradiction):
        return None
    signs, used = core.signs, oriented.relations.tolist()
    subsets, codes = circuit_kinds(signs, core.d + 1)
    mine = np.unique(oriented.circuits % len(codes))  # a kind forbids itself and its opposite
    shows = shown_kinds(signs, subsets[mine], codes[mine])
    covectors = choose_covectors(shows, first=core.side == "columns")
    return replace(
        core.chosen(covectors, list(range(signs.shape[1]))),
        relations=bool(used),
        used=tuple(used) if len(used) < count_relations(signs.shape[1], core.d + 1) else (),
        lemmas=oriented.lemmas,
    )


def orientations(core: Core, search: Search) -> Chi | Contradiction | None:
    """Find orientations of a core that satisfy everything known, or what contradicts itself."""
    signs = core.signs
    rank, elements = core.d + 1, signs.shape[1]
    given = [np.array([[1]]), *(np.array([each.clause]) for each in core.polynomials)]
    return orient(
        circuit_clauses(signs, rank),
        given,
        elements,
        rank,
        search,
        relations=count_relations(elements, rank) <= _MOST_CHECKED,
        circuits_first=not core.relations,
        known=np.array(core.used, dtype=np.int64),
    )


def shown_kinds(
    signs: NDArray[np.int8], subsets: NDArray[np.int64], codes: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which covectors (rows) show which kinds (columns)."""
    head = signs[:, subsets[:, 0]]
    shows = head != 0
    for place, elements in enumerate(subsets[:, 1:].T):
        shows &= signs[:, elements] == np.where(codes >> place & 1, -head, head)
    return np.asarray(shows)


def choose_covectors(shows: NDArray[np.bool_], *, first: bool) -> list[int]:
    """Choose few covectors that show all kinds, with the first one if required."""
    chosen: list[int] = []
    while shows.any():
        chosen.append(0 if first and not chosen else int(shows.sum(axis=1).argmax()))
        shows = shows[:, ~shows[chosen[-1]]]
    return sorted({*chosen, *range(int(first))})


def grow_core(core: Core, search: Search) -> Core | None:
    """Return as many elements of the core, from the first on, as contradict each other.

    One incremental call of the solver an element, later one for every doubling of the clauses.
    """
    signs = core.signs
    rank, elements = core.d + 1, signs.shape[1]
    blocks = _group_by_element(circuit_clauses(signs, rank))
    with Sat(search) as sat:
        sat.add([[1]])
        done = added = solved = 0
        for size in range(rank + 1, elements + 1):
            most = comb(size, rank)
            for greatest, clauses in blocks:
                more = clauses[(greatest > done) & (greatest <= most)]
                sat.add(list_clauses([more], search))
                added += len(more)
            done = most
            if size < elements and _FEW_CLAUSES < added < 2 * solved:
                continue
            solved = added
            answer = sat.solve()
            if answer is False:
                return core.chosen(list(range(len(signs))), list(range(size)))
            if answer is None:
                return None
    if not 0 < count_relations(elements, rank) <= _MOST_GROWN:
        return None
    core = replace(core, relations=True)
    return core if isinstance(orientations(core, search), Contradiction) else None


def _group_by_element(circuits: Clauses) -> list[tuple[NDArray[np.int64], Clauses]]:
    """Return blocks of clauses, shortened if they are many, with each circuit's greatest variable.

    Numbers are colexicographic: those of the first s elements are the first C(s, rank).
    """
    if len(circuits) < _FEW_CLAUSES or circuits.shape[1] > MOST_WIDTH:
        return [(np.abs(circuits).max(axis=1, initial=0), circuits)]
    implicates = PrimeImplicates.of(circuits)
    greatest = implicates.variables.max(axis=1)[implicates.circuits]
    pairs = zip(implicates.places, implicates.blocks, strict=True)
    return [(greatest[which], block) for which, block in pairs]


def elements_of(polynomial: FinalPolynomial) -> list[int]:
    """Return the elements of a final polynomial's steps, ascending."""
    return sorted({element for step in polynomial.steps for element in (*step.fixed, *step.four)})


def renumber(polynomial: FinalPolynomial, numbers: NDArray[np.int64], rank: int) -> FinalPolynomial:
    """Return the same polynomial about elements with other numbers, in the same order.

    The order of the elements stays, so orientations keep their signs and terms their places.
    """
    subsets = np.empty((comb(len(numbers), rank), rank), dtype=np.int64)
    listed = subsets_of(len(numbers), rank)
    subsets[subset_ranks(listed)] = listed
    signs = np.array(polynomial.signs)
    variables = 1 + subset_ranks(numbers[subsets[np.abs(signs) - 1]])
    steps = [
        Step(
            step.power,
            step.larger,
            step.smaller,
            numbers[list(step.fixed)].tolist(),
            numbers[list(step.four)].tolist(),
        )
        for step in polynomial.steps
    ]
    return FinalPolynomial((np.sign(signs) * variables).tolist(), steps)
