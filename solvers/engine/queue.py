"""The queue of turns: which leaf and which dimension is tried next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import islice
from math import isqrt
from threading import RLock

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.results import Status
from samapprox.solvers.engine.bounds import Bounds, Leaves
from samapprox.solvers.engine.portfolio import StrategyRecord
from samapprox.solvers.engine.search import Factors, Search
from samapprox.solvers.engine.turns import Turns
from samapprox.support.progress import OnProgress

SIDES = (Status.YES, Status.NO)
"""The side that lowers the upper bound, and the one that raises the lower bound."""

_AT_ONCE = 8
"""Leaves for which a decision takes turns at a time; more of them would split the time too far."""

_NEAR = 8
"""Dimensions at the preferred end of an interval whose turns compete."""

_LOOKED_AT = 64
"""Dimensions at that end that are looked through for turns, as many may have none left."""

_HARDEST = 8
"""Leaves that are refuted: a refutation of one suffices, and the hardest are the likeliest."""

_FARTHEST = 8
"""Factor from the last dimension without success to the next one, since large ones are slow."""

_HARDER = 4.0
"""Factor by which a turn against one more dimension counts for more: turns there take several times
as long, and refute least of all what nothing refutes in the dimension below."""

_LEAST_COST = 0.002
"""Seconds that a turn counts for at least, so that quick calls in far dimensions wait."""

Accept = Callable[[int, int, Proof], bool | str]
"""Takes a leaf, a dimension and a proof: whether it settles the dimension, or why it is refused."""


class Queue:
    """The turns of strategies on the leaves of a pattern, in all dimensions.

    With `d`, the turns of `focus` come first, and the others improve the bounds on both sides of d.

    Parameters
    ----------
    leaves : Leaves
        The leaves of the pattern with their best embeddings.
    bounds : Bounds
        The bounds of the whole pattern.
    strategies : sequence of StrategyRecord
        Those that take leaves.
    search : Search
        The limits of all turns together.
    accept : callable
        See `Accept`.
    least : int
        The least dimension in which leaves are tried: 2 where the pattern is divided.
    d : int, optional
        The dimension asked about.
    progress : callable, optional
        For the turns of `focus`.
    """

    def __init__(
        self,
        leaves: Leaves,
        bounds: Bounds,
        strategies: Sequence[StrategyRecord],
        search: Search,
        accept: Accept,
        least: int,
        d: int | None = None,
        progress: OnProgress | None = None,
    ) -> None:
        self._leaves = leaves
        self._bounds = bounds
        self._search = search
        self._accept = accept
        self._least = least
        self._d = d
        self._progress = progress
        self._strategies = strategies
        self._for_bounds = [record for record in strategies if record.bounds]
        self._of_sides = {
            side: [one for one in strategies if one.side is side and not one.bounds]
            for side in SIDES
        }
        self.least_dot = 1
        """The least dimension that dot products may need, if all that refutes less is transferred;
        to be set before turns are taken."""
        self._lock = RLock()
        self._focus: dict[int, Turns] = {}
        self._waiting = iter(range(len(leaves.division.leaves)))
        self._turns: dict[tuple[int, int], dict[Status, Turns]] = {}
        self._searches: dict[tuple[int, int], Search] = {}
        self._bounding: dict[int, Turns] = {}
        self._calls: dict[tuple[int, str], float] = {}
        self._probes: dict[int, _Probe] = {}
        self._factors: dict[int, Factors] = {}

    @property
    def least(self) -> int:
        """The least dimension that leaves may have."""
        return max(self._least, self._bounds.lower)

    # ---------------------------------------------------------------- one dimension

    def focus(self) -> list[Turns]:
        """Return the turns of the hardest leaves that are not decided for d; none if all are."""
        d = self._d
        assert d is not None
        for leaf in [leaf for leaf in self._focus if self._leaves.has_embedding(leaf, d)]:
            del self._focus[leaf]
        undecided = (leaf for leaf in self._waiting if not self._leaves.has_embedding(leaf, d))
        for leaf in islice(undecided, _AT_ONCE - len(self._focus)):
            search = self._search.apart(self._factors.setdefault(leaf, {}))
            self._focus[leaf] = self._make(leaf, d, self._strategies, search, self._progress)
        return list(self._focus.values())

    # ---------------------------------------------------------------- all dimensions

    @property
    def has_leaves(self) -> bool:
        """Whether there are any; two dimensions represent a pattern without leaves."""
        return len(self._leaves.division.leaves) > 0

    def bounding(self) -> Turns:
        """Return the single calls that bound the leaf with the largest upper bound."""
        return self.bounding_of(int(self._leaves.uppers.argmax()))

    def refuting(self) -> Turns:
        """Return the turns against the least dimension of the hardest leaf."""
        return self._of(0, self.least)[Status.NO]

    def next(self, side: Status) -> tuple[float, Turns] | None:
        """Return the next turns on a side and what they cost, in seconds; None if none is left."""
        with self._lock:
            waiting = self._waiting_yes() if side is Status.YES else self._waiting_no()
            return min(waiting, key=lambda one: one[0], default=None)

    def take_call(self, turns: Turns, seconds: Callable[[], float]) -> None:
        """Take a turn, and note how long it takes if it is a single call.

        The call is expected to take as long in another dimension.
        """
        call = _call(turns) if turns.has_single_calls else None
        started = seconds()
        turns.take()
        if call is not None:
            self._calls[call] = seconds() - started

    def seconds(self, turns: Turns) -> float:
        """Return the expected seconds of the next turn."""
        return max(_LEAST_COST, turns.next_seconds or self._calls.get(_call(turns), 0.0))

    def _weigh(self, turns: Turns) -> float:
        """Return the seconds that the next turn counts for."""
        return turns.next_weight or self.seconds(turns)

    def stop_idle(self) -> None:
        """End the searches of dimensions that are settled."""
        with self._lock:
            uppers, least = self._leaves.uppers, self.least
            for key in [key for key in self._searches if not least <= key[1] < uppers[key[0]]]:
                self._searches.pop(key).stop()

    def stop(self) -> None:
        """End all searches."""
        with self._lock:
            for search in self._searches.values():
                search.stop()

    def _waiting_yes(self) -> Iterable[tuple[float, Turns]]:
        """Return turns that may lower the largest upper bound of a leaf, and their cost."""
        uppers = self._leaves.uppers
        if not len(uppers):
            return []
        leaf = int(uppers.argmax())
        upper, least = int(uppers[leaf]), self.least
        if self._d is not None:
            least = max(least, self._d + 1)
        elif not (bounding := self.bounding_of(leaf)).over:
            return [(0.0, bounding)]
        probe = self._probes.setdefault(leaf, _Probe())
        waiting = []
        for d in probe.dimensions(least, upper):
            turns = self._of(leaf, d)[Status.YES]
            if not turns.over and turns.taken <= probe.round:
                waiting.append((self.seconds(turns) * (upper - d).bit_length(), turns))
                break
            probe.failed = d
        if probe.round or not waiting:
            near = self._near(leaf, reversed(range(least, upper)), Status.YES)
            waiting += [(self.seconds(turns) * 2.0 ** (upper - 1 - d), turns) for d, turns in near]
        return waiting

    def _waiting_no(self) -> Iterable[tuple[float, Turns]]:
        """Yield turns that may refute a small dimension of a hard leaf, and their cost."""
        least, uppers = self.least, self._leaves.uppers
        if self._bounds.lower < self._least and self._d is None:
            on_line = self._against_line
            if not on_line.over:
                yield self._weigh(on_line), on_line
        for leaf in np.argsort(-uppers, kind="stable")[:_HARDEST].tolist():
            upper = int(uppers[leaf]) if self._d is None else min(self._d, int(uppers[leaf]))
            for d, turns in self._near(leaf, iter(range(least, upper)), Status.NO):
                yield self._weigh(turns) * _HARDER ** (d - least), turns

    @cached_property
    def _against_line(self) -> Turns:
        """Turns against d = 1, for which the pattern is merged and not divided."""
        from samapprox.solvers.division.base import merge

        merged = Leaves(merge(self._bounds.pattern), self._bounds)

        def accept(proof: Proof) -> bool | str:
            taken = merged.take(0, proof)
            self.stop_idle()
            return taken

        problem, trail = Problem(merged.division.leaves[0], 1), self._bounds.trail(1)
        return Turns(problem, self._of_sides[Status.NO], self._search.apart(), accept, trail)

    def _near(
        self, leaf: int, dimensions: Iterator[int], side: Status
    ) -> Iterator[tuple[int, Turns]]:
        """Return the first of these dimensions in which there is something left to try."""
        looked_at = ((d, self._of(leaf, d)[side]) for d in islice(dimensions, _LOOKED_AT))
        return islice(((d, turns) for d, turns in looked_at if not turns.over), _NEAR)

    def _of(self, leaf: int, d: int) -> dict[Status, Turns]:
        """Return the turns for and against a dimension; they share the violated entries."""
        with self._lock:
            if (leaf, d) not in self._turns:
                search = self._search.fresh(self._factors.setdefault(leaf, {}))
                self._searches[leaf, d] = search
                self._turns[leaf, d] = {
                    side: self._make(leaf, d, list(self._useful(side, d)), search) for side in SIDES
                }
            return self._turns[leaf, d]

    def _useful(self, side: Status, d: int) -> Iterator[StrategyRecord]:
        """Yield the strategies of a side whose question in d dimensions is still open."""
        is_refuted = d - self._bounds.similarity.above < self.least_dot
        return (one for one in self._of_sides[side] if not (one.asks_dot and is_refuted))

    def bounding_of(self, leaf: int) -> Turns:
        """Return single calls that give the best upper bound for any dimension."""
        with self._lock:
            if leaf not in self._bounding:
                search = self._search.apart()
                self._bounding[leaf] = self._make(leaf, self.least, self._for_bounds, search)
            return self._bounding[leaf]

    def _make(
        self,
        leaf: int,
        d: int,
        strategies: Sequence[StrategyRecord],
        search: Search,
        progress: OnProgress | None = None,
    ) -> Turns:
        pattern = self._leaves.division.leaves[leaf]
        problem = Problem(pattern, d, similarity=self._bounds.similarity)
        accept = partial(self._accept, leaf, d)
        return Turns(problem, strategies, search, accept, self._bounds.trail(d), progress)


class _Probe:
    """The dimension of a leaf in which an embedding may be found quickly.

    Attributes
    ----------
    round : int
        In each round a dimension gets one turn more, and so a longer one.
    failed : int
        The largest dimension that had its turn in this round, without success.
    """

    def __init__(self) -> None:
        self.round = 0
        self.failed = 0

    def dimensions(self, lower: int, upper: int) -> Iterator[int]:
        """Yield dimensions from lower to upper - 1, halfway in ratio or near the last failure.

        The caller notes those in vain in `failed`. When nothing is left, the next round begins.
        """
        for _ in range(2):
            while (bottom := max(self.failed, lower - 1)) < upper - 1:
                halfway = min(isqrt(bottom * upper), _FARTHEST * bottom)
                yield min(upper - 1, max(bottom + 1, halfway))
            self.round += 1
            self.failed = 0


def _call(turns: Turns) -> tuple[int, str]:
    """Return the pattern and the strategy of the next turn."""
    return id(turns.problem.pattern), turns.next_name
