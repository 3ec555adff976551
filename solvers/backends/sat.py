"""Glucose with a time limit, and few switches of a formula that contradict each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.engine.search import Search
from samapprox.support.closing import Closing

__all__ = ["Clauses", "Lemmas", "Sat", "list_clauses", "minimal_switches", "refutation"]

Clauses = Iterable[Sequence[int]]
Lemmas = list[list[int]]

# Clauses that are Python lists at the same time: more would start the garbage collector.
_AT_ONCE = 256
# After so many conflicts or propagations, the solver returns, so that the clock is looked at.
_CONFLICTS, _PROPAGATIONS = 2_000, 2_000_000


class Sat(Closing):
    """A growing set of clauses and a solver for them, to be used in a `with` block.

    `search` limits the next call; a solver that is kept for a later turn gets that turn's.
    """

    def __init__(self, search: Search, *, proof: bool = False, effort: float = math.inf) -> None:
        from pysat.solvers import Solver

        self.search = search
        self.effort = effort
        self._solver: Any = Solver("glucose4", with_proof=proof)

    def close(self) -> None:
        """Free the memory of the solver."""
        self._solver.delete()

    def add(self, clauses: Clauses) -> None:
        """Add clauses in DIMACS literals, permanently."""
        self._solver.append_formula(clauses, no_return=True)

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        """Return whether all clauses can be satisfied, with the assumptions; None if time is up."""
        while not self.search.out_of_time and self.effort > 0:
            self._solver.conf_budget(_CONFLICTS)
            self._solver.prop_budget(_PROPAGATIONS)
            # With `expect_interrupt`, other threads run meanwhile.
            answer: bool | None = self._solver.solve_limited(assumptions, expect_interrupt=True)
            if answer is not None:
                return answer
            self.effort -= 1
        return None

    @property
    def true(self) -> frozenset[int]:
        """The variables that are true in the last assignment."""
        return frozenset(literal for literal in self._solver.get_model() if literal > 0)

    @property
    def conflict(self) -> list[int]:
        """The assumptions of the last call that cannot all be true."""
        return list(self._solver.get_core() or ())

    @property
    def lemmas(self) -> Lemmas:
        """Clauses that lead to the contradiction, each by unit propagation from those before."""
        lines = [line.split() for line in self._solver.get_proof()]
        lemmas = [[int(literal) for literal in line[:-1]] for line in lines if line[0] != "d"]
        return [lemma for lemma in lemmas if lemma]


def list_clauses(blocks: Iterable[NDArray[np.int32]], search: Search) -> Iterator[list[int]]:
    """Yield all clauses of arrays while there is time, some at once: many lists are slow."""
    for block in blocks:
        for at in range(0, len(block), _AT_ONCE):
            if search.out_of_time:
                return
            yield from block[at : at + _AT_ONCE].tolist()


def refutation(clauses: Clauses, search: Search) -> Lemmas | None:
    """Find lemmas that refute clauses; None if they can be satisfied or time is up."""
    with Sat(search, proof=True) as sat:
        sat.add(clauses)
        return sat.lemmas if sat.solve() is False else None


def minimal_switches(sat: Sat, switches: list[int]) -> list[int]:
    """Find as few switches as contradict each other when on; all if no subset does.

    A call of the solver for each switch that stays.
    """
    if sat.solve(switches) is not False:
        return switches
    kept, sure = sorted(sat.conflict), 0
    while sure < len(kept):
        trial = kept[:sure] + kept[sure + 1 :]
        answer = sat.solve(trial)
        if answer is None:
            break
        if answer:
            sure += 1
        else:
            conflict = set(sat.conflict)
            kept = [switch for switch in trial if switch in conflict]
    return kept
