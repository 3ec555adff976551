"""A core that no queries and keys with few values represent, by clauses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Submatrix
from samapprox.proofs.members import Choice, Clauses, Indices, Whole
from samapprox.proofs.refutations.propagation import (
    MOST_CLAUSES,
    ClauseBlocks,
    find_fault_of_lemmas,
    find_fault_of_names,
)
from samapprox.proofs.values.clauses import Formula, ValueClauses, most_value_clauses
from samapprox.proofs.values.cut_clauses import CutClauses, most_cut_clauses
from samapprox.proofs.words import tabulate
from samapprox.similarities import VALUE_SETS, find_comparison
from samapprox.support.text import plural


@dataclass(frozen=True, slots=True)
class FewValues(Submatrix):
    """A core that d coordinates with the values of the question do not represent.

    The clauses are rebuilt from the core by `samapprox.proofs.values.cut_clauses`, or by
    `samapprox.proofs.values.clauses`; the lemmas lead to a contradiction, each by unit propagation
    alone.

    Parameters
    ----------
    similarity : str
        The name of the set of values.
    d : int
        The dimension that it excludes, and with it every smaller one.
    rows, columns : iterable of int
        The core; variables follow this order.
    lemmas : iterable of iterables of int
        Clauses in DIMACS literals, in order; the empty clause at the end is understood.
    clauses : {"cuts"} or None
        The clauses are those in which each row chooses a cut; None: those with thresholds.
    """

    KIND = "few-values"
    TASK = "dimension"
    SIMILARITIES = VALUE_SETS
    CLAIM = (
        "NO for a set of values: no queries and keys with these entries represent the core. "
        "Variables are numbered as in docs/theory/checks.md; the lemmas end, by reverse unit "
        "propagation, in the empty clause, which is understood."
    )
    caption = "no queries and keys with so few values represent the marked entries"
    MEMBERS = (
        Choice("similarity", VALUE_SETS),
        Whole("d"),
        Indices("rows"),
        Indices("columns"),
        Clauses("lemmas"),
        Choice(
            "clauses",
            ("cuts",),
            optional=True,
            description="Each row chooses one of all cuts; left out, it has a threshold.",
        ),
    )

    similarity: str
    d: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    lemmas: tuple[tuple[int, ...], ...]
    clauses: str | None

    def __init__(
        self,
        similarity: str,
        d: int,
        rows: Iterable[int],
        columns: Iterable[int],
        lemmas: Iterable[Iterable[int]],
        clauses: str | None = None,
    ) -> None:
        self._fill(similarity, d, rows, columns, lemmas, clauses)

    @property
    def dimension(self) -> int:
        """The dimension d that it excludes."""
        return self.d

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the core may be representable; None if it is not."""
        if self.similarity != problem.similarity.name:
            return f"it is about {self.similarity} vectors, not {problem.similarity}"
        sizes = len(self.rows), len(self.columns)
        count_most = most_value_clauses if self.clauses is None else most_cut_clauses
        most = count_most(*sizes, problem.similarity, self.d)
        if most > MOST_CLAUSES:
            return f"its core is too large to check: up to {most} clauses"
        formula = self.build_clauses(problem.pattern)
        if fault := find_fault_of_names(self.lemmas, formula.variables):
            return fault
        return find_fault_of_lemmas(ClauseBlocks([], formula.clauses), self.lemmas)

    def build_clauses(self, pattern: Pattern) -> Formula:
        """Return the clauses that the lemmas refute."""
        entries = pattern.submatrix(self.rows, self.columns)
        build = ValueClauses if self.clauses is None else CutClauses
        return build(entries, find_comparison(self.similarity), self.d)

    def explain(self, problem: Problem) -> list[str]:
        words, steps = problem.similarity.words, plural(len(self.lemmas), "step")
        return [
            f"In dimension {self.d}, no attention {words} gets all of these entries right "
            f"(a refutation of clauses in {steps}, each by unit propagation):",
            *tabulate(problem.pattern, self.rows, self.columns),
        ]
