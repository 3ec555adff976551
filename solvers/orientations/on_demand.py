"""Orientations that satisfy clauses and all relations, which enter as a model violates them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.checks.orientation_clauses import (
    Clauses,
    count_relations,
    relation_clauses,
)
from samapprox.solvers.backends.sat import Lemmas, Sat, list_clauses
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.contractions import Contractions
from samapprox.solvers.orientations.cubes import Cubes
from samapprox.solvers.orientations.implicates import MOST_WIDTH, PrimeImplicates, derive
from samapprox.solvers.orientations.trim import affordable_steps, trim

__all__ = ["Chi", "Contradiction", "OnDemand", "orient"]

_FEW = 20_000  # clauses, up to which loading compiled code takes longer than it saves; as
_FEW_WITH_RELATIONS = 5_000  # many where relations are needed and refutations are longer
_EFFORT = 5  # of one solver, before two processes help it
_FOR_EACH_ORIENTATION = 10  # relations that are drawn at random to begin with
_BESIDE_KNOWN = 2  # of them where some relations are known to matter
_NONE = np.empty(0, dtype=np.int64)
_NO_CLAUSES = np.empty((0, 6), dtype=np.int32)

Chi = NDArray[np.int8]
"""Orientations by variable: +1 or -1; place 0 is 0 and belongs to no variable."""


@dataclass(frozen=True, slots=True, eq=False)
class Contradiction:
    """Clauses and relations that no orientations satisfy, with a refutation of them."""

    circuits: NDArray[np.int64]  # which of the circuits' clauses are among them, ascending
    relations: NDArray[np.int64]  # places in `three_term_relations`, ascending
    lemmas: Lemmas


def orient(
    circuits: Clauses,
    others: Sequence[Clauses],
    elements: int,
    rank: int,
    search: Search,
    *,
    relations: bool = True,
    circuits_first: bool = False,
    known: NDArray[np.int64] = _NONE,
) -> Chi | Contradiction | None:
    """Find orientations that satisfy everything, or what contradicts itself; None if time is up.

    Few of the relations matter. The solver starts with some of them, drawn at random, and for each
    model receives those that it violates, one for each (r-2)-subset; what it has learned stays.
    After some effort without an answer, two processes help it: see
    `samapprox.solvers.orientations.cubes`. Where the circuits have many clauses, the solver
    receives their prime implicates, and the refutation begins with a derivation of those that it
    uses. Long refutations are trimmed.
    """
    most = _FEW if circuits_first else _FEW_WITH_RELATIONS
    few = len(circuits) + sum(map(len, others)) < most
    implicates = None if few or rank >= MOST_WIDTH else PrimeImplicates.of(circuits)
    shortened = [circuits] if implicates is None else implicates.blocks
    with Sat(search, proof=True, effort=_EFFORT) as sat:
        sat.add(list_clauses([*others, *shortened], search))
        solver = OnDemand(sat, elements, rank, search, relations=relations, known=known)
        if not (few or circuits_first):
            solver.begin_with_some()
        answer = solver.solve()
        lemmas = sat.lemmas if answer is False else None
        if answer is None and not search.out_of_time:
            clauses = [*others, *shortened, solver.clauses]
            with Cubes(sat, search, list_clauses(clauses, search)) as cubes:
                solver.go_on(cubes)
                answer = solver.solve()
                lemmas = cubes.lemmas if answer is False else None
    if answer is not False:
        return answer
    if lemmas is None:
        return None
    added, of_relations = solver.added, solver.clauses
    if few and len(of_relations) < _FEW:
        return Contradiction(np.arange(len(circuits)), added, lemmas)
    if implicates is not None:
        trimmed = trim(
            [*others, of_relations, *implicates.blocks], lemmas, affordable_steps(search)
        )
        if trimmed is None:
            return None
        used, lemmas = trimmed
        of_lengths = zip(implicates.places, used[len(others) + 1 :], strict=True)
        numbers = np.concatenate([which[mine] for which, mine in of_lengths])
        lemmas = [*derive(implicates, numbers), *lemmas]
    trimmed = trim([*others, circuits, of_relations], lemmas, affordable_steps(search))
    if trimmed is None:
        return None
    (*_, needed, used_relations), lemmas = trimmed
    # The clauses of a relation stand as many apart as there are relations among them.
    return Contradiction(needed, added[np.unique(used_relations % max(1, len(added)))], lemmas)


class OnDemand:
    """A solver of orientations, which receives relations as its models violate them."""

    def __init__(
        self,
        sat: Sat | Cubes,
        elements: int,
        rank: int,
        search: Search,
        *,
        relations: bool = True,
        known: NDArray[np.int64] = _NONE,
    ) -> None:
        self.added = _NONE
        self._known = known
        self._sat: Sat | Cubes = sat
        self._size = elements, rank
        self._search = search
        self._rng = np.random.RandomState(0)
        relations = relations and elements >= rank + 2
        self._contractions = Contractions.of(elements, rank) if relations else None

    def begin_with_some(self) -> None:
        """Add the known relations and others drawn at random."""
        if self._contractions is not None:
            count = count_relations(*self._size)
            each = _BESIDE_KNOWN if len(self._known) else _FOR_EACH_ORIENTATION
            most = each * comb(*self._size)
            few = np.arange(count)
            drawn = few if count <= most else self._rng.choice(count, most, replace=False)
            self._add(np.union1d(self._known, drawn))

    def go_on(self, sat: Sat | Cubes) -> None:
        """Use another solver, with the same clauses."""
        self._sat = sat

    @property
    def clauses(self) -> Clauses:
        """The clauses of the relations that the solver has."""
        if not len(self.added):
            return _NO_CLAUSES
        return relation_clauses(*self._size, self.added.tolist())

    def solve(self) -> Chi | Literal[False] | None:
        """Find orientations that satisfy everything; False if there are none, None without time."""
        while answer := self._sat.solve():
            chi = np.full(1 + comb(*self._size), -1, dtype=np.int8)
            chi[[variable for variable in self._sat.true if variable < len(chi)]] = 1
            chi[0] = 0
            if self._contractions is None:
                return chi
            violated = self._contractions.violated(chi, self._rng)
            if not len(violated):
                return chi
            if not len(self.added) and not len(self._known):
                self.begin_with_some()
            elif not len(self.added):
                self._add(self._known)
            self._add(violated)
        return None if answer is None else False

    def _add(self, numbers: NDArray[np.int64]) -> None:
        more = np.setdiff1d(numbers, self.added)
        self._sat.add(list_clauses([relation_clauses(*self._size, more.tolist())], self._search))
        self.added = np.union1d(self.added, more)
