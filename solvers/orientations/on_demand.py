"""Orientations that satisfy clauses and all relations, which enter as a model violates them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.refutations.orientation_clauses import (
    Clauses,
    count_relations,
    relation_clauses,
)
from samapprox.solvers.engine.backends import Lemmas, Sat, list_clauses
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.contractions import Contractions, read_orientations
from samapprox.support.arrays import Numbers

if TYPE_CHECKING:
    from samapprox.solvers.orientations.cubes import Cubes


_FEW = 20_000  # up to so many clauses, loading compiled code takes longer than it saves
_FEW_WITH_RELATIONS = 5_000  # the same if relations are needed, which make refutations longer
_EFFORT = 5  # effort of one solver before two processes help it
_FOR_EACH_ORIENTATION = 10  # relations that are drawn at random to begin with, for each orientation
_BESIDE_KNOWN = 2  # the same if some relations are known to matter
_NONE = np.empty(0, dtype=np.int64)
_NO_CLAUSES = np.empty((0, 6), dtype=np.int32)

Chi = NDArray[np.int8]
"""Orientations by variable: +1 or -1; place 0 is 0 and belongs to no variable."""

MOST_WIDTH = 8
"""The longest clauses that are shortened; of longer ones there are 3^9 parts and more."""

_AT_ONCE = 1 << 24  # parts of clauses that are in memory at the same time


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
            # Few searches need two processes.
            from samapprox.solvers.orientations.cubes import Cubes

            clauses = [*others, *shortened, solver.clauses]
            with Cubes(sat, search, list_clauses(clauses, search)) as cubes:
                solver.go_on(cubes)
                answer = solver.solve()
                lemmas = cubes.lemmas if answer is False else None
    if answer is not False:
        return answer
    if lemmas is None:
        return None
    from samapprox.solvers.orientations.trim import affordable_steps, trim  # only for NO

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
    # Clause number k belongs to relation number k modulo the number of relations.
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
            chi = read_orientations(self._sat.true, *self._size)
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


# ---------------------------------------------------------------- prime implicates


@dataclass(frozen=True, eq=False)
class PrimeImplicates:
    """The shortest clauses that follow from the clauses of each circuit."""

    # One clause a row, in the places of the circuit's variables; 0 where one does not occur.
    literals: Clauses
    circuits: Numbers  # the circuit that each follows from, by number
    variables: Numbers  # (circuits, r + 1): The variables of each circuit

    @classmethod
    def of(cls, clauses: Clauses) -> PrimeImplicates:
        """Find all prime implicates, circuit by circuit.

        A byte for each of the 3^(r+1) parts of clauses on a circuit, and r + 1 passes over them.

        Quine (1955), "A way to simplify truth functions"; McCluskey (1956).
        """
        width = clauses.shape[1]
        variables, circuits = _find_distinct(np.abs(clauses))
        forbidden = np.zeros((len(variables), 1 << width), dtype=np.bool_)
        forbidden[circuits, (clauses > 0) @ (1 << np.arange(width)[::-1])] = True
        step = max(1, _AT_ONCE // 3**width)
        found = [
            _find_primes(forbidden[start : start + step], start)
            for start in range(0, len(variables), step)
        ]
        of, signs = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return cls((signs * variables[of]).astype(np.int32), of, variables)

    @cached_property
    def places(self) -> list[Numbers]:
        """The numbers of the implicates of each length."""
        lengths = np.count_nonzero(self.literals, axis=1)
        return [np.flatnonzero(lengths == length) for length in np.unique(lengths)]

    @cached_property
    def blocks(self) -> list[Clauses]:
        """The implicates of each length, without the zeros."""
        blocks = [self.literals[which] for which in self.places]
        return [block[block != 0].reshape(len(block), -1) for block in blocks]


def derive(implicates: PrimeImplicates, chosen: Numbers) -> list[list[int]]:
    """List clauses that lead from the circuits to some prime implicates."""
    steps: dict[frozenset[int], list[int]] = {}
    literals = implicates.literals[chosen]
    variables = implicates.variables[implicates.circuits[chosen]]
    # Long ones first: the others may use them.
    order = np.argsort(-np.count_nonzero(literals, axis=1), kind="stable")
    for clause, circuit in zip(literals[order].tolist(), variables[order].tolist(), strict=True):
        _resolve([literal for literal in clause if literal], circuit, steps)
    return list(steps.values())


def _resolve(clause: list[int], circuit: list[int], steps: dict[frozenset[int], list[int]]) -> None:
    """Add a clause to the steps, after two that it follows from: those that are there, if any."""
    if len(clause) == len(circuit) or frozenset(clause) in steps:
        return
    parents: list[list[int]] = []
    fewest = 3
    for variable in circuit:
        if variable in clause or -variable in clause:
            continue
        pair = [[*clause, variable], [*clause, -variable]]
        missing = [p for p in pair if len(p) < len(circuit) and frozenset(p) not in steps]
        if len(missing) < fewest:
            parents, fewest = missing, len(missing)
    for parent in parents:
        _resolve(parent, circuit, steps)
    steps[frozenset(clause)] = clause


def _find_distinct(rows: NDArray[np.int32]) -> tuple[Numbers, Numbers]:
    """Return the distinct rows, and which of them each is."""
    keys = np.ascontiguousarray(rows).view([("", rows.dtype)] * rows.shape[1]).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first].astype(np.int64), which.ravel()


def _find_primes(forbidden: NDArray[np.bool_], start: int) -> tuple[Numbers, NDArray[np.int8]]:
    """Return the prime implicates of some circuits: the circuit's number, and a sign or 0 a place.

    Along each axis the places are: the literal is negative, positive, or does not occur.
    """
    width = forbidden.shape[1].bit_length() - 1
    follows = forbidden.reshape(-1, *[2] * width)
    for axis in range(1, width + 1):
        negative, positive = np.split(follows, 2, axis=axis)
        follows = np.concatenate([follows, negative & positive], axis=axis)
    # Circuits that no orientations satisfy give opposite unit clauses, not the empty clause.
    follows.reshape(len(follows), -1)[:, -1] = False
    prime = follows.copy()
    for axis in range(1, width + 1):
        shorter = np.take(follows, [2], axis=axis)
        longer = (slice(None),) * axis + (slice(0, 2),)
        prime[longer] &= ~shorter
    circuit, part = np.nonzero(prime.reshape(len(prime), -1))
    digits = part[:, None] // 3 ** np.arange(width)[::-1] % 3
    return circuit + start, np.array([-1, 1, 0], dtype=np.int8)[digits]
