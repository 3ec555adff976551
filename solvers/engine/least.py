"""The engine for the least dimension: one side embeds, the other refutes, until they meet."""

from __future__ import annotations

from collections.abc import Sequence

from samapprox.problem import Problem
from samapprox.results import Status
from samapprox.results.verdict import Attempt
from samapprox.solvers.engine.bounds import Bounds
from samapprox.solvers.engine.decision import decide_within
from samapprox.solvers.engine.engine import Engine
from samapprox.solvers.engine.portfolio import StrategyRecord, choose
from samapprox.solvers.engine.search import Search
from samapprox.solvers.engine.turns import Turns
from samapprox.support.limits import search_clock
from samapprox.support.progress import OnProgress, Progress

_SHARE_OF_FIRST_BOUNDS = 0.2
"""The share of the time in which leaves are bounded one after the other, before there are turns."""

_SHARE_OF_DOT = 0.5
"""The share of the time for the least dimension with dot products, which determines the others."""

_LEAST_DOT = 0.1
"""Seconds for the least dimension with dot products at least."""

_SMALL_LEAF = 2_000
"""Entries up to which both sides would mostly wait for the interpreter lock."""

_MANY_LEAVES = 8
"""Number of such leaves up to which two threads are faster nevertheless."""

_SLOW_TO_DIVIDE = 20_000_000
"""Entries from which dividing a pattern takes long, so that it is left out once time is up."""

_ON_LINE, _SHARE_ON_LINE = 1.0, 0.1
"""Seconds, and the share of the time, for d = 1 of patterns that the line test does not cover."""


