"""Bounds on the least dimension, and the choice of the next leaf and dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import islice
from math import isqrt
from threading import RLock

import numpy as np

from samapprox.errors import CertificateError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Obstruction, Proof, proves_yes
from samapprox.results.dimension import WeakDimension
from samapprox.results.verdict import Attempt, Status, Verdict
from samapprox.solvers.engine.decision import Decision
from samapprox.solvers.engine.evidence import Evidence, embed_in_any_order
from samapprox.solvers.engine.portfolio import StrategyRecord
from samapprox.solvers.engine.search import Factors, Search
from samapprox.solvers.engine.turns import Turns, describe_fault
from samapprox.support.clock import search_clock

__all__ = ["SIDES", "Bounds", "Interval"]

Bounds = Callable[[WeakDimension, str], None]
"""Takes the bounds proven so far, and a few words on what is tried next."""

SIDES = (Status.YES, Status.NO)
"""The side that lowers the upper bound, and the one that raises the lower bound."""

_NEAR = 8  # dimensions at the preferred end of an interval that may be tried
_LOOKED_AT = 64  # dimensions there in which nothing may be left to try
_HARDEST = 8  # leaves that may be refuted
_FARTHEST = 8  # times the last dimension without success, for the next one
_LEAST_COST = 0.002  # seconds that a single call counts for
_SHARE_OF_BOUNDS = 0.2  # of the time, for leaves that are bounded one after the other
_SMALL_LEAF = 2_000  # entries up to which both sides would mostly wait for the interpreter lock
_ON_LINE = 1.0  # seconds for d = 1, where the line test does not apply
_SHARE_ON_LINE = 0.1  # of the time


class Interval:
    """Bounds on the least dimension, the leaves they rest on, and the turns of all dimensions.

    Parameters
    ----------
    pattern : Pattern
    search : Search
        The limits of the whole.
    strategies : sequence of StrategyRecord
    progress : callable, optional
        See `Bounds`.

    Notes
    -----
    `next` and `take` may be called by one thread a side.

    Examples
    --------
    >>> from samapprox.solvers.engine.portfolio import choose
    >>> interval = Interval(Pattern(np.eye(3)), Search(), choose(["line", "rank"]))
    >>> interval.begin()
    >>> interval.closed, interval.result()
    (True, <WeakDimension: weak dimension = 2 for this 3 x 3 pattern>)
    """

    def __init__(
        self,
        pattern: Pattern,
        search: Search,
        strategies: Sequence[StrategyRecord],
        progress: Bounds | None = None,
    ) -> None:
        self._pattern = pattern
        self._search = search
        self._strategies = strategies
        self._for_leaves = [record for record in strategies if record.simplified]
        self._for_bounds = [record for record in self._for_leaves if record.bounds]
        self._of_sides = {
            side: [one for one in self._for_leaves if one.side is side and not one.bounds]
            for side in SIDES
        }
        self._progress = progress
        self._lock = RLock()
        self._evidence: Evidence | None = None
        self._line: Verdict | None = None
        self._found: list[Verdict] = []  # about the whole pattern
        self._trails: dict[int, dict[str, Attempt]] = {}
        self._turns: dict[tuple[int, int], dict[Status, Turns]] = {}
        self._searches: dict[tuple[int, int], Search] = {}
        self._bounds: dict[int, Turns] = {}
        self._calls: dict[tuple[int, str], float] = {}
        self._probes: dict[int, _Probe] = {}
        self._factors: dict[int, Factors] = {}

    # ---------------------------------------------------------------- what is known

    @property
    def lower(self) -> int:
        """A proven lower bound: no smaller dimension represents the pattern."""
        return 1 if self._evidence is None else self._evidence.lower

    @property
    def _least(self) -> int:
        """The least dimension in which leaves are tried: they need two."""
        return max(2, self.lower)

    @property
    def closed(self) -> bool:
        """Whether the bounds meet, as far as leaves tell, or time is up."""
        if self._evidence is None:
            return self._line is not None and self._line.status is Status.YES
        return self._search.out_of_time or self._evidence.upper <= self._least

    @property
    def suits_threads(self) -> bool:
        """Whether both sides can work at the same time; with many small leaves they cannot."""
        leaves = self._known.division.leaves
        return len(leaves) <= _HARDEST or leaves[0].shape[0] * leaves[0].shape[1] > _SMALL_LEAF

    def result(self) -> WeakDimension:
        """Return the bounds with their proofs."""
        yes, no = self._verdicts(final=True)
        has_orders = any(record.name == "orders" for record in self._for_bounds)
        if has_orders and self._search.out_of_time:
            yes = embed_in_any_order(self._pattern, yes)
        return WeakDimension(self._pattern, yes, no, tuple(self._trail()))

    def _verdicts(self, *, final: bool) -> tuple[Verdict | None, Verdict | None]:
        """Return YES and NO so far; leaves are glued at the end, and before where it is quick."""
        if self._evidence is None:
            verdict = self._line
            if verdict is None or verdict.status is Status.UNKNOWN:
                return None, None
            return (verdict, None) if verdict.status is Status.YES else (None, verdict)
        try:
            yes = self._evidence.yes() if final else self._evidence.yes_in_passing()
        except CertificateError as error:
            yes = None
            attempt = Attempt("division", 0.0, describe_fault(error))
            self._trails.setdefault(self._evidence.upper, {})["division"] = attempt
        return yes, self._evidence.no

    def _trail(self) -> Iterator[tuple[int, Attempt]]:
        for d in sorted(self._trails):
            yield from ((d, attempt) for attempt in tuple(self._trails[d].values()))

    # ---------------------------------------------------------------- begin and end

    def begin(self) -> None:
        """Decide d = 1 where that is quick, divide the pattern, and bound its hardest leaf."""
        on_whole = [record for record in self._strategies if not record.simplified]
        self._decide_line(on_whole, self._search)
        if self._line is not None and self._line.status is Status.YES:
            return
        from samapprox.solvers.division.division import divide_large  # not for the line

        self._evidence = Evidence(self._pattern, divide_large(self._pattern))
        for verdict in self._found:
            self._evidence.take_verdict(verdict)
        self._bound_leaves()
        if self.lower == 1:
            seconds = min(_ON_LINE, _SHARE_ON_LINE * self._search.remaining)
            self._decide_line(self._for_leaves, self._search.slice(seconds, 0))

    def end(self) -> None:
        """Decide d = 1 after all, where nothing else is open."""
        if self._evidence is None or self._search.out_of_time:
            return
        if self.lower == 1 and self._evidence.upper == 2:
            self._decide_line(self._for_leaves, self._search)

    def stop(self) -> None:
        """End the time of all searches: the threads then come to their end."""
        with self._lock:
            for search in (self._search, *self._searches.values()):
                search.stop()

    def _decide_line(self, strategies: Sequence[StrategyRecord], search: Search) -> None:
        """Decide d = 1 on the whole pattern; other dimensions may come up."""
        if not strategies:
            return
        decision = Decision(Problem(self._pattern, 1), strategies, search)
        while not decision.over:
            decision.turn()
        self._line = decision.verdict
        self._trails.setdefault(1, {}).update({step.strategy: step for step in decision.trail})
        found = (self._line if decision.settled else None, decision.above)
        self._found += [verdict for verdict in found if verdict is not None]
        if self._evidence is not None:
            for verdict in self._found:
                self._evidence.take_verdict(verdict)

    def _bound_leaves(self) -> None:
        """Bound the leaves before there are threads, until the largest bound is known for good."""
        if not self._known.division.leaves:
            return
        quick = self._search.slice(_SHARE_OF_BOUNDS * self._search.remaining, 0)
        self._bound(self._bounding(0))
        while not quick.out_of_time and not self.closed:
            bounding = self._bounding(int(self._known.uppers.argmax()))
            if bounding.over:
                break
            self._bound(bounding)
        self._bound(self._of(0, self._least)[Status.NO])

    def _bound(self, turns: Turns) -> None:
        """Take all single calls."""
        while turns.has_single_calls and not turns.over:
            self.take(turns)

    # ---------------------------------------------------------------- whose turn it is

    def next(self, side: Status) -> Turns | None:
        """Return the next turns on a side, of a leaf in a dimension; None if nothing is left."""
        with self._lock:  # what is begun after the end would have all the time
            if self.closed:
                return None
            waiting = self._waiting_yes() if side is Status.YES else self._waiting_no()
            chosen = min(waiting, key=lambda one: one[0], default=None)
        return None if chosen is None else chosen[1]

    def take(self, turns: Turns) -> None:
        """Let the next strategy of these turns try."""
        d = turns.problem.d
        if self._progress is not None:
            with self._lock:
                yes, no = self._verdicts(final=False)
                so_far = WeakDimension(self._pattern, yes, no, tuple(self._trail()))
                self._progress(so_far, f"d = {d}: {turns.next_name}")
        call = _call(turns) if turns.has_single_calls else None
        started = search_clock.now()
        turns.take()
        if call is not None:
            self._calls[call] = search_clock.now() - started

    def _waiting_yes(self) -> Iterable[tuple[float, Turns]]:
        """Yield turns that may lower the largest upper bound of a leaf, and their cost."""
        evidence = self._known
        leaf = int(evidence.uppers.argmax())
        upper = int(evidence.uppers[leaf])
        bounding = self._bounding(leaf)
        if not bounding.over:
            return [(0.0, bounding)]
        probe = self._probes.setdefault(leaf, _Probe())
        waiting = []
        for d in probe.dimensions(self._least, upper):
            turns = self._of(leaf, d)[Status.YES]
            if not turns.over and turns.taken <= probe.round:
                waiting.append((self._cost(turns, 0) * (upper - d).bit_length(), turns))
                break
            probe.failed = d
        if probe.round or not waiting:
            near = self._near(leaf, reversed(range(self._least, upper)), Status.YES)
            waiting += [(self._cost(turns, upper - 1 - d), turns) for d, turns in near]
        return waiting

    def _waiting_no(self) -> Iterable[tuple[float, Turns]]:
        """Yield turns that may refute a small dimension of a hard leaf, and their cost."""
        evidence, least = self._known, self._least
        if self.lower == 1:
            on_line = self._against_line
            if not on_line.over:
                yield self._cost(on_line, 0), on_line
        for leaf in np.argsort(-evidence.uppers, kind="stable")[:_HARDEST].tolist():
            upper = int(evidence.uppers[leaf])
            for d, turns in self._near(leaf, iter(range(least, upper)), Status.NO):
                yield self._cost(turns, d - least), turns

    @cached_property
    def _against_line(self) -> Turns:
        """Turns against d = 1, for which the pattern is merged and not divided."""
        from samapprox.solvers.division.division import merge

        merged = merge(self._pattern)

        def accept(proof: Proof) -> bool | str:
            lifted = merged.lift(0, proof) if isinstance(proof, Obstruction) else "no refutation"
            if isinstance(lifted, str):
                return lifted
            self._known.take_verdict(Verdict(Problem(self._pattern, lifted.dimension), lifted))
            self._stop_idle()
            return True

        problem, trail = Problem(merged.leaves[0], 1), self._trails.setdefault(1, {})
        return Turns(problem, self._of_sides[Status.NO], self._search.apart(), accept, trail)

    def _cost(self, turns: Turns, far: int) -> float:
        """Return the seconds of the next turn, doubled for each step from the preferred dimension.

        A single call is expected to take as long as in another dimension.
        """
        seconds = turns.next_seconds or self._calls.get(_call(turns), 0.0)
        return max(_LEAST_COST, seconds) * 2.0**far

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
                problem = Problem(self._known.division.leaves[leaf], d)
                search = self._searches[leaf, d] = self._search.fresh(
                    self._factors.setdefault(leaf, {})
                )
                trail = self._trails.setdefault(d, {})
                accept = partial(self._accept, leaf, d)
                self._turns[leaf, d] = {
                    side: Turns(problem, self._of_sides[side], search, accept, trail)
                    for side in SIDES
                }
            return self._turns[leaf, d]

    def _bounding(self, leaf: int) -> Turns:
        """Return single calls that give the best upper bound for any dimension."""
        with self._lock:
            if leaf not in self._bounds:
                d = self._least
                problem = Problem(self._known.division.leaves[leaf], d)
                accept = partial(self._accept, leaf, d)
                trail = self._trails.setdefault(d, {})
                search = self._search.apart()
                self._bounds[leaf] = Turns(problem, self._for_bounds, search, accept, trail)
            return self._bounds[leaf]

    # ---------------------------------------------------------------- what is found

    @property
    def _known(self) -> Evidence:
        assert self._evidence is not None
        return self._evidence

    def _accept(self, leaf: int, d: int, proof: Proof) -> bool | str:
        """Take a proof, and end what it makes idle; whether it settles the dimension d."""
        taken = self._known.take(leaf, proof)
        if isinstance(taken, str):
            return taken
        if taken:
            self._stop_idle()
        return proof.dimension <= d if proves_yes(proof) else proof.dimension >= d

    def _stop_idle(self) -> None:
        """End the searches of dimensions that are settled."""
        with self._lock:
            uppers, least = self._known.uppers, self._least
            for key in [key for key in self._searches if not least <= key[1] < uppers[key[0]]]:
                self._searches.pop(key).stop()


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
