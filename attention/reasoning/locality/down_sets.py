"""An exhaustive search for the order of least live width, by the sets of tokens that come first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from samapprox.attention.graphs.graph import AttentionGraph

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
