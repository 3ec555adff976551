"""Best orders by CP-SAT, for graphs whose down-sets are too many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.solvers.backends.cp import solve
from samapprox.solvers.search import Search

__all__ = ["MOST_TERMS", "Claim", "improve_order"]

MOST_TERMS = 400_000
"""Constraints of a model; building this many takes about a second."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What CP-SAT found: an order, and a lower bound that rests on its word.

    Attributes
    ----------
    order : list of int
    lower : int
    """

    order: list[int]
    lower: int


def improve_order(
    needs: AttentionGraph, given: int, known: list[int], bounds: tuple[int, int], search: Search
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
    search : Search
        Limits and seed.

    Returns
    -------
    Claim or None
        None if the model would be too large, or time was up before the solver had an answer.

    Notes
    -----
    For N generated tokens and E needs, N^2 Booleans (is token i among the first t?), at most
    N (n + E) more constraints. At every t, a token is live if it is among the first t and a token
    that needs it is not.

    Examples
    --------
    >>> needs = AttentionGraph.from_csr([0, 0, 0, 1, 2], [0, 1])
    >>> improve_order(needs, 0, [0, 1, 2, 3], (0, 2), Search()).lower
    1
    """
    count = needs.n - given
    if count == 0 or count * (needs.n + needs.edges) > MOST_TERMS or search.out_of_time:
        return None
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    # among[i - given][t]: generated token i is among the first t generated tokens
    among = [[model.new_bool_var("") for _ in range(count + 1)] for _ in range(count)]
    width = model.new_int_var(*bounds, "width")
    for row in among:
        model.add(row[0] == 0)
        model.add(row[count] == 1)
        for t in range(count):
            model.add_implication(row[t], row[t + 1])
    for t in range(count + 1):
        model.add(sum(row[t] for row in among) == t)
    users: list[list[int]] = [[] for _ in range(needs.n)]
    for token, key in zip(needs.queries.tolist(), needs.indices.tolist(), strict=True):
        users[key].append(token - given)
        if key >= given:
            for t in range(count):
                model.add_implication(among[token - given][t + 1], among[key - given][t])
    for t in range(count + 1):
        live = []
        for key, needing in enumerate(users):
            if needing:
                held = model.new_bool_var("")
                present = [] if key < given else [~among[key - given][t]]
                for user in needing:
                    model.add_bool_or([held, among[user][t], *present])
                live.append(held)
        model.add(sum(live) <= width)
    for place, token in enumerate(known[given:]):
        for t in range(count + 1):
            model.add_hint(among[token - given][t], t > place)
    model.minimize(width)
    solver = solve(model, search)
    if solver is None:
        return None
    lengths = [sum(map(solver.value, row)) for row in among]  # for how many t it is among them
    order = given + np.argsort(np.negative(lengths), kind="stable")
    return Claim([*range(given), *order.tolist()], round(solver.best_objective_bound))
