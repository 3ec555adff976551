"""A refutation of the orientations of tokens whose queries and keys share X."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from samapprox.errors import InputError, abridge
from samapprox.problem import Problem
from samapprox.proofs.base import Obstruction
from samapprox.proofs.members import Clauses, Flag, Indices, Whole
from samapprox.proofs.refutations.orientation_clauses import MOST_RANK
from samapprox.proofs.refutations.propagation import (
    MOST_CLAUSES,
    ClauseBlocks,
    find_fault_of_lemmas,
    find_fault_of_names,
)
from samapprox.proofs.refutations.token_clauses import (
    most_token_clauses,
    token_clauses,
    token_variables,
)
from samapprox.proofs.words import GRASSMANN_PLUECKER, tabulate
from samapprox.support.text import plural


@dataclass(frozen=True, slots=True)
class SharedChirotope(Obstruction):
    """A refutation of orientations of a core whose queries and keys are images of one X.

    The keys with the origin, and the queries with minus their thresholds and an extra one, have
    chirotopes of rank d + 1 that agree around what X does not share. The entries forbid signs to
    the circuits of both. The clauses are rebuilt from the pattern by
    `samapprox.proofs.refutations.token_clauses`; the lemmas lead to a contradiction, each by unit
    propagation alone.

    Parameters
    ----------
    d_hid : int
        The hidden dimension that it excludes, and with it every smaller one.
    rows, columns : iterable of int
        The core; both are tokens, and ascend.
    relations : bool
        Whether the Grassmann-Pluecker relations are needed.
    lemmas : iterable of iterables of int
        Clauses in DIMACS literals, in order; the empty clause at the end is understood.
    d : int, optional
        The query/key dimension that it excludes, and with it every smaller one: d <= d_hid < 2d;
        d_hid by default.
    """

    KIND = "shared-chirotope"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    COUPLED_ONLY = True
    CLAIM = (
        "NO for every d and d_hid up to these (d is d_hid where it is missing), where queries and "
        "keys share X: no orientations of tokens fit the core (both ascend). Variables are "
        "numbered as in docs/theory/checks.md; the lemmas end, by reverse unit propagation, in the "
        "empty clause, which is understood."
    )
    caption = "no orientation of the marked tokens, as queries and as keys, fits the entries"
    MEMBERS = (
        Whole("d", same_as="d_hid"),
        Whole("d_hid"),
        Indices("rows", ascending=True),
        Indices("columns", ascending=True),
        Flag("relations"),
        Clauses("lemmas"),
    )

    d_hid: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    relations: bool
    lemmas: tuple[tuple[int, ...], ...]
    d: int

    def __init__(
        self,
        d_hid: int,
        rows: Iterable[int],
        columns: Iterable[int],
        relations: bool,
        lemmas: Iterable[Iterable[int]],
        d: int | None = None,
    ) -> None:
        self._fill(d_hid if d is None else d, d_hid, rows, columns, relations, lemmas)
        if not self.d <= self.d_hid < 2 * self.d:
            raise InputError(
                f"d <= d_hid < 2d is needed, not d = {abridge(self.d)} and d_hid = {self.d_hid}"
            )

    @property
    def dimension(self) -> int:
        """The largest d that it excludes, with that d_hid."""
        return self.d

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the core may have consistent orientations; None if it has none."""
        if not problem.coupled or problem.d_hid is None:
            return f"a shared chirotope is about queries and keys of one X, not {problem}"
        if problem.d_hid > self.d_hid:
            return f"it excludes d_hid = {self.d_hid}, not {problem.d_hid}"
        if self.d_hid >= MOST_RANK:  # the clauses of the smallest cores are too many even to count
            return f"d_hid = {self.d_hid} is too large to check"
        dimensions, sizes = (self.d, self.d_hid), (len(self.rows), len(self.columns))
        if max(sizes) + self.d_hid - self.d <= self.d:
            return f"a core of {sizes[0]} x {sizes[1]} satisfies every clause of rank {self.d + 1}"
        most = most_token_clauses(*sizes, *dimensions, relations=self.relations)
        if most > MOST_CLAUSES:
            return f"its core is too large to check: {most} clauses"
        fault = find_fault_of_names(
            self.lemmas, token_variables(self.rows, self.columns, *dimensions)
        )
        if fault is not None:
            return fault
        entries = problem.pattern.submatrix(self.rows, self.columns)
        blocks = token_clauses(
            entries, self.rows, self.columns, *dimensions, relations=self.relations
        )
        # Reflecting X turns every orientation round, so the first may be taken as positive.
        clauses = ClauseBlocks([block.clauses for block in blocks], [[1]])
        return find_fault_of_lemmas(clauses, self.lemmas)

    def explain(self, problem: Problem) -> list[str]:
        dimension = "" if self.d == self.d_hid else f" in dimension {self.d}"
        together = f", together with {GRASSMANN_PLUECKER}," if self.relations else ""
        return [
            f"Queries and keys are images of one X with {plural(self.d_hid, 'column')}, so their "
            f"orientations (signs of determinants){dimension} agree around the origin,",
            f"but the entries{together} rule out every choice of orientations (a refutation in "
            f"{plural(len(self.lemmas), 'step')}, each by unit propagation):",
            *tabulate(problem.pattern, self.rows, self.columns),
        ]
