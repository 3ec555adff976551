"""The best order of keys or queries with signs: a travelling salesman's tour, then CP-SAT."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.embeddings.covectors import Covectors
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.solvers.embeddings import orders
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Order, Signs
from samapprox.support.cp_sat import Infeasible, seconds_left, solve
from samapprox.support.text import plural

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar

    Arcs = dict[tuple[int, int, int], IntVar]


NAME = "best-order"


_MOST_ELEMENTS = 700  # the distances of a tour take time and memory quadratic in the elements
_MOST_TERMS = 300_000  # larger models are not built, since building them cannot be interrupted


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    rows, columns = problem.pattern.shape
    if min(rows + 1, columns) > _MOST_ELEMENTS:
        return f"{rows} x {columns} is too large for it"
    return orders.applies(problem)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Decide whether keys or queries stand in an order, with signs, with at most d changes a line.

    An order with signs is a circle: on each arc, the sign stays or turns. A line changes on an arc
    (i, j) if its entries differ and the sign stays, or are equal and it turns. If no line changes
    more than d times around the circle, none does along the order from any first element.
    Conversely, an order is closed by the arc on which each line gets a number of changes of the
    parity of d.

    If an order is hidden, a tour with few changes of all lines together mostly finds it. Otherwise
    CP-SAT bounds the changes of each line: two Booleans for a pair of elements under one circuit
    constraint, N (N - 1) C terms for N elements and C lines; don't-cares are Booleans, too. If it
    refutes the model, no such order exists. That is not a NO: there may be other embeddings.
    """
    rows, columns = problem.pattern.shape
    sides: list[Side] = ["columns", "rows"]
    if rows + 1 < columns:
        sides.reverse()
    refuted = 0
    for left, side in zip((2, 1), sides, strict=True):
        covectors = Covectors(problem.pattern, side)
        try:
            found = _find_order(covectors, problem.d, search.slice(search.remaining / left, 0))
        except Infeasible:
            refuted += 1
            continue
        if found is not None:
            order, flips = found
            return MomentCurve(problem.d, side, order, np.flatnonzero(flips < 0))
    if refuted == len(sides):
        search.exhausted.add(NAME)
        return f"in every order, some line changes value more than {plural(problem.d, 'time')}"
    return "no order was found"


_SignedOrder = tuple[Order, Signs]
"""The elements as they stand along the curve, and the sign of each."""


def _find_order(covectors: Covectors, d: int, search: Search) -> _SignedOrder | None:
    """Return an order in which no covector changes over d times: the tour, or what CP-SAT finds."""
    signs = covectors.signs()
    order = _find_tour(signs, search)
    if order is None:
        return _ask_cp_sat(signs, d, None, search)
    tour = order, orders.cheapest_signs(covectors, order)
    if covectors.count_changes(*tour).max() <= d:
        return tour
    return _ask_cp_sat(signs, d, tour, search)


# ---------------------------------------------------------------- tours


def _find_tour(signs: Signs, search: Search) -> Order | None:
    """Find a short tour; the distance of two elements is the number of lines that differ."""
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2

    count = signs.shape[1]
    if not 4 <= count <= _MOST_ELEMENTS or search.out_of_time:
        return None
    alike = signs.T.astype(np.float64) @ signs
    both = np.abs(signs.T).astype(np.float64) @ np.abs(signs)
    distances = ((both - np.abs(alike)) / 2).astype(np.int64)
    nodes = pywrapcp.RoutingIndexManager(count, 1, 0)
    routing = pywrapcp.RoutingModel(nodes)
    routing.SetArcCostEvaluatorOfAllVehicles(routing.RegisterTransitMatrix(distances.tolist()))
    parameters = pywrapcp.DefaultRoutingSearchParameters()
    first = routing_enums_pb2.FirstSolutionStrategy.PATH_CHEAPEST_ARC
    parameters.first_solution_strategy = first
    parameters.time_limit.FromMilliseconds(int(1000 * seconds_left(search)))
    found = routing.SolveWithParameters(parameters)
    if found is None:
        return None
    tour, index = [], routing.Start(0)
    while not routing.IsEnd(index):
        tour.append(nodes.IndexToNode(index))
        index = found.Value(routing.NextVar(index))
    return np.array(tour)


# ---------------------------------------------------------------- CP-SAT


def _ask_cp_sat(
    signs: Signs, d: int, tour: _SignedOrder | None, search: Search
) -> _SignedOrder | None:
    """Ask CP-SAT for an order with at most d changes in every row, or a proof of none."""
    from ortools.sat.python import cp_model

    count = signs.shape[1]
    weights = np.where(signs.all(axis=1), 1, 4).sum()
    if count < 2 or count * (count - 1) * weights > _MOST_TERMS or search.out_of_time:
        return None
    model = cp_model.CpModel()
    arcs = {
        (i, j, turn): model.new_bool_var("")
        for i, j in permutations(range(count), 2)
        for turn in (1, -1)
    }
    model.add_circuit([(i, j, arc) for (i, j, _), arc in arcs.items()])
    for row in signs.tolist():
        _bound_changes(model, arcs, row, d)
    if tour is not None:
        order, flips = tour
        after = np.roll(order, -1)
        hinted = set(zip(order, after, flips[order] * flips[after], strict=True))
        for key, arc in arcs.items():
            model.add_hint(arc, key in hinted)
    solver = solve(model, search)
    if solver is None:
        return None
    return _read(count, [key for key, arc in arcs.items() if solver.value(arc)])


def _bound_changes(model: CpModel, arcs: Arcs, row: list[int], d: int) -> None:
    """Constrain one row to at most d changes; its zeros may take either sign."""
    if 0 not in row:
        changing = [arc for (i, j, turn), arc in arcs.items() if row[i] * row[j] != turn]
        model.add(sum(changing) <= d)
        return
    positive = [model.new_bool_var("") for _ in row]
    model.add_bool_and(
        [v if sign > 0 else ~v for v, sign in zip(positive, row, strict=True) if sign]
    )
    after = [model.new_bool_var("") for _ in row]
    model.add(sum(after) <= d)
    for (i, j, turn), arc in arcs.items():
        here, there = positive[i], positive[j] if turn > 0 else ~positive[j]
        model.add_bool_or([~arc, ~here, there, after[i]])
        model.add_bool_or([~arc, here, ~there, after[i]])


def _read(count: int, arcs: list[tuple[int, int, int]]) -> _SignedOrder:
    """Return the order and the signs along the circuit, from element 0."""
    following = {i: (j, turn) for i, j, turn in arcs}
    order = [0]
    flips = np.ones(count, dtype=np.int8)
    while len(order) < count:
        j, turn = following[order[-1]]
        flips[j] = flips[order[-1]] * turn
        order.append(j)
    return np.array(order), flips
