"""The engine: turns of strategies improve the bounds of a pattern until the question is settled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from threading import RLock
from typing import TYPE_CHECKING

from samapprox.errors import CertificateError
from samapprox.problem import trivial_dimension
from samapprox.proofs.base import Obstruction, Proof
from samapprox.results import Status
from samapprox.results.verdict import Attempt, Verdict
from samapprox.solvers.engine.bounds import Bounds, settles
from samapprox.solvers.engine.portfolio import StrategyRecord
from samapprox.solvers.engine.search import Search
from samapprox.solvers.engine.turns import Turns, describe_fault
from samapprox.support.limits import search_clock

if TYPE_CHECKING:
    from samapprox.solvers.engine.bounds import Leaves
    from samapprox.solvers.engine.queue import Queue
    from samapprox.support.progress import OnProgress


_MOST_TRIVIAL = 10_000_000
"""Entries times dimension, of a trivial proof that is written out."""


class Engine(ABC):
    """Strategies take turns on a pattern and its leaves, and the bounds keep what they prove.

    Some strategies take the pattern as it is, the others take the leaves of its division: NO for
    one leaf is NO for the pattern, and YES for all of them is YES. A subclass says whose turn is
    next, and when the question is settled: `Decision` for one dimension, `LeastDimension` for the
    least one.

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
    progress : callable, optional
        Called with what is tried, and with what came of it.
    d : int, optional
        The dimension asked about.
    """

    def __init__(
        self,
        bounds: Bounds,
        strategies: Sequence[StrategyRecord],
        search: Search,
        progress: OnProgress | None,
        d: int | None = None,
    ) -> None:
        self.bounds = bounds
        self._search = search
        self._progress = progress
        self._d = d
        self._on_whole = [record for record in strategies if not record.simplified]
        self._on_leaves = [record for record in strategies if record.simplified]
        self._lock = RLock()
        self._leaves: Leaves | None = None
        self._queue: Queue | None = None
        self._spent: dict[Status | None, float] = {Status.YES: 0.0, Status.NO: 0.0, None: 0.0}
        self._running: set[Status | None] = set()

    # ---------------------------------------------------------------- the loop

    @property
    @abstractmethod
    def over(self) -> bool:
        """Whether the question is settled, or time is up."""

    @abstractmethod
    def _next(self) -> tuple[Status | None, Turns] | None:
        """Return the next turns and their side: None is the question asked."""

    @abstractmethod
    def _show(self, side: Status | None, turns: Turns, /, *, done: bool) -> None:
        """Report the progress before a turn, or after it."""

    def step(self) -> bool:
        """Take one turn; return whether there was one."""
        with self._lock:
            following = None if self.over else self._next()
            if following is None:
                return False
            side, turns = following
            self._running.add(side)
        started = search_clock.now()
        try:
            self._show(side, turns, done=False)
            if self._queue is None or side is None:
                turns.take()
            else:
                self._queue.take_call(turns, search_clock.now)
            self._show(side, turns, done=True)
        finally:
            with self._lock:
                self._running.discard(side)
                self._spent[side] += search_clock.now() - started
        return True

    def stop(self) -> None:
        """End the time of all searches, from any thread: each thread then comes to its end."""
        with self._lock:
            self._search.stop()
            if self._queue is not None:
                self._queue.stop()

    @property
    def _sides(self) -> list[Status]:
        """The two sides; that with the least time so far is first."""
        return sorted((Status.YES, Status.NO), key=self._spent.__getitem__)

    # ---------------------------------------------------------------- leaves

    def _divide(self) -> None:
        """Divide at components for d >= 2; only merge equal lines for d = 1, or if gluing fails."""
        if self._queue is not None:
            return
        from samapprox.solvers.division.base import merge  # not for the line
        from samapprox.solvers.division.division import divide_large
        from samapprox.solvers.engine.bounds import Leaves
        from samapprox.solvers.engine.queue import Queue

        pattern, similarity = self.bounds.pattern, self.bounds.similarity
        divides = similarity.divides and self._d != 1
        division = divide_large(pattern) if divides else merge(pattern, similarity)
        self._leaves = Leaves(division, self.bounds, self._take_lifted)
        self._queue = Queue(
            self._leaves,
            self.bounds,
            self._on_leaves,
            self._search,
            self._accept,
            least=2 if divides else 1,
            d=self._d,
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
        trivial = trivial_dimension(leaf.shape, self.bounds.similarity)
        if self._d is not None and trivial > self._d:
            return
        if leaf.size * trivial <= _MOST_TRIVIAL:
            from samapprox.solvers.similarity.transfers import trivial_witness

            self._leaves.take(0, trivial_witness(leaf, self.bounds.similarity))

    def _try_to_glue(self, *, quick: bool = False) -> None:
        """Glue the embeddings of the leaves; if that fails, leave out the strategies for leaves."""
        if self._leaves is None:
            return
        try:
            if quick:
                self._leaves.glue_if_quick()
            else:
                self._leaves.glue()
        except CertificateError as error:
            d = self._leaves.upper if self._d is None else self._d
            self.bounds.trail(d)["division"] = Attempt("division", 0.0, describe_fault(error))
            self._on_leaves = []

    # ---------------------------------------------------------------- what is proven

    def _accept(self, leaf: int, d: int, proof: Proof) -> bool | str:
        """Take a proof about a leaf, and end what it makes idle; return whether it settles d."""
        assert self._leaves is not None
        assert self._queue is not None
        taken = refuse(proof) or self._leaves.take(leaf, proof)
        if isinstance(taken, str):
            return taken
        if taken:
            self._queue.stop_idle()
        return settles(proof, d)

    def _take_lifted(self, proof: Proof) -> Verdict:
        """Take a proof about the whole pattern that was lifted from leaves."""
        return self.bounds.take(proof)

    # ---------------------------------------------------------------- the end

    def conclude(self) -> None:
        """Glue what is known of the leaves, take the bounds that cost nothing, and write them out.

        Call it once, after the last turn.
        """
        self._try_to_glue()
        self._embed_if_late()
        self._write_out()

    def _embed_if_late(self) -> None:
        """Prove YES for twice the most ones of a line, if there was no time for a good order."""
        if not self._search.out_of_time or all(one.name != "orders" for one in self._on_leaves):
            return
        from samapprox.solvers.embeddings.orders import any_order

        proof = any_order(self.bounds.pattern)
        if proof.d < self.bounds.upper:
            self._take_lifted(proof)

    def _write_out(self) -> None:
        """Replace a glued embedding by explicit queries and keys, if these are few and small."""
        yes = self.bounds.yes
        if yes is not None and self._leaves is not None and self.bounds.similarity.divides:
            from samapprox.solvers.engine.bounds import write_out

            self.bounds.yes = write_out(yes)


def refuse(proof: Proof) -> str | None:
    """Return why a proof cannot be used, or None."""
    if isinstance(proof, Obstruction) and proof.dimension < 1:
        return "its refutation excludes no dimension"
    return None
