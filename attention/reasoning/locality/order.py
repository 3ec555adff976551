"""The order of a computation that holds the fewest values at once.

The search is over down-sets: the sets of tokens that can be computed first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.reasoning.locality.dependencies import live_width, require_needs
from samapprox.errors import CertificateError
from samapprox.support.cp_sat import Limits, solve
from samapprox.support.limits import deadline_in, search_clock
from samapprox.support.parameters import require

MOST_SETS = 400_000
"""Down-sets that a search keeps: some 300 bytes each, and the bits of their tokens."""

_MOST_BITS = 1 << 29


class _OutOfTime(Exception):
    """A search was asked to end."""


def bits(number: int) -> Iterator[int]:
    """Yield the places of the ones of a number, lowest first."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def _rows_as_bits(graph: AttentionGraph) -> list[int]:
    """Return the keys of every query as the ones of a number."""
    rows = []
    row = np.zeros(graph.n, dtype=np.bool_)
    for query in range(graph.n):
        keys = graph.keys(query)
        row[keys] = True
        rows.append(int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little"))
        row[keys] = False
    return rows


@dataclass(frozen=True, slots=True)
class _State:
    """A down-set without free moves: tokens as bits, what may come next, and its live width."""

    done: int
    ready: int
    width: int


@dataclass(slots=True)
class DownSetSearch:
    """A search for an order of least live width, which raises a lower bound until it finds one.

    The live width after a down-set S of tokens does not depend on their order: it is the number of
    tokens in S that a token outside S needs. The least live width of an order is therefore the
    least w such that steps of one token lead from the given tokens to all, through down-sets of
    width at most w.

    A token is *free* after S if the width does not grow with it. Some best order of the rest begins
    with it: the token adds at most itself and removes the tokens that only it still needs, of which
    there are no fewer after any other tokens; so in any order it may be moved to the front without
    a greater width anywhere. The search branches only where no token is free, and then every token
    that may come next adds 1. The free tokens may be taken in any order, with the same end.

    At most 2^(n - given) down-sets, each in O(n) operations on n bits; one for a total order.

    >>> needs = AttentionGraph.from_csr([0, 0, 0, 2, 3], [0, 1, 2])
    >>> search = DownSetSearch(needs, 2, lambda: False)
    >>> search.run(), search.lower
    ([0, 1, 2, 3], 2)
    """

    needs: AttentionGraph  # Checked by `require_needs`
    given: int  # The first tokens, which every order begins with
    out_of_time: Callable[[], bool]  # Asked after every few steps
    # Proven: every order has at least this live width. It rises when the search has exhausted all
    # down-sets that narrower orders visit.
    lower: int = 0
    sets: int = 0  # Number of down-sets visited
    _keys: list[list[int]] = field(init=False)
    _keys_as_bits: list[int] = field(init=False)
    _users: list[int] = field(init=False)
    _came: dict[int, tuple[_State, int] | None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._keys = [self.needs.keys(token).tolist() for token in range(self.needs.n)]
        self._keys_as_bits = _rows_as_bits(self.needs)
        self._users = _rows_as_bits(self.needs.reverse())

    def run(self) -> list[int] | None:
        """Return a best order, whose live width is `lower`; None if a limit was exceeded."""
        try:
            return self._run()
        except _OutOfTime:
            return None

    def _run(self) -> list[int] | None:
        everything = (1 << self.needs.n) - 1
        start = self._start()
        self.lower = start.width
        start = self._with_free_tokens(start, [])
        now, later = [start], list[_State]()
        self._came = {start.done: None}
        most = min(MOST_SETS, _MOST_BITS // self.needs.n)
        while start.done != everything:
            if not now:
                now, later = later, []
                self.lower += 1
            state = now.pop()
            if state.width + 1 > self.lower:
                later.append(state)
                continue
            self.sets += 1
            if len(self._came) > most:
                return None
            for token in bits(state.ready):
                following, _ = self._move(state, token)
                if following.done not in self._came:
                    self._came[following.done] = state, token
                    now.append(following)
                if following.done == everything:
                    return self._order_to(following)
        return self._order_to(start)

    def descend(self) -> list[int] | None:
        """Return the order of a greedy search: the next token makes most others free.

        None if time was up.
        """
        order = list(range(self.given))
        try:
            state = self._with_free_tokens(self._start(), order)
            while state.ready:
                moves = [self._move(state, token) for token in bits(state.ready)]
                state, chunk = min(moves, key=lambda move: (move[0].width, -len(move[1])))
                order += chunk
        except _OutOfTime:
            return None
        return order

    def _start(self) -> _State:
        """Return the down-set of the given tokens."""
        done = (1 << self.given) - 1
        ready = sum(
            1 << token
            for token in range(self.given, self.needs.n)
            if self._keys_as_bits[token] & ~done == 0
        )
        return _State(done, ready, sum(bool(users) for users in self._users[: self.given]))

    def _growth(self, state: _State, token: int) -> int:
        """Return how much the width grows with a token that may come next."""
        left, alone = ~state.done, 1 << token
        ended = sum(self._users[key] & left == alone for key in self._keys[token])
        return bool(self._users[token]) - ended

    def _with(self, state: _State, token: int) -> _State:
        """Return the down-set with one more token."""
        done = state.done | 1 << token
        ready = state.ready & ~(1 << token)
        for user in bits(self._users[token]):
            if self._keys_as_bits[user] & ~done == 0:
                ready |= 1 << user
        return _State(done, ready, state.width + self._growth(state, token))

    def _move(self, state: _State, token: int) -> tuple[_State, list[int]]:
        """Return the down-set with a token and all that are then free, and the tokens added."""
        taken = [token]
        return self._with_free_tokens(self._with(state, token), taken), taken

    def _with_free_tokens(self, state: _State, taken: list[int]) -> _State:
        """Add free tokens as long as there are any; append them to `taken`."""
        while True:
            if self.out_of_time():
                raise _OutOfTime
            for token in bits(state.ready):
                if self._growth(state, token) <= 0:
                    state = self._with(state, token)
                    taken.append(token)
                    break
            else:
                return state

    def _order_to(self, state: _State) -> list[int]:
        """Return the order that led to a down-set."""
        chunks: list[list[int]] = []
        done = state.done
        while (came := self._came[done]) is not None:
            before, token = came
            chunks.append(self._move(before, token)[1])
            done = before.done
        self._with_free_tokens(self._start(), order := list(range(self.given)))
        return [*order, *chain.from_iterable(reversed(chunks))]


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
