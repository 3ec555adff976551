"""Clauses that are hard to refute: two processes help, to which they are given in cubes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.solvers.engine.backends import Cadical, Clauses, Lemmas, Sat, flatten_clauses
from samapprox.solvers.engine.search import Search

_PROCESSES = 2  # processes that help the solver; each keeps a core of the machine busy
_CONFLICTS = 20_000  # a cube that takes more conflicts is divided

Cube = tuple[int, ...]
"""Literals that are assumed to be true."""


class Cubes(AbstractContextManager["Cubes"]):
    """A solver and processes that help it, cube by cube; for a `with` block.

    The solver goes on with all clauses. The first cube of the processes assumes nothing. A cube
    that takes too many conflicts is divided by a variable that it does not mention: the one that
    occurs most often in the clauses. Its halves wait until a process is idle. What a process learns
    about one cube helps it with the next.

    Where the system allows no processes, the solver is alone.

    Heule, Kullmann, Wieringa, Biere (2011), "Cube and conquer".
    """

    def __init__(self, sat: Sat, search: Search, clauses: Clauses) -> None:
        self.true: frozenset[int] = frozenset()
        self._sat = sat
        self._search = search
        self._waiting: list[Cube] = [()]
        self._divided: list[Cube] = []
        self._refuted: Lemmas = []
        self._occurrences: NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        self._busy: dict[Cadical, Cube] = {}
        self._decisive: Sat | Cadical | None = None  # refutes the clauses without the others
        with ExitStack() as stack:
            self._workers = _start(search, stack)
            self._idle = list(self._workers)
            self._hand_over(clauses)
            self._processes = stack.pop_all()

    def close(self) -> None:
        """End the processes."""
        self._processes.close()

    def __exit__(self, *_error: object) -> None:
        self.close()

    def add(self, clauses: Clauses) -> None:
        """Add clauses in DIMACS literals, permanently."""
        clauses = list(clauses)
        self._sat.add(clauses)
        self._hand_over(clauses)

    def solve(self) -> bool | None:
        """Return whether all clauses can be satisfied; None if time is up.

        After an assignment was found, a process may still work on a cube.
        """
        while not self._search.out_of_time:
            self._sat.effort = 1
            answer = self._sat.solve()
            if answer:
                self.true = self._sat.true
                return True
            if answer is False:
                self._decisive = self._sat
                return False
            if any(worker.ended for worker in self._workers):
                self._dismiss()
            self._hand_out()
            for worker in [worker for worker in self._busy if worker.connection.poll()]:
                if self._take(worker):
                    return True
            if self._decisive is not None:
                return False
            if self._workers and not (self._busy or self._waiting):
                return False
        return None

    @property
    def lemmas(self) -> Lemmas | None:
        """A refutation, once there is no assignment; None without time.

        It is that of one solver if that refuted everything alone. Else it begins with the clauses
        that the processes learned, which follow without any assumptions. With them, unit
        propagation refutes every cube that was not divided, and then, from the smallest on, those
        that were.
        """
        if self._decisive is not None:
            return self._decisive.lemmas
        lemmas: Lemmas = []
        for worker in self._workers:
            learned = worker.lemmas
            if learned is None:
                return None
            lemmas += learned
        divided = sorted(self._divided, key=len, reverse=True)
        return [*lemmas, *self._refuted, *(_negate(cube) for cube in divided if cube)]

    def _hand_over(self, clauses: Clauses) -> None:
        """Add clauses to those of the processes."""
        if not self._workers:
            return
        flat = flatten_clauses(clauses)
        for worker in self._workers:
            worker.add_flat(flat)
        occurrences = np.bincount(np.abs(flat), minlength=len(self._occurrences))
        occurrences[: len(self._occurrences)] += self._occurrences
        self._occurrences = occurrences

    def _dismiss(self) -> None:
        """Go on without processes: what one of them had learned is lost."""
        self._processes.close()
        self._workers, self._idle, self._busy, self._waiting = [], [], {}, []

    def _hand_out(self) -> None:
        """Have the idle processes solve the cubes that wait, unless these are refuted already."""
        while self._waiting and self._idle:
            cube = self._waiting.pop()
            if not any(set(_negate(cube)).issuperset(lemma) for lemma in self._refuted):
                worker = self._idle.pop()
                worker.ask(cube, _CONFLICTS)
                self._busy[worker] = cube

    def _take(self, worker: Cadical) -> bool:
        """Take the answer of a process; return whether it is an assignment."""
        answer = worker.answer()
        cube = self._busy.pop(worker)
        self._idle.append(worker)
        if answer:
            self.true = worker.true
            self._waiting.append(cube)
        elif answer is False:
            self._refuted.append(_negate(worker.conflict))
            if not worker.conflict:
                self._decisive = worker
        elif not worker.ended:
            self._divide(cube)
        return bool(answer)

    def _divide(self, cube: Cube) -> None:
        often = self._occurrences.copy()
        often[[0, *map(abs, cube)]] = 0
        variable = int(often.argmax())
        if often[variable]:
            self._divided.append(cube)
            self._waiting += [(*cube, -variable), (*cube, variable)]
        else:  # all are assumed
            self._waiting.append(cube)


def _start(search: Search, stack: ExitStack) -> list[Cadical]:
    """Start the processes; none where the system does not allow all of them."""
    with ExitStack() as started:
        try:
            workers = [started.enter_context(Cadical(search)) for _ in range(_PROCESSES)]
        except InputError:
            return []
        stack.push(started.pop_all())
    return workers


def _negate(cube: Sequence[int]) -> list[int]:
    """Return the clause that excludes a cube."""
    return [-literal for literal in cube]
