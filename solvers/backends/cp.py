"""CP-SAT for all strategies: one thread, a seed, an exact time limit, and Ctrl-C."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from samapprox.solvers.search import Search

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver

__all__ = ["Infeasible", "seconds_left", "solve"]

_GLANCE = 0.1  # seconds between two looks at whether it should stop
_LONGEST = 1e6  # seconds; there is no infinity


class Infeasible(Exception):
    """The model has no solution."""


def solve(model: CpModel, search: Search) -> CpSolver | None:
    """Solve the model; return None if time is up.

    Parameters
    ----------
    model : CpModel
    search : Search

    Raises
    ------
    Infeasible
        There is no solution.

    Examples
    --------
    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x = model.new_int_var(0, 9, "x")
    >>> _ = model.add(3 * x == 21)
    >>> solve(model, Search()).value(x)
    7
    """
    from ortools.sat.python import cp_model

    if search.out_of_time:
        return None
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = search.seed % (1 << 31)
    solver.parameters.max_time_in_seconds = seconds_left(search)
    solver.parameters.catch_sigint_signal = False  # it would swallow the signal
    # In a thread of its own: this one can be interrupted, or told that all is settled.
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


def seconds_left(search: Search) -> float:
    """Return the seconds left, as the solvers of ortools take them.

    Examples
    --------
    >>> seconds_left(Search())
    1000000.0
    """
    return min(max(0.001, search.remaining), _LONGEST)
