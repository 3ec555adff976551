"""A refutation of the orientations of keys or of queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import OptionalRecord, Records, Side, Submatrix
from samapprox.proofs.members import Choice, Clauses, FlagOrIndices, Indices, Whole
from samapprox.proofs.refutations.final_polynomial import FinalPolynomial
from samapprox.proofs.refutations.orientation_clauses import (
    CLAUSES_A_RELATION,
    circuit_clauses,
    count_relations,
    kinds_fit,
    most_clauses,
    relation_clauses,
    sign_matrix,
    unrank_subsets,
)
from samapprox.proofs.refutations.propagation import (
    MOST_CLAUSES,
    ClauseBlocks,
    find_fault_of_lemmas,
    find_fault_of_names,
)
from samapprox.proofs.refutations.symmetry import Symmetry
from samapprox.proofs.words import GRASSMANN_PLUECKER, tabulate
from samapprox.support.text import plural

if TYPE_CHECKING:
    from samapprox.proofs.parts.simplify import Simplification


_MOST_SIGNS = 1 << 30
"""Signs of covectors, over all circuits, of the largest core that is read: some ten seconds."""


@dataclass(frozen=True, slots=True)
class Chirotope(Submatrix):
    """A refutation of the clauses for orientations of a core's simplices.

    Queries and keys of dimension d are vectors in R^(d+1), the queries with an extra one that is
    positive on all keys. Say that the elements are the keys (or the queries and that one). Moved to
    general position, every d + 1 elements have an orientation, and each query (key) forbids two
    sign patterns on every d + 2 elements. These clauses, and if need be the three-term
    Grassmann-Pluecker relations, are rebuilt from the pattern by
    `samapprox.proofs.refutations.orientation_clauses`; the lemmas lead to a contradiction, each by
    unit propagation alone.

    Parameters
    ----------
    d : int
        The dimension that it excludes, and with it every smaller one.
    rows, columns : iterable of int
        The core; their order numbers the variables.
    elements : {"columns", "rows"}
        Whether the keys are the elements, or the queries and the extra one.
    relations : bool or iterable of int
        Whether the Grassmann-Pluecker relations are needed, or which, ascending: their places in
        `samapprox.proofs.refutations.orientation_clauses.three_term_relations`.
    lemmas : iterable of iterables of int
        Clauses in DIMACS literals, in order; the empty clause at the end is understood.
    polynomials : iterable of FinalPolynomial
        Orientations that satisfy the clauses but belong to no vectors; each gives one more clause.

    symmetry : Symmetry, optional
        Automorphisms of the core, with clauses that the lexicographically least orientations
        satisfy.

    References
    ----------
    Björner, Las Vergnas, Sturmfels, White, Ziegler, "Oriented Matroids", chapters 1, 3 and 8;
    Bokowski, Richter (1990), "On the finding of final polynomials".
    """

    KIND = "chirotope"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "NO: a refutation of the clauses that the core imposes on the orientations of d + 1 "
        "elements; lemmas are DIMACS literals, each by unit propagation."
    )
    MEMBERS = (
        Whole("d"),
        Indices("rows"),
        Indices("columns"),
        Choice("elements", ("rows", "columns")),
        FlagOrIndices("relations"),
        Clauses("lemmas"),
        Records(
            "polynomials",
            FinalPolynomial,
            description="Biquadratic final polynomials: signs that contradict each other.",
        ),
        OptionalRecord(
            "symmetry",
            Symmetry,
            description="Automorphisms of the core, and clauses that the least orientations in "
            "the given order satisfy.",
        ),
    )

    d: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    elements: Side
    relations: bool | tuple[int, ...]
    lemmas: tuple[tuple[int, ...], ...]
    polynomials: tuple[FinalPolynomial, ...]
    symmetry: Symmetry | None

    def __init__(
        self,
        d: int,
        rows: Iterable[int],
        columns: Iterable[int],
        elements: Side,
        relations: bool | Iterable[int],
        lemmas: Iterable[Iterable[int]],
        polynomials: Iterable[FinalPolynomial] = (),
        symmetry: Symmetry | None = None,
    ) -> None:
        self._fill(d, rows, columns, elements, relations, lemmas, polynomials, symmetry)

    @property
    def dimension(self) -> int:
        """The dimension d that it excludes."""
        return self.d

    def lift(self, simplification: Simplification, /) -> Chirotope:
        """Carry the argument over to rows and columns of the original pattern.

        Notes
        -----
        Where queries are the elements and the original row is a complement, the element's vector
        changes its sign, and with it every orientation that it is part of; all of them once more if
        the first one did, which the check takes as positive. The relations hold for the new signs
        as well: each of their terms has each element equally often, up to squares.
        """
        lifted = Submatrix.lift(self, simplification)
        turned = np.array([False, *simplification.turned[list(self.rows)]])  # row 0 never is
        if self.elements == "columns" or not turned.any():
            return lifted
        mirrored = turned[: self.d + 1].sum()

        def turn(literals: tuple[int, ...]) -> tuple[int, ...]:
            numbers = np.array(literals, dtype=np.int64)
            subsets = unrank_subsets(np.abs(numbers) - 1, self.d + 1)
            odd = (turned[subsets].sum(axis=1) + mirrored) % 2
            return tuple((numbers * (1 - 2 * odd)).tolist())

        return replace(
            lifted,
            lemmas=tuple(map(turn, self.lemmas)),
            polynomials=tuple(
                FinalPolynomial(turn(polynomial.signs), polynomial.steps)
                for polynomial in self.polynomials
            ),
            symmetry=self.symmetry and self.symmetry.reorient(turned.tolist(), turn),
        )

    @property
    def caption(self) -> str:
        elements = "keys" if self.elements == "columns" else "queries"
        return f"no orientation of the marked {elements} fits the marked entries"

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the core may have consistent orientations; None if it has none."""
        rank = self.d + 1
        signs = sign_matrix(problem.pattern.submatrix(self.rows, self.columns), self.elements)
        covectors, elements = signs.shape
        if elements <= rank or not covectors:
            return f"{elements} elements of rank {rank} satisfy every clause"
        if not kinds_fit(elements, rank):
            return f"its core of {elements} elements of rank {rank} is too large to check"
        circuits = comb(elements, rank + 1)
        if circuits * covectors * (rank + 1) > _MOST_SIGNS:
            return f"its core is too large to check: {covectors} covectors on {circuits} circuits"
        chosen = None if isinstance(self.relations, bool) else self.relations
        most = most_clauses(elements, covectors, rank, relations=self.relations is True)
        most += CLAUSES_A_RELATION * len(chosen or ())
        broken = self.symmetry.clauses if self.symmetry is not None else []
        most += len(broken)
        if most > MOST_CLAUSES:
            return f"its core is too large to check: {most} clauses"
        if chosen and (fault := _no_such_relation(chosen[-1], elements, rank)) is not None:
            return fault
        fault = find_fault_of_names(self.lemmas, comb(elements, rank))
        if fault is not None:
            return fault
        for number, polynomial in enumerate(self.polynomials):
            fault = polynomial.find_fault(elements, rank)
            if fault is not None:
                return f"final polynomial {number}: {fault}"
        if self.symmetry is not None:
            fault = self.symmetry.find_fault(signs, rank)
            if fault is not None:
                return fault
        blocks = [circuit_clauses(signs, rank)]
        if self.relations and elements >= rank + 2:
            blocks.append(relation_clauses(elements, rank, chosen))
        # Mirroring space turns every orientation round, so the first may be taken as positive.
        others = [[1], *(polynomial.clause for polynomial in self.polynomials), *broken]
        return find_fault_of_lemmas(ClauseBlocks(blocks, others), self.lemmas)

    def explain(self, problem: Problem) -> list[str]:
        elements = "keys" if self.elements == "columns" else "queries"
        simplices, senses = _SIMPLICES.get(self.d, ("simplex", "left- or right-handed"))
        means = [GRASSMANN_PLUECKER] * bool(self.relations)
        if self.polynomials:
            count = len(self.polynomials)
            noun = "an algebraic contradiction" if count == 1 else "algebraic contradictions"
            means.append(f"{plural(count, 'final polynomial')} ({noun})")
        if self.symmetry is not None:
            means.append("the symmetry of these entries")
        together = f", together with {_join(means)}," if means else ""
        return [
            f"Every {simplices} of these {elements} has an orientation ({senses}), but the "
            f"entries{together} rule out every choice of orientations",
            f"(a refutation in {plural(len(self.lemmas), 'step')}, each by unit propagation):",
            *tabulate(problem.pattern, self.rows, self.columns),
        ]


_SIMPLICES = {
    1: ("pair", "which comes first"),
    2: ("triangle", "clockwise or not"),
    3: ("tetrahedron", "left- or right-handed"),
}
"""For a dimension: the simplices of d + 1 points, and what their orientation says."""


def _join(phrases: list[str]) -> str:
    """Join phrases by commas, the last one by "and"."""
    *others, last = phrases
    return f"{', '.join(others)} and {last}" if others else last


def _no_such_relation(last: int, elements: int, rank: int) -> str | None:
    """Return the reason why no relation has that number or they are too many to count, or None."""
    count = count_relations(elements, rank)
    if count > MOST_CLAUSES:
        return f"its core is too large to check: {count} relations"
    return f"there is no relation {last}: there are {count}" if last >= count else None
