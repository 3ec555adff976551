"""Other people's solvers, within time limits: Glucose, CaDiCaL in a child process, and BLAS.

Glucose also finds few switches of a formula that contradict each other. The linear algebra library
below numpy and scipy may have to use one thread.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.engine.search import Search
from samapprox.support.limits import LOOK

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


Clauses = Iterable[Sequence[int]]
Lemmas = list[list[int]]

# Clauses that are Python lists at the same time: more would start the garbage collector.
_AT_ONCE = 256
# After so many conflicts or propagations, the solver returns, so that the clock is looked at.
_CONFLICTS, _PROPAGATIONS = 2_000, 2_000_000

Flat = NDArray[np.int32]
"""Clauses one after the other, in DIMACS literals, each followed by 0."""

# Bytes that a process may use beyond its libraries, and bytes of its proof on the disk.
_MEMORY = 1 << 30


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Make a context, or decorate a function, so that numpy's and scipy's products use one thread.

    The products of the numeric searches are long and thin: threads only get into each other's way.
    """
    with _one_thread("scipy.optimize"):
        yield


def one_numpy_thread() -> AbstractContextManager[object]:
    """Make a context in which numpy's products run in one thread, without importing scipy."""
    return _one_thread("numpy.linalg")


def _one_thread(module: str) -> AbstractContextManager[object]:
    limit: AbstractContextManager[object] = _libraries(module).limit(limits=1, user_api="blas")
    return limit


@lru_cache(maxsize=2)  # finding the libraries takes a millisecond
def _libraries(module: str) -> ThreadpoolController:
    """Return the libraries that are loaded once a module is imported."""
    from threadpoolctl import ThreadpoolController

    import_module(module)
    return ThreadpoolController()


class Sat:
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

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


class Cadical(AbstractContextManager["Cadical"]):
    """A growing set of clauses and CaDiCaL for them, in a child process; for a `with` block.

    The binding of CaDiCaL holds the interpreter until it is done, hence the process. It starts in a
    quarter of a second. It ends with the `with` block, with the process or thread that made it
    (Linux; elsewhere it has no more seconds of CPU than the search), and if it exceeds its memory.
    """

    def __init__(self, search: Search, memory: int = _MEMORY) -> None:
        from samapprox.support.child import Child

        self.true: frozenset[int] = frozenset()
        self.conflict: list[int] = []
        self.ended = False
        self._search = search
        self._child = Child("samapprox.solvers.engine.backends")
        self.connection = self._child.connection
        self._child.send_aside((search.remaining, memory))

    def close(self) -> None:
        """End the process."""
        self._child.end()

    def __exit__(self, *_error: object) -> None:
        self.close()

    def add(self, clauses: Clauses) -> None:
        """Add clauses in DIMACS literals, permanently."""
        self.add_flat(flatten_clauses(clauses))

    def add_flat(self, clauses: Flat) -> None:
        """Add clauses as `flatten_clauses` returns them."""
        self._child.send_aside(("add", clauses))

    def ask(self, assumptions: Sequence[int] = (), conflicts: int = -1) -> None:
        """Have the process solve; `answer` takes the answer."""
        self._child.send_aside(("solve", (list(assumptions), conflicts)))

    def answer(self) -> bool | None:
        """Wait for the answer; None if time, conflicts or memory are up."""
        answer, literals = self._hear() or (None, [])
        if answer:
            self.true = frozenset(literals)
        else:
            self.conflict = literals
        return answer

    def solve(self, assumptions: Sequence[int] = ()) -> bool | None:
        """Return whether all clauses can be satisfied, with the assumptions; None if time is up."""
        self.ask(assumptions)
        return self.answer()

    @property
    def lemmas(self) -> Lemmas | None:
        """Clauses learned so far, each by unit propagation from those before; None without time.

        They follow from the clauses alone. With them, unit propagation refutes the assumptions of
        every call that could not be satisfied.
        """
        self._child.send_aside(("proof", None))
        proof = self._hear()
        return None if proof is None else split_clauses(proof)

    def _hear(self) -> Any:
        """Return the next message of the process; None if it ended, or if time is up."""
        try:
            while not self._search.out_of_time:
                if self.connection.poll(LOOK):
                    return self.connection.recv()
        except (EOFError, OSError):  # perhaps within a message
            self.ended = True
        return None


