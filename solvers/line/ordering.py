"""d = 1 with don't-cares: the order of the keys, by CP-SAT or, for few keys, by SAT."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Entries, Order
from samapprox.support.cp_sat import Infeasible, solve

if TYPE_CHECKING:
    from samapprox.solvers.orientations.cores import Core


NAME = "ordering"


_FEW = 20  # up to so many columns, SAT is as fast as CP-SAT, and finds the proof as well
# CP-SAT gets two inequalities for each specified entry; larger models are not built.
_MOST_SPECIFIED = 100_000
_TIDYING = 10.0  # seconds beyond the turn for shrinking a core and finding its proof


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    specified = int((problem.pattern.row_ones + problem.pattern.row_zeros).sum())
    if specified > _MOST_SPECIFIED:
        return f"{specified} specified entries are too many"
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Order the keys so that no row has an entry between two of the other value.

    Complete: a row is right if and only if no triple of its entries alternates. CP-SAT gives
    each key a place, each row a place where it changes and a direction: two inequalities an entry.
    SAT takes the order of each two keys: at most 8 C(n, 3) clauses of 3 literals; it also refutes
    the core that CP-SAT has left, in terms that the checker knows.
    """
    entries = problem.pattern.to_array()
    columns = entries.shape[1]
    try:
        order = (_order_by_pairs if columns <= _FEW else _order_by_places)(entries, search)
    except Infeasible:
        return _refute(entries, search.extend(_TIDYING))
    if order is None:
        return "no time left"
    return MomentCurve(1, "columns", order).embedding(problem.pattern)


def _refute(entries: Entries, search: Search) -> Proof | str:
    """Prove by unit propagation that the columns have no order."""
    from samapprox.proofs.refutations.orientation_clauses import most_clauses
    from samapprox.proofs.refutations.propagation import MOST_CLAUSES
    from samapprox.solvers.orientations.cores import Core
    from samapprox.solvers.orientations.minimal_cores import minimal

    core = Core.of(1, entries, "columns")
    if entries.shape[1] > _FEW:
        core = _shrink(core, search)
    lines = len(core.columns), len(core.rows) + 1
    if most_clauses(*lines, 2, relations=False) > MOST_CLAUSES:
        return "no order exists, but no time was left to find a proof small enough to check"
    found = minimal(core, search)
    return "no time left" if found is None else found.proof()


def _shrink(core: Core, search: Search) -> Core:
    """Shrink the core by CP-SAT: halves, quarters, .., single lines."""
    for axis in (1, 0):
        size = len((core.rows, core.columns)[axis])
        while size > 1:
            size = (size + 1) // 2
            names = (core.rows, core.columns)[axis]
            for start in range(0, len(names), size):
                part = set(names[start : start + size])
                fewer = _leave_out(core, part, axis)
                if not search.out_of_time and _has_no_order(fewer, search):
                    core = fewer
    return core


def _leave_out(core: Core, names: set[int], axis: int) -> Core:
    lines = [core.rows, core.columns]
    lines[axis] = [name for name in lines[axis] if name not in names]
    return replace(core, rows=lines[0], columns=lines[1])


def _has_no_order(core: Core, search: Search) -> bool:
    """Return whether it is known that its columns have no order."""
    try:
        _order_by_places(core.entries[np.ix_(core.rows, core.columns)], search)
    except Infeasible:
        return True
    return False


def _order_by_places(entries: Entries, search: Search) -> Order | None:
    """Return an order of the columns by CP-SAT; None if time is up."""
    from ortools.sat.python.cp_model import CpModel

    model = CpModel()
    last = entries.shape[1] - 1
    places = [model.new_int_var(0, last, "") for _ in range(last + 1)]
    for row in entries.tolist():
        ones_first, change = model.new_bool_var(""), model.new_int_var(0, last, "")
        for place, entry in zip(places, row, strict=True):
            if entry >= 0:
                early = ones_first if entry == 1 else ~ones_first
                model.add(place <= change).only_enforce_if(early)
                model.add(place > change).only_enforce_if(~early)
    solver = solve(model, search)
    if solver is None:
        return None
    return np.argsort([solver.value(place) for place in places], kind="stable")


def _order_by_pairs(entries: Entries, search: Search) -> Order | None:
    """Return an order of the columns by SAT; None if time is up."""
    from samapprox.proofs.refutations.orientation_clauses import circuit_clauses, sign_matrix
    from samapprox.solvers.engine.backends import Sat

    count = entries.shape[1]
    if count < 3:
        return np.arange(count)
    with Sat(search) as sat:
        sat.add([[1]])
        sat.add(circuit_clauses(sign_matrix(entries, "columns"), 2).tolist())
        answer = sat.solve()
        if answer is False:
            raise Infeasible
        if answer is None:
            return None
        true = sat.true
    # chi(i, j) for i < j is variable 1 + i + C(j, 2): true when i comes before j.
    before = np.zeros(count, dtype=np.int64)
    for j in range(count):
        for i in range(j):
            before[j if (1 + i + comb(j, 2)) in true else i] += 1
    return np.argsort(before, kind="stable")
