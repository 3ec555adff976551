"""The order of a computation that holds the fewest values at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.reasoning.locality.dag import require_needs
from samapprox.attention.reasoning.locality.down_sets import DownSetSearch
from samapprox.attention.reasoning.locality.live_width import live_width
from samapprox.attention.reasoning.locality.order_model import can_improve, improve_order
from samapprox.errors import CertificateError
from samapprox.support.clock import search_clock
from samapprox.support.limits import deadline_in
from samapprox.support.parameters import require

__all__ = ["MOST_NEEDS", "MOST_TOKENS", "BestOrder", "best_order"]

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
    given : int
        The first tokens, which are the input.
    time_limit : float
        Seconds; where CP-SAT can be used, it has half of them.
    seed : int

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
