"""The order of a computation that holds the fewest values at once.

A search over down-sets proves bounds; where it takes too long, CP-SAT improves its order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.reasoning.locality.dependencies import live_width, require_needs
from samapprox.attention.reasoning.locality.down_sets import DownSetSearch
from samapprox.errors import CertificateError
from samapprox.support.cp_sat import Limits, solve
from samapprox.support.limits import deadline_in, search_clock
from samapprox.support.parameters import require

MOST_GENERATED = 300
"""Generated tokens of a model; the presolve of larger ones takes minutes."""

_LEAST_SECONDS = 2.0
"""Loading OR-Tools takes about a second, so with less time left it is not worth while."""


@dataclass(frozen=True, slots=True)
class Claim:
    """An order found by CP-SAT, and the lower bound that CP-SAT claims without a proof."""

    order: list[int]
    lower: int


def can_improve(needs: AttentionGraph, given: int, seconds: float) -> bool:
    """Return whether CP-SAT is worth while: for few enough tokens, and with enough time."""
    return 1 <= needs.n - given <= MOST_GENERATED and seconds >= _LEAST_SECONDS


def improve_order(
    needs: AttentionGraph, given: int, known: list[int], bounds: tuple[int, int], search: Limits
) -> Claim | None:
    """Let CP-SAT look for an order of less live width.

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


MOST_TOKENS = 5_000
MOST_NEEDS = 1_200_000
"""Limits for `best_order`, so that time limits hold: sets of tokens are numbers of so many bits."""

_TIDYING = 0.5
"""Seconds of the time limit that are reserved for measuring the order."""
_SHARE_OF_TIDYING = 0.05
"""That reserve is at most this share of the time limit."""


@dataclass(frozen=True, slots=True)
class _Limits:
    """The end of a search for orders, and its seed."""

    deadline: float
    seed: int

    @property
    def remaining(self) -> float:
        """Seconds left."""
        return self.deadline - search_clock.now()


@dataclass(frozen=True, slots=True, eq=False)
class BestOrder:
    """An order of small live width, and lower bounds for all orders.

    Attributes
    ----------
    order : ndarray of int64, shape (n,)
        The given tokens first, and each token after those that it needs.
    width : int
        Its live width, by `live_width`.
    lower : int
        No order has a smaller live width: all down-sets that such an order visits were exhausted.
    claimed : int
        The lower bound that CP-SAT claims, at least `lower`. It comes without a proof.
    sets : int
        Number of down-sets visited.
    """

    order: NDArray[np.int64]
    width: int
    lower: int
    claimed: int
    sets: int

    @property
    def optimal(self) -> bool:
        """Whether no order is better, be it proven or claimed by CP-SAT."""
        return self.width == self.claimed


def best_order(
    needs: AttentionGraph, given: int = 0, *, time_limit: float = 60.0, seed: int = 0
) -> BestOrder:
    """Find an order of least live width among those that begin with the given tokens.

    A search over down-sets comes first, after a greedy one. It is exact, and ends within seconds
    for up to 20 generated tokens, or if few orders are possible. Where it exceeds its limits,
    CP-SAT continues with its bounds.

    Parameters
    ----------
    needs : AttentionGraph
        An edge (i, j) means that token i is computed from token j.
    given : int
        The first tokens, which are the input.
    time_limit : float
        Seconds; where CP-SAT can be used, it has half of them.
    seed : int
        Seed of CP-SAT; same seed, same order.

    Returns
    -------
    BestOrder
        `live_width` has confirmed the order.

    Raises
    ------
    InputError
        See `require_needs`; more tokens or needs than the limits, or no time limit.
    CertificateError
        The order contradicts a lower bound: a bug in this package or in CP-SAT.

    Notes
    -----
    Finding the least live width is NP-hard: if the tokens are the vertices of a graph, and then its
    edges, which need their two ends, then it is 1 + the pathwidth of the graph. Cost: see
    `DownSetSearch` and `improve_order`.

    Examples
    --------
    >>> needs = AttentionGraph.from_csr([0, 0, 0, 0, 1, 2, 3], [0, 1, 2])
    >>> found = best_order(needs)
    >>> found.width, found.lower, live_width(needs).greatest
    (1, 1, 3)
    """
    require_needs(needs, given)
    require(
        needs.n <= MOST_TOKENS and needs.edges <= MOST_NEEDS,
        f"orders are sought for at most {MOST_TOKENS} tokens with {MOST_NEEDS} needs, "
        f"not {needs.n} with {needs.edges}",
    )
    reserved = min(_TIDYING, _SHARE_OF_TIDYING * time_limit)
    limits = _Limits(deadline_in(time_limit) - reserved, seed)
    exact = DownSetSearch(needs, given, lambda: limits.remaining <= 0)
    greedy = exact.descend()
    known = [order for order in (list(range(needs.n)), greedy) if order is not None]
    best = min(known, key=lambda order: live_width(needs, order).greatest)
    width = live_width(needs, best).greatest
    half = limits.remaining / 2
    if can_improve(needs, given, half):
        exact.out_of_time = lambda: limits.remaining <= half
    found = exact.run()
    if found is not None:
        return _confirm(needs, given, found, exact, exact.lower)
    claim = improve_order(needs, given, best, (exact.lower, width), limits)
    if claim is None:
        return _confirm(needs, given, best, exact, exact.lower)
    return _confirm(needs, given, claim.order, exact, max(exact.lower, claim.lower))


def _confirm(
    needs: AttentionGraph, given: int, order: list[int], search: DownSetSearch, claimed: int
) -> BestOrder:
    """Measure an order by itself, and require that it contradicts no bound."""
    width = live_width(needs, order).greatest
    if width < claimed or order[:given] != list(range(given)):
        raise CertificateError(f"an order of live width {width} contradicts the bound {claimed}")
    return BestOrder(np.array(order, dtype=np.int64), width, search.lower, claimed, search.sets)