def flatten_clauses(clauses: Clauses) -> Flat:
    """Return clauses one after the other."""
    flat = array("i")
    for clause in clauses:
        flat.extend(clause)
        flat.append(0)
    return np.frombuffer(flat, dtype=np.int32) if flat else np.empty(0, dtype=np.int32)


def split_clauses(flat: Flat) -> list[list[int]]:
    """Return clauses as lists; the inverse of `flatten_clauses`."""
    literals = flat.tolist()
    ends = np.flatnonzero(flat == 0).tolist()
    starts = [0, *(end + 1 for end in ends)]
    return [literals[start:end] for start, end in zip(starts, ends, strict=False)]


def parse_proof(data: bytes) -> Flat:
    """Read the lemmas of a binary DRUP proof, without its deletions and empty clauses."""
    octets = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(octets < 1 << 7)  # of numbers, letters among them
    values = np.zeros(len(ends), dtype=np.int64)
    starts = np.append(0, ends[:-1] + 1)
    for group in range(5):
        there = starts + group <= ends
        values[there] |= (octets[(starts + group)[there]] & 0x7F).astype(np.int64) << (7 * group)
    zeros = np.flatnonzero(values == 0)
    letters = np.append(0, zeros[:-1] + 1)
    sizes = zeros - letters + 1
    learned = (values[letters[: len(zeros)]] == ord("a")) & (sizes > 2)
    kept = np.repeat(learned, sizes)
    values = values[: len(kept)]
    kept[letters[: len(zeros)]] = False
    literals: Flat = np.where(values & 1, -(values >> 1), values >> 1)[kept].astype(np.int32)
    return literals


def serve() -> None:
    """Add and solve as the parent asks: the child's side."""
    from pysat.solvers import Cadical195

    from samapprox.support.child import channel

    tasks, results = channel()

    try:
        _limit(*tasks.recv())
        with Cadical195(with_proof=True) as solver:
            while True:
                match tasks.recv():
                    case ("add", flat):
                        solver.append_formula(split_clauses(flat), no_return=True)
                    case ("solve", (assumptions, conflicts)):
                        solver.conf_budget(conflicts)
                        answer = solver.solve_limited(assumptions)
                        if answer:
                            found = [literal for literal in solver.get_model() if literal > 0]
                        else:
                            found = [] if answer is None else list(solver.get_core() or ())
                        results.send((answer, found))
                    case ("proof", None):
                        results.send(parse_proof(_proof(solver)))
    except (EOFError, BrokenPipeError, MemoryError):
        sys.exit(0)


def _proof(solver: Any) -> bytes:
    """Return the bytes of its proof: the binding's own function takes a second for a megabyte."""
    from pysat import solvers

    solvers.pysolvers.flushpr(solver.prfp)
    solver.prfile.seek(0)
    return bytes(solver.prfile.read())


def _limit(seconds: float, memory: int) -> None:
    """Have the system end this process, silently, if it takes too much of anything."""
    import resource

    from samapprox.support.child import STANDARD_ERROR

    sys.stderr = os.fdopen(os.dup(STANDARD_ERROR), "w", 1, errors="backslashreplace")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, STANDARD_ERROR)  # CaDiCaL complains if there is no memory
    _lower(resource.RLIMIT_CORE, 0)

    pages = 0
    with contextlib.suppress(OSError):  # not Linux
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    _lower(resource.RLIMIT_AS, pages * os.sysconf("SC_PAGE_SIZE") + memory)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # else the proof would be cut off
    _lower(resource.RLIMIT_FSIZE, memory)
    if math.isfinite(seconds):
        _lower(resource.RLIMIT_CPU, 1 + math.ceil(max(0.0, seconds)))


def _lower(kind: int, most: int) -> None:
    """Lower a limit of this process."""
    import resource

    hard = resource.getrlimit(kind)[1]
    if hard == resource.RLIM_INFINITY or most < hard:
        with contextlib.suppress(ValueError, OSError):  # no such limit here
            resource.setrlimit(kind, (most, hard))
