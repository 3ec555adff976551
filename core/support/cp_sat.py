"""CP-SAT with one thread, a seed, an exact time limit, and Ctrl-C."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver


_GLANCE = 0.1  # seconds between two looks at whether it should stop
_LONGEST = 1e6  # seconds; there is no infinity


class Infeasible(Exception):
    """The model has no solution."""


class Limits(Protocol):
    """A time limit and a seed: `samapprox.solvers.engine.search.Search`, or a simpler object."""

    @property
    def seed(self) -> int:
        """Same seed, same solution."""

    @property
    def remaining(self) -> float:
        """Seconds left; 0 or less once the search should stop, which may happen at any time."""


def solve(model: CpModel, search: Limits) -> CpSolver | None:
    """Solve the model; return None if time is up, raise `Infeasible` without a solution.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> from samapprox.solvers.engine.search import Search
    >>> model = CpModel()
    >>> x = model.new_int_var(0, 9, "x")
    >>> _ = model.add(3 * x == 21)
    >>> solve(model, Search()).value(x)
    7
    """
    from ortools.sat.python import cp_model

    if search.remaining <= 0:
        return None
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = search.seed % (1 << 31)
    solver.parameters.max_time_in_seconds = seconds_left(search)
    solver.parameters.catch_sigint_signal = False  # it would swallow the signal
    # In a thread of its own, so that this one can be interrupted, or stop the search.
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(solver.solve, model)
        try:
            while search.remaining > 0 and not wait([answer], _GLANCE).done:
                pass
        finally:
            while not answer.done():  # a call before it has begun is not heard
                solver.stop_search()
                wait([answer], _GLANCE)
        status = answer.result()
    if status == cp_model.INFEASIBLE:
        raise Infeasible
    return solver if status in (cp_model.OPTIMAL, cp_model.FEASIBLE) else None


def seconds_left(search: Limits) -> float:
    """Return the seconds left, as the solvers of ortools take them."""
    return min(max(0.001, search.remaining), _LONGEST)
