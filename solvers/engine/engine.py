"""The engine: turns of strategies improve the bounds of a pattern until the question is settled."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, nullcontext
from threading import RLock
from typing import TYPE_CHECKING

from samapprox.errors import CertificateError, Interrupted
from samapprox.problem import Problem, trivial_dimension
from samapprox.proofs.base import Obstruction, Proof, proves_yes
from samapprox.results.verdict import Attempt, Status, Verdict
from samapprox.solvers.engine.bounds import Bounds, settles
from samapprox.solvers.engine.portfolio import StrategyRecord, choose
from samapprox.solvers.engine.search import Search
from samapprox.solvers.engine.turns import Turns, describe_fault
from samapprox.support.clock import search_clock
from samapprox.support.progress import OnProgress, Progress

if TYPE_CHECKING:
    from samapprox.solvers.engine.leaves import Leaves
    from samapprox.solvers.engine.queue import Queue

__all__ = ["Engine", "decide_problem"]

_SHARE_OF_BOUNDS = 1 / 3
"""Seconds for bounds in other dimensions, for each second on the dimension asked about."""

_BEFORE_BOUNDS = 0.5
"""Seconds on the dimension asked about before that: most decisions end earlier."""

_SHARE_OF_FIRST_BOUNDS = 0.2
"""The share of the time in which leaves are bounded one after the other, before there are turns."""

_SHARE_OF_DOT = 0.5
"""The share of the time for the least dimension with dot products, which determines the others."""

_LEAST_DOT = 0.1
"""Seconds for the least dimension with dot products at least."""

_SMALL_LEAF = 2_000
"""Entries up to which both sides would mostly wait for the interpreter lock."""

_MANY_LEAVES = 8
"""Leaves of that size up to which two threads pay all the same."""

_ON_LINE, _SHARE_ON_LINE = 1.0, 0.1
"""Seconds, and the share of the time, for d = 1 of patterns to which the line test is no help."""

_MOST_TRIVIAL = 10_000_000
"""Entries times dimension, of a trivial proof that is written out."""


class Engine:
    r"""Strategies take turns on a pattern and its leaves, and the bounds keep what they prove.

    With `asked`, the engine decides one dimension: strategies for that dimension come first, and
    others improve the bounds in a share of the time. Without, it searches the least dimension.
    Some strategies take the pattern as it is, the others take the leaves of its division: NO for
    one leaf is NO for the pattern, and YES for all of them is YES.

    If a strategy raises an exception, or its proof fails the check, the trail says so and the
    others continue.

    Parameters
    ----------
    bounds : Bounds
        They may hold proofs already.
    strategies : sequence of StrategyRecord
        See `samapprox.solvers.engine.portfolio.choose`.
    search : Search
        The limits of all turns together.
    asked : Problem, optional
        A problem about the pattern of `bounds`.
    progress : callable, optional
        Called before and after each turn on the question asked; without `asked`, before each turn,
        with the bounds so far.
    share : float
        Seconds for bounds in other dimensions, for each second on the question asked.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("1000\n1100\n0110\n1011")
    >>> engine = Engine(Bounds(pattern), choose(["line", "rank"]), Search.within(9, 0))
    >>> engine.run()
    >>> engine.bounds.lower, engine.bounds.upper
    (2, 2)
    """

    def __init__(
        self,
        bounds: Bounds,
        strategies: Sequence[StrategyRecord],
        search: Search,
        *,
        asked: Problem | None = None,
        progress: OnProgress | None = None,
        share: float = _SHARE_OF_BOUNDS,
    ) -> None:
        self.bounds = bounds
        self.answer: Verdict | None = None
        """The answer to the question asked, once a proof for it has passed the checker."""
        self._asked = asked
        self._search = search
        self._strategies = strategies
        self._progress = progress
        self._share = share
        self._places = {record.name: place for place, record in enumerate(strategies)}
        self._on_whole = [record for record in strategies if not record.simplified]
        self._on_leaves = [record for record in strategies if record.simplified]
        self._lock = RLock()
        self._leaves: Leaves | None = None
        self._queue: Queue | None = None
        self._inner: Engine | None = None
        self._spent: dict[Status | None, float] = {Status.YES: 0.0, Status.NO: 0.0, None: 0.0}
        self._running: set[Status | None] = set()
        self._threads = 1
        if asked is None:
            return
        if asked.coupled:
            self._leave_out_embeddings(bounds.trail(asked.d))
        self._whole = Turns(
            asked,
            self._on_whole,
            search.apart(),
            self._accept_whole,
            bounds.trail(asked.d),
            progress,
        )

    def _leave_out_embeddings(self, trail: dict[str, Attempt]) -> None:
        """Leave out embeddings of leaves, which have independent queries and keys."""
        for record in self._on_leaves:
            if Status.NO not in record.finds:
                trail[record.name] = Attempt(record.name, 0.0, "queries and keys share X")
        self._on_leaves = [record for record in self._on_leaves if Status.NO in record.finds]

    # ---------------------------------------------------------------- the loop

    def run(self, threads: int = 1) -> None:
        """Take turns until the question is settled, time is up, or nothing is left to try.

        One or two threads take their turns from the same queue. `stop` ends the work from any
        thread.
        """
        self._threads = threads
        if self._asked is None:
            self._begin()
        if not self.over:
            with self._one_blas_thread():
                if threads == 2 and self._suits_threads:
                    self._work_in_threads(threads)
                else:
                    self._work()
        if self._asked is None:
            self._try_line_again()

    def step(self) -> bool:
        """Take one turn; return whether there was one."""
        following = self._next()
        if following is not None:
            self._take(*following)
        return following is not None

    def stop(self) -> None:
        """End the time of all searches: the threads then come to their end."""
        with self._lock:
            self._search.stop()
            for part in (self._queue, self._inner):
                if part is not None:
                    part.stop()

    @property
    def over(self) -> bool:
        """Whether the question is settled, or time is up."""
        if self._asked is not None:
            return self.answer is not None or self._search.out_of_time
        if self._leaves is None or self._queue is None:
            return self.bounds.lower >= self.bounds.upper
        return self._search.out_of_time or self._leaves.upper <= self._queue.least

    def _work(self) -> None:
        while self.step():
            pass

    def _work_in_threads(self, threads: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            try:
                for ended in as_completed([pool.submit(self._work) for _ in range(threads)]):
                    ended.result()
            finally:
                self.stop()

    def _one_blas_thread(self) -> AbstractContextManager[object]:
        # Threads that set and restore the number of BLAS threads would confuse each other.
        if self._asked is not None:
            return nullcontext()
        from samapprox.solvers.backends.blas import one_blas_thread

        return one_blas_thread()

    @property
    def _suits_threads(self) -> bool:
        """Whether both sides can work at the same time; with many small leaves they cannot."""
        if self._asked is not None or self._leaves is None:
            return False
        leaves = self._leaves.division.leaves
        rows, columns = leaves[0].shape
        return len(leaves) <= _MANY_LEAVES or rows * columns > _SMALL_LEAF

    # ---------------------------------------------------------------- whose turn it is

    def _next(self) -> tuple[Status | None, Turns] | None:
        """Return the next turns and their side: that with the least time so far is first.

        No side is worked on by two threads at once.
        """
        with self._lock:
            if self.over:
                return None
            following = self._next_of_sides() if self._asked is None else self._next_asked()
            if following is not None:
                self._running.add(following[0])
            return following

    def _next_of_sides(self) -> tuple[Status | None, Turns] | None:
        assert self._queue is not None
        for side in sorted((Status.YES, Status.NO), key=self._spent.__getitem__):
            if side not in self._running and (found := self._queue.next(side)) is not None:
                return side, found[1]
        return None

    def _next_asked(self) -> tuple[Status | None, Turns] | None:
        """Return the next turns on the question asked, or on other dimensions if these are due."""
        assert self._asked is not None
        whole = self._whole
        if not self._whole_is_first:
            self._divide()
        waiting = [whole]
        if self._queue is not None and self._on_leaves:
            focus = self._queue.focus()
            if not focus and not self._asked.coupled:
                self._try_to_glue()
            waiting += focus
        if self.over:
            return None
        # To ask for turns imports strategies, so single calls come before.
        calls = [turns for turns in waiting if turns.has_single_calls and not turns.over]
        if calls:
            return None, min(calls, key=lambda turns: self._places[turns.next_name])
        waiting = [turns for turns in waiting if not turns.over]
        if not waiting:
            return None
        return self._next_bounding() or (None, min(waiting, key=lambda turns: turns.next_seconds))

    @property
    def _whole_is_first(self) -> bool:
        """Whether the next strategy takes the whole pattern, so that dividing it can wait."""
        if not self._on_leaves or self._queue is not None:
            return self._queue is None
        whole, first = self._whole, self._places[self._on_leaves[0].name]  # they are in order
        return whole.has_single_calls and self._places[whole.next_name] < first

    def _next_bounding(self) -> tuple[Status, Turns] | None:
        """Return turns in other dimensions whose seconds do not exceed their share."""
        allowed = self._share * self._spent[None] - self._spent[Status.YES] - self._spent[Status.NO]
        if self._queue is None or self._share == 0 or self._spent[None] < _BEFORE_BOUNDS:
            return None
        for side in sorted((Status.YES, Status.NO), key=self._spent.__getitem__):
            found = self._queue.next(side)
            if found is not None and self._queue.seconds(found[1]) <= allowed:
                return side, found[1]
        return None

    def _take(self, side: Status | None, turns: Turns) -> None:
        """Let the next strategy of these turns try."""
        started = search_clock.now()
        try:
            if self._progress is not None and self._asked is None:
                self._show_bounds(self._progress, turns)
            if self._queue is None or side is None:
                turns.take()
            else:
                self._report_bounds(None)
                self._queue.take_call(turns, search_clock.now)
                self._report_bounds(self._bounds_in_words)
        finally:
            with self._lock:
                self._running.discard(side)
                self._spent[side] += search_clock.now() - started

    def _report_bounds(self, outcome: str | None) -> None:
        """Report a turn in another dimension than the one asked about."""
        if self._progress is not None and self._asked is not None:
            self._progress(Progress("bounds", outcome=outcome))

    @property
    def _bounds_in_words(self) -> str:
        return f"{self.bounds.lower}..{self.bounds.upper}"

    def _show_bounds(self, progress: OnProgress, turns: Turns) -> None:
        with self._lock:
            self._try_to_glue(quick=True)
            progress(Progress(f"d = {turns.problem.d}: {turns.next_name}", self.bounds.dimension))

    # ---------------------------------------------------------------- begin and end

    def _begin(self) -> None:
        """Decide small dimensions where that is quick, divide the pattern, and bound its leaves."""
        similarity = self.bounds.similarity
        for d in range(1, 1 + max(1, len(similarity.curves))):
            if self.bounds.lower == d and self.bounds.yes is None:
                self._decide(d, self._on_whole, self._search)
        if self.bounds.yes is not None and self.bounds.yes.upper <= self.bounds.lower:
            return
        self._divide()
        self._take_first_bounds()
        if self._tries_line and self.bounds.lower == 1:
            seconds = min(_ON_LINE, _SHARE_ON_LINE * self._search.remaining)
            self._decide(1, self._on_leaves, self._search.slice(seconds, 0))
        if similarity.transfers is not None and not similarity.divides and not self.over:
            self._transfer(max(_LEAST_DOT, _SHARE_OF_DOT * self._search.remaining))

    def _take_first_bounds(self) -> None:
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
        self._take_calls(Status.NO, queue.refuting())
        self._spent = dict.fromkeys(self._spent, 0.0)  # the sides share the time from here on

    def _take_calls(self, side: Status, turns: Turns) -> None:
        while turns.has_single_calls and not turns.over:
            self._take(side, turns)

    @property
    def _tries_line(self) -> bool:
        """Whether leaves leave d = 1 open, since they need two dimensions."""
        return self.bounds.similarity.divides

    def _try_line_again(self) -> None:
        """Decide d = 1 after all, if nothing else is open."""
        if self._leaves is None or self._search.out_of_time or not self._tries_line:
            return
        if self.bounds.lower == 1 and self._leaves.upper == 2:
            self._decide(1, self._on_leaves, self._search)

    def _decide(self, d: int, strategies: Sequence[StrategyRecord], search: Search) -> None:
        """Decide one dimension by some of the strategies; what they prove enters the bounds."""
        if strategies:
            asked = Problem(self.bounds.pattern, d, similarity=self.bounds.similarity)
            Engine(self.bounds, strategies, search, asked=asked, share=0.0).run()

    def _divide(self) -> None:
        """Divide at components for d >= 2; only merge equal lines for d = 1, or if gluing fails."""
        if self._queue is not None:
            return
        from samapprox.solvers.division.division import divide_large, merge  # not for the line
        from samapprox.solvers.engine.leaves import Leaves
        from samapprox.solvers.engine.queue import Queue

        pattern, similarity = self.bounds.pattern, self.bounds.similarity
        d = None if self._asked is None else self._asked.d
        divides = similarity.divides and d != 1
        division = divide_large(pattern) if divides else merge(pattern, similarity)
        self._leaves = Leaves(division, self.bounds, self._take_lifted)
        self._queue = Queue(
            self._leaves,
            self.bounds,
            self._on_leaves,
            self._search,
            self._accept,
            least=2 if divides else 1,
            d=d,
            progress=self._progress,
        )
        if similarity.transfers is not None and not similarity.divides:
            self._take_trivial()

    def _take_trivial(self) -> None:
        """Represent the merged pattern in its trivial dimension, if that is of use."""
        assert self._leaves is not None
        if not self._leaves.division.leaves:
            self._try_to_glue()
            return
        leaf = self._leaves.division.leaves[0]
        trivial = trivial_dimension(leaf.shape)
        if self._asked is not None and trivial > self._asked.d:
            return
        if leaf.shape[0] * leaf.shape[1] * trivial <= _MOST_TRIVIAL:
            from samapprox.solvers.similarity.transfers import trivial_witness

            self._leaves.take(0, trivial_witness(leaf, self.bounds.similarity))

    def _transfer(self, seconds: float) -> None:
        """Bound the least dimension with dot products, which determines this one up to one."""
        from samapprox.solvers.similarity.transfers import ToDotProducts

        assert self._leaves is not None
        merged = Problem(self._leaves.division.leaves[0], 1, similarity=self.bounds.similarity)
        reduction = ToDotProducts(self._search.whole_remaining)
        reduced, back = reduction.apply(merged)
        search = Search.within(seconds, self._search.seed)
        inner = self._inner = Engine(Bounds(reduced.pattern), choose(), search, share=0.0)
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
                    if not isinstance(lifted, str):
                        self._leaves.take(0, lifted)

    def conclude(self) -> None:
        """Glue what is known of the leaves, take the bounds that cost nothing, and write them out.

        Call it once, after the last turn.
        """
        if self.answer is None or self._is_about_coupling:
            self._try_to_glue()
            if self.answer is None and self._search.out_of_time and self._has_orders:
                self._embed_in_any_order()
            if self._asked is not None and self._asked.d > 1 and self.bounds.no is None:
                self._refute_line()
        yes = self.bounds.yes
        if yes is not None and self._leaves is not None and self.bounds.similarity.divides:
            from samapprox.solvers.engine.leaves import write_out

            written = write_out(yes)
            self.bounds.replace_yes(written)
            if yes is self.answer:
                self.answer = written

    def _refute_line(self) -> None:
        """Refute d = 1, if the line test can."""
        if self._tries_line:
            self._decide(1, choose(["line"]), Search())

    @property
    def _has_orders(self) -> bool:
        return any(record.name == "orders" for record in self._on_leaves)

    def _embed_in_any_order(self) -> None:
        """Prove YES for twice the most ones of a line, if there was no time for a good order."""
        from samapprox.solvers.embeddings.orders import any_order

        proof = any_order(self.bounds.pattern)
        if proof.d < self.bounds.upper:
            self._take_lifted(proof)

    # ---------------------------------------------------------------- what is proven

    def _accept_whole(self, proof: Proof) -> bool | str:
        """Take a proof about the whole pattern; return whether it decides the question."""
        return self._refuse(proof) or self._take_whole(proof).problem is self._asked

    def _accept(self, leaf: int, d: int, proof: Proof) -> bool | str:
        """Take a proof about a leaf, and end what it makes idle; return whether it settles d."""
        assert self._leaves is not None
        assert self._queue is not None
        asked = self._asked
        if asked is not None and asked.coupled and proves_yes(proof) and settles(proof, asked.d):
            return "its embedding has independent queries and keys"
        taken = self._refuse(proof) or self._leaves.take(leaf, proof)
        if isinstance(taken, str):
            return taken
        if taken:
            self._queue.stop_idle()
        return settles(proof, d)

    def _refuse(self, proof: Proof) -> str | None:
        """Return why a proof is of no use, or None."""
        if isinstance(proof, Obstruction) and proof.dimension < 1:
            return "its refutation excludes no dimension"
        return None

    def _take_whole(self, proof: Proof) -> Verdict:
        """Check a proof about the whole pattern, for the answer or for a bound."""
        verdict = self.bounds.take(proof, self._asked)
        if verdict.problem is self._asked:
            self.answer = verdict
        return verdict

    def _take_lifted(self, proof: Proof) -> Verdict:
        """Take a proof about the whole pattern; its YES has independent queries and keys."""
        if self._asked is not None and self._asked.coupled and proves_yes(proof):
            return self.bounds.take(proof)
        return self._take_whole(proof)

    def _try_to_glue(self, *, quick: bool = False) -> None:
        """Glue the embeddings of the leaves; if that fails, the leaves are of no use."""
        if self._leaves is None:
            return
        try:
            if quick:
                self._leaves.glue_if_quick()
            else:
                self._leaves.glue()
        except CertificateError as error:
            d = self._leaves.upper if self._asked is None else self._asked.d
            self.bounds.trail(d)["division"] = Attempt("division", 0.0, describe_fault(error))
            self._on_leaves = []

    @property
    def _is_about_coupling(self) -> bool:
        """Whether the answer is NO, but says nothing about the free case."""
        proof = None if self.answer is None else self.answer.proof
        return isinstance(proof, Obstruction) and proof.COUPLED_ONLY

    @property
    def verdict(self) -> Verdict:
        """The answer to the question asked; UNKNOWN comes with the best bounds."""
        asked, no, yes = self._asked, self.bounds.no, self.bounds.yes
        assert asked is not None
        trail = tuple(self.bounds.trails.get(asked.d, {}).values())
        spent = self._spent[Status.YES] + self._spent[Status.NO]
        if spent:
            trail += (Attempt("bounds", spent, self._bounds_in_words),)
        if self.answer is not None and not self._is_about_coupling:
            return self.answer.amend(trail=trail)
        below = no if no is not None and no.problem.d < asked.d else None
        above = yes if yes is not None and yes.problem.d > asked.d else None
        if self.answer is None:
            return Verdict(asked, None, trail, below, above)
        return self.answer.amend(trail=trail, below=below, above=above)


def decide_problem(
    problem: Problem,
    strategies: Sequence[StrategyRecord],
    search: Search,
    progress: OnProgress | None = None,
    share: float = _SHARE_OF_BOUNDS,
) -> Verdict:
    r"""Decide a problem in this process; an interrupt holds the trail and the bounds so far.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("10\n01"), 1)
    >>> decide_problem(problem, choose(["line"]), Search()).status.value
    'YES'
    """
    bounds = Bounds(problem.pattern, problem.similarity)
    engine = Engine(bounds, strategies, search, asked=problem, progress=progress, share=share)
    try:
        engine.run()
        engine.conclude()
    except KeyboardInterrupt:
        engine.stop()
        engine.conclude()
        raise Interrupted(engine.verdict) from None
    return engine.verdict
