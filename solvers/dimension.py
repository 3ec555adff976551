"""The least dimension of a pattern: bounds from both sides, until they meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import RLock

from numpy.typing import ArrayLike

from samapprox.pattern import Pattern, as_pattern
from samapprox.problem import Problem
from samapprox.proofs.base import proves_yes
from samapprox.solvers.decision import Decision
from samapprox.solvers.embeddings.lbfgs import one_blas_thread
from samapprox.solvers.portfolio import FOR_NO, FOR_YES, choose
from samapprox.solvers.search import Search
from samapprox.verdict import Attempt, Interrupted, Status, Verdict
from samapprox.weak_dimension import WeakDimension

__all__ = ["Bounds", "weak_dimension"]

Bounds = Callable[[WeakDimension, str], None]
"""Told what is proven so far, and what is being tried."""

_FAR = 60  # dimensions from the end of an interval, beyond which all are as far; 2^1024 is no float


def weak_dimension(
    entries: ArrayLike | Pattern,
    *,
    causal: bool = False,
    time_limit: float = 60.0,
    seed: int = 0,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    progress: Bounds | None = None,
) -> WeakDimension:
    """The least query/key dimension that shows a pattern: exact, or a proven interval.

    Parameters
    ----------
    entries : Pattern, array_like or scipy sparse matrix, shape (m, n)
        Rows are queries, columns are keys.
    causal : bool
        Only entries on and below the diagonal count.
    time_limit : float
        Seconds after which the bounds are returned as they are.
    seed : int
        Same seed, same random choices.
    only, without : sequence of str
        Strategies of `samapprox.solvers.portfolio.METHODS` to use alone, or to leave out.
    progress : callable, optional
        Called with what is proven so far and what is tried next.

    Returns
    -------
    WeakDimension
        With certificates for both bounds.

    Raises
    ------
    InputError
        The pattern or an option is unusable.
    Interrupted
        Ctrl-C; a KeyboardInterrupt that holds the bounds so far.

    Notes
    -----
    Dimensions are tried upwards, each for a short time, until one shows the pattern. From then on
    two threads work, one on embeddings, preferably in the greatest open dimension, one on
    refutations, preferably of the least; on each side the next turn goes to whoever needs the
    shortest one, and what one side settles the other leaves at once.

    Examples
    --------
    >>> import numpy as np
    >>> weak_dimension(np.eye(6)).upper
    2
    """
    pattern = as_pattern(entries, causal=causal)
    search = Search.within(time_limit, seed)
    interval = _Interval(pattern, search, choose(only, without), progress or _silent)
    try:
        interval.close()
    except KeyboardInterrupt:
        raise Interrupted(interval.result()) from None
    return interval.result()


def _silent(_so_far: WeakDimension, _what: str) -> None:
    """No progress is shown."""


class _Interval:
    """Bounds, and the decisions of all dimensions between them."""

    def __init__(
        self, pattern: Pattern, search: Search, names: Sequence[str], progress: Bounds
    ) -> None:
        self._pattern = pattern
        self._search = search
        self._sides = [[name for name in names if name in side] for side in (FOR_YES, FOR_NO)]
        self._progress = progress
        self._lock = RLock()
        self._decisions: dict[int, tuple[Decision, Decision]] = {}
        self._searches: dict[int, Search] = {}
        self._yes: Verdict | None = None
        self._no: Verdict | None = None

    @property
    def open(self) -> range:
        """Dimensions that are not decided, as long as there is time."""
        found = self.result()
        return range(0) if self._search.out_of_time else range(found.lower, found.upper)

    def result(self) -> WeakDimension:
        """The bounds with their proofs."""
        with self._lock:
            return WeakDimension(self._pattern, self._yes, self._no, tuple(self._trail()))

    def _trail(self) -> Iterator[tuple[int, Attempt]]:
        for d in sorted(self._decisions):
            for decision in self._decisions[d]:
                yield from ((d, attempt) for attempt in decision.trail)

    def close(self) -> None:
        """Improve the bounds until they meet, time is up, or nothing is left to try."""
        self._sweep()
        if not self.open:
            return
        # Threads that set and restore the number of BLAS threads would confuse each other.
        with one_blas_thread(), ThreadPoolExecutor(len(self._sides)) as pool:
            try:
                sides = [pool.submit(self._work, side) for side in range(len(self._sides))]
                for ended in as_completed(sides):
                    ended.result()
            finally:
                self._end()

    def _end(self) -> None:
        """No time is left for anybody: whoever still works is waited for."""
        with self._lock:
            for search in (self._search, *self._searches.values()):
                search.stop()

    def _sweep(self) -> None:
        """Dimensions upwards, each for as long as a first turn takes, until one is shown."""
        d = 1
        while self._yes is None and d in self.open:
            for decision in self._of(d):
                while not decision.over and decision.turns < 1 and d in self.open:
                    self._turn(d, decision)
            d += 1

    def _work(self, side: int) -> None:
        """Turns of one side, as long as there are any."""
        while (next_one := self._next(side)) is not None:
            self._turn(*next_one)

    def _next(self, side: int) -> tuple[int, Decision] | None:
        """Whose turn is the shortest, those at the far end of the interval counting double."""
        waiting = []
        with self._lock:  # what is begun after the end would have all the time
            dimensions = self.open
            for d in dimensions:
                decision = self._of(d)[side]
                far = (dimensions[-1] - d, d - dimensions[0])[side]
                if not decision.over:
                    seconds = decision.next_seconds * 2.0 ** min(far, _FAR)
                    waiting.append((seconds, d, decision))
        return min(waiting, key=lambda one: one[0])[1:] if waiting else None

    def _of(self, d: int) -> tuple[Decision, Decision]:
        """The decisions for and against a dimension; they tell each other where it hurts."""
        with self._lock:
            if d not in self._decisions:
                problem = Problem(self._pattern, d)
                search = self._searches[d] = self._search.fresh()
                for_yes, for_no = (Decision(problem, names, search) for names in self._sides)
                self._decisions[d] = for_yes, for_no
            return self._decisions[d]

    def _turn(self, d: int, decision: Decision) -> None:
        with self._lock:
            self._progress(self.result(), f"d = {d}: {decision.next_name}")
        decision.turn()
        proof = decision.proof
        if proof is not None:
            least = proof.dimension if proves_yes(proof) else max(d, proof.dimension)
            self._settle(Verdict(Problem(self._pattern, least), proof))

    def _settle(self, verdict: Verdict) -> None:
        """Take a proof for a bound, unless there is a better one, and end what it makes idle."""
        with self._lock:
            found = self.result()
            if verdict.status is Status.YES and (found.yes is None or verdict.upper < found.upper):
                self._yes = verdict
            if verdict.status is Status.NO and verdict.lower > found.lower:
                self._no = verdict
            found = self.result()
            for d, search in self._searches.items():
                if not found.lower <= d < found.upper:
                    search.stop()
