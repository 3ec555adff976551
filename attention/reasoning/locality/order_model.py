"""Best orders by CP-SAT, for graphs whose down-sets are too many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.support.cp_sat import Limits, solve

__all__ = ["MOST_GENERATED", "Claim", "can_improve", "improve_order"]

MOST_GENERATED = 300
"""Generated tokens of a model; the presolve of larger ones takes minutes."""

_LEAST_SECONDS = 2.0
"""Loading OR-Tools takes about a second, so with less time left it is not worth while."""


@dataclass(frozen=True, slots=True)
class Claim:
    """An order found by CP-SAT, and the lower bound that CP-SAT claims without a proof.

    Attributes
    ----------
    order : list of int
    lower : int
    """

    order: list[int]
    lower: int


def can_improve(needs: AttentionGraph, given: int, seconds: float) -> bool:
    """Return whether CP-SAT is worth while: for few enough tokens, and with enough time.

    Examples
    --------
    >>> can_improve(AttentionGraph.from_csr([0, 0, 1], [0]), 0, 1.0)
    False
    """
    return 1 <= needs.n - given <= MOST_GENERATED and seconds >= _LEAST_SECONDS


def improve_order(
    needs: AttentionGraph, given: int, known: list[int], bounds: tuple[int, int], search: Limits
) -> Claim | None:
    """Let CP-SAT look for an order of less live width.

    Parameters
    ----------
    needs : AttentionGraph
        Checked by `require_needs`.
    given : int
        The first tokens, which every order begins with.
    known : list of int
        An order, from which the search starts.
    bounds : (int, int)
        A proven lower bound, and the live width of the known order.
    search : Limits
        Limits and seed.

    Returns
    -------
    Claim or None
        None if there are too many tokens, or too little time.

    Notes
    -----
    Each generated token has a place, all different, after the places of its needs. A token is live
    from its place to the last place of a token that needs it: an interval. The cumulative
    constraint bounds the number of intervals that overlap. O(n + edges) constraints.
    """
    count = needs.n - given
    if not can_improve(needs, given, search.remaining):
        return None
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    places = [model.new_int_var(0, count - 1, "") for _ in range(count)]
    model.add_all_different(places)
    users: list[list[int]] = [[] for _ in range(needs.n)]
    for token, key in zip(needs.queries.tolist(), needs.indices.tolist(), strict=True):
        users[key].append(token - given)
        if key >= given:
            model.add(places[key - given] < places[token - given])
    at = dict(zip(known, range(-given, count), strict=True))
    for token, place in enumerate(places, start=given):
        model.add_hint(place, at[token])
    intervals = []
    for key, needing in enumerate(users):
        if needing:
            end, length = model.new_int_var(0, count - 1, ""), model.new_int_var(1, count, "")
            for user in needing:
                model.add(end >= places[user])
            start = places[key - given] if key >= given else -1
            intervals.append(model.new_interval_var(start, length, end, ""))
            last = max(at[user + given] for user in needing)
            model.add_hint(end, last)
            model.add_hint(length, last - max(-1, at[key]))
    width = model.new_int_var(*bounds, "width")
    model.add_cumulative(intervals, [1] * len(intervals), width)
    model.minimize(width)
    solver = solve(model, search)
    if solver is None:
        return None
    order = given + np.argsort([solver.value(place) for place in places])
    return Claim([*range(given), *order.tolist()], round(solver.best_objective_bound))