class LeastDimension(Engine):
    r"""The engine searches the least dimension: no side is worked on by two threads at once.

    Parameters
    ----------
    bounds : Bounds
        They may hold proofs already.
    strategies : sequence of StrategyRecord
        See `samapprox.solvers.engine.portfolio.choose`.
    search : Search
        The limits of all turns together.
    progress : callable, optional
        Called before each turn, with the bounds so far.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("1000\n1100\n0110\n1011")
    >>> engine = LeastDimension(Bounds(pattern), choose(["line", "rank"]), Search.within(9, 0))
    >>> engine.run()
    >>> engine.bounds.lower, engine.bounds.upper
    (2, 3)
    """

    def __init__(
        self,
        bounds: Bounds,
        strategies: Sequence[StrategyRecord],
        search: Search,
        progress: OnProgress | None = None,
    ) -> None:
        super().__init__(bounds, strategies, search, progress)
        self._inner: LeastDimension | None = None
        self._threads = 1

    # ---------------------------------------------------------------- the loop

    def run(self, threads: int = 1) -> None:
        """Take turns until the bounds meet, time is up, or nothing is left to try.

        One or two threads take their turns from the same queue.
        """
        self._threads = threads
        self._begin()
        if not self.over:
            from samapprox.solvers.engine.backends import one_blas_thread

            # Threads that set and restore the number of BLAS threads would confuse each other.
            with one_blas_thread():
                if threads == 2 and self._suits_threads:
                    self._work_in_threads(threads)
                else:
                    self._work()
        self._try_line_again()

    def stop(self) -> None:
        """End the time of all searches, from any thread: each thread then comes to its end."""
        with self._lock:
            super().stop()
            if self._inner is not None:
                self._inner.stop()

    @property
    def over(self) -> bool:
        """Whether the bounds meet, or time is up."""
        if self._leaves is None or self._queue is None:
            return self._is_too_late or self.bounds.lower >= self.bounds.upper
        return self._search.out_of_time or self._leaves.upper <= self._queue.least

    @property
    def _is_too_late(self) -> bool:
        """Whether time is up before a large pattern is divided, or would be up meanwhile."""
        pattern = self.bounds.pattern
        if not self.bounds.similarity.divides or pattern.size <= _SLOW_TO_DIVIDE:
            return False
        from samapprox.solvers.division.division import estimate_seconds  # few patterns are large

        return self._search.remaining <= estimate_seconds(pattern)

    def _work(self) -> None:
        while self.step():
            pass

    def _work_in_threads(self, threads: int) -> None:
        from concurrent.futures import ThreadPoolExecutor, as_completed

        with ThreadPoolExecutor(threads) as pool:
            try:
                for ended in as_completed([pool.submit(self._work) for _ in range(threads)]):
                    ended.result()
            finally:
                self.stop()

    @property
    def _suits_threads(self) -> bool:
        """Whether both sides can work at the same time; with many small leaves they cannot."""
        if self._leaves is None:
            return False
        leaves = self._leaves.division.leaves
        return len(leaves) <= _MANY_LEAVES or leaves[0].size > _SMALL_LEAF

    def _next(self) -> tuple[Status | None, Turns] | None:
        """Return the next turns of the side with the least time so far."""
        assert self._queue is not None
        for side in self._sides:
            if side not in self._running and (found := self._queue.next(side)) is not None:
                return side, found[1]
        return None

    def _show(self, _side: Status | None, turns: Turns, /, *, done: bool) -> None:
        """Report the bounds before a turn."""
        if self._progress is None or done:
            return
        with self._lock:
            self._try_to_glue(quick=True)
            what = f"d = {turns.problem.d}: {turns.next_name}"
            self._progress(Progress(what, self.bounds.dimension))

    # ---------------------------------------------------------------- begin and end

    def _begin(self) -> None:
        """Decide small dimensions where that is quick, divide the pattern, and bound its leaves."""
        similarity = self.bounds.similarity
        for d in range(1, 1 + max(1, len(similarity.curves))):
            if self.bounds.lower == d and self.bounds.yes is None:
                decide_within(self.bounds, d, self._on_whole, self._search)
        if self.bounds.yes is not None and self.bounds.yes.upper <= self.bounds.lower:
            return
        if self._is_too_late:
            self.stop()
            return
        self._divide()
        self._bound_leaves()
        if similarity.divides:
            self._refute_quickly()
            if self.bounds.lower == 1:  # leaves leave d = 1 open
                seconds = min(_ON_LINE, _SHARE_ON_LINE * self._search.remaining)
                decide_within(self.bounds, 1, self._on_leaves, self._search.slice(seconds, 0))
        else:
            if similarity.transfers is not None and similarity.values is None and not self.over:
                self._transfer(max(_LEAST_DOT, _SHARE_OF_DOT * self._search.remaining))
            self._refute_quickly()

    def _bound_leaves(self) -> None:
        """Bound the leaves before there are threads, until the largest bound is known for good."""
        quick = self._search.slice(_SHARE_OF_FIRST_BOUNDS * self._search.remaining, 0)
        queue = self._queue
        if queue is None or not queue.has_leaves:
            return
        bounding = queue.bounding_of(0)
        while not bounding.over:
            self._take_calls(Status.YES, bounding)
            if quick.out_of_time or self.over:
                break
            bounding = queue.bounding()

    def _refute_quickly(self) -> None:
        """Take the single calls against the least dimension before there are threads."""
        if self._queue is not None and self._queue.has_leaves:
            self._take_calls(Status.NO, self._queue.refuting())

    def _take_calls(self, side: Status, turns: Turns) -> None:
        assert self._queue is not None
        while turns.has_single_calls and not turns.over:
            self._show(side, turns, done=False)
            self._queue.take_call(turns, search_clock.now)

    def _try_line_again(self) -> None:
        """Decide d = 1 after all, if nothing else is open."""
        if self._leaves is None or self._search.out_of_time or not self.bounds.similarity.divides:
            return
        if self.bounds.lower == 1 and self._leaves.upper == 2:
            decide_within(self.bounds, 1, self._on_leaves, self._search)

    def _transfer(self, seconds: float) -> None:
        """Bound the least dimension with dot products, which determines this one up to one."""
        from samapprox.solvers.similarity.transfers import ToDotProducts

        assert self._leaves is not None
        assert self._queue is not None
        merged = Problem(self._leaves.division.leaves[0], 1, similarity=self.bounds.similarity)
        reduction = ToDotProducts(self._search.whole_remaining)
        reduced, back = reduction.apply(merged)
        search = Search.within(seconds, self._search.seed)
        inner = self._inner = LeastDimension(Bounds(reduced.pattern), choose(), search)
        try:
            inner.run(self._threads)
        finally:  # also if the search is interrupted
            inner.conclude()
            known = inner.bounds.dimension
            outcome = f"weak dimension {known.lower}..{known.upper}"
            attempt = Attempt("dot-products", known.seconds, outcome)
            self.bounds.trail(known.upper)[attempt.strategy] = attempt
            for verdict in (known.yes, known.no):
                if verdict is not None and verdict.proof is not None:
                    lifted = reduction.lift(verdict.proof, back)
                    if isinstance(lifted, str) or isinstance(self._leaves.take(0, lifted), str):
                        continue
                    if verdict is known.no:
                        self._queue.least_dot = known.lower
