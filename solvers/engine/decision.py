"""The decision of one problem: strategies try the pattern and its leaves until a proof holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from samapprox.errors import CertificateError, Interrupted
from samapprox.problem import Problem
from samapprox.proofs.base import Obstruction, Proof, proves_yes
from samapprox.results.verdict import Attempt, Status, Verdict
from samapprox.solvers.engine.evidence import Evidence, embed_in_any_order
from samapprox.solvers.engine.portfolio import StrategyRecord, choose
from samapprox.solvers.engine.search import Search
from samapprox.solvers.engine.turns import Progress, Turns, describe_fault

__all__ = ["Decision"]

_AT_ONCE = 8  # leaves that are tried in turn; the others wait


class Decision:
    r"""A decision: strategies try a problem until a proof passes the exact checker.

    Some strategies take the pattern as it is. The others take the leaves of its division: NO for
    one leaf decides, and so does YES for all of them.

    Parameters
    ----------
    problem : Problem
    strategies : sequence of StrategyRecord
        See `samapprox.solvers.engine.portfolio.choose`.
    search : Search
        The limits of all turns together.
    progress : callable, optional

    Notes
    -----
    A strategy that raises an exception, or whose proof fails the checker, is out; the trail says
    why, and the decision goes on with the others.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("1000\n1100\n0110\n1011")
    >>> decision = Decision(Problem(pattern, 3), choose(["rank"]), Search())
    >>> decision.turn()
    >>> decision.over, decision.trail[0].outcome
    (True, 'YES')
    """

    def __init__(
        self,
        problem: Problem,
        strategies: Sequence[StrategyRecord],
        search: Search,
        progress: Progress | None = None,
    ) -> None:
        self.problem = problem
        self._search = search
        self._progress = progress
        self.below: Verdict | None = None
        """NO for a smaller d, the best that came up."""
        self.above: Verdict | None = None
        """YES for a larger d, the best that came up."""
        self._settled: Verdict | None = None
        self._evidence: Evidence | None = None  # once the pattern is divided
        self._trail: dict[str, Attempt] = {}
        self._places = {record.name: place for place, record in enumerate(strategies)}
        self._for_leaves = [record for record in strategies if record.simplified]
        if problem.coupled:
            self._leave_out_embeddings()
        whole = [record for record in strategies if not record.simplified]
        self._whole = Turns(
            problem, whole, search.apart(), self._accept, self._trail, self._progress
        )
        self._open: dict[int, Turns] = {}  # the hardest leaves that are not decided
        self._waiting: Iterator[int] = iter(())  # the others

    def _leave_out_embeddings(self) -> None:
        """Leave out embeddings of leaves, which have independent queries and keys."""
        for record in self._for_leaves:
            if Status.NO not in record.finds:
                why = "queries and keys share X"
                self._trail[record.name] = Attempt(record.name, 0.0, why)
        self._for_leaves = [record for record in self._for_leaves if Status.NO in record.finds]

    @property
    def verdict(self) -> Verdict:
        """The answer, with its proof once one has passed the checker; UNKNOWN before."""
        if self._settled is None:
            return Verdict(self.problem, None, self.trail)
        return self._settled.amend(trail=self.trail)

    @property
    def settled(self) -> bool:
        """Whether there is a proof; there are no turns after it."""
        return self._settled is not None

    @property
    def over(self) -> bool:
        """Whether there is a proof, or no time, or nothing left to try."""
        return self.settled or self._search.out_of_time or self._next is None

    @property
    def trail(self) -> tuple[Attempt, ...]:
        """The trail: one entry per strategy, its turns added up."""
        return tuple(self._trail.values())

    def run(self) -> Verdict:
        """Take all turns.

        Returns
        -------
        Verdict
            For UNKNOWN with the best bounds that came up: an embedding in a larger dimension as
            `Verdict.above`, a refutation of a smaller one as `Verdict.below`, at least that of
            d = 1 where the line test finds one. The latter also for a NO that is about the
            coupling of queries and keys.

        Raises
        ------
        Interrupted
            Ctrl-C; a KeyboardInterrupt that holds the trail and the bounds so far.
        """
        try:
            while not self.over:
                self.turn()
            if self._settled is not None and not self._is_about_coupling:
                return self.verdict
            return self._bounded()
        except KeyboardInterrupt:
            self._search.stop()
            raise Interrupted(self._bounded()) from None

    def turn(self) -> None:
        """Let the next strategy try; a proof for the last leaf is the answer, late or not."""
        following = self._next
        if following is None:  # the time may run out after `over` was asked
            return
        following.take()
        if self._evidence is not None and not self.settled:
            self._open_leaves()

    # ---------------------------------------------------------------- whose turn it is

    @property
    def _next(self) -> Turns | None:
        """The whole pattern or the leaf whose turn is next: calls as listed, then short turns."""
        if self._whole_is_first:
            return None if self._whole.over else self._whole
        self._open_leaves()
        if self.settled:
            return None
        everyone = [self._whole, *self._open.values()]
        # To ask for turns imports strategies, so single calls come before.
        calls = [turns for turns in everyone if turns.has_single_calls and not turns.over]
        waiting = calls or [turns for turns in everyone if not turns.over]
        return min(waiting, key=self._cost, default=None)

    def _cost(self, turns: Turns) -> float:
        """Return the place in the list for a single call; else the length of the turn."""
        return self._places[turns.next_name] if turns.has_single_calls else turns.next_seconds

    @property
    def _whole_is_first(self) -> bool:
        """Whether the next strategy takes the whole pattern, so that dividing it can wait."""
        if not self._for_leaves:
            return True
        whole, first = self._whole, self._for_leaves[0]  # they are in order
        return whole.has_single_calls and self._places[whole.next_name] < self._places[first.name]

    def _open_leaves(self) -> None:
        """Open as many leaves as are tried in turn; once all are decided, so is the pattern."""
        if self._evidence is None:
            self._evidence = self._divide()
            self._waiting = iter(range(len(self._evidence.division.leaves)))
        while len(self._open) < _AT_ONCE and (leaf := next(self._waiting, None)) is not None:
            self._open[leaf] = Turns(
                Problem(self._known.division.leaves[leaf], self.problem.d),
                self._for_leaves,
                self._search.apart(),
                partial(self._accept_of, leaf),
                self._trail,
                self._progress,
            )
        if not self._open and not self.problem.coupled:
            self._glue()

    # ---------------------------------------------------------------- what is proven

    def _divide(self) -> Evidence:
        """Divide at components for d >= 2; only merge equal lines for d = 1."""
        from samapprox.solvers.division.division import divide_large, merge  # not for the line

        pattern = self.problem.pattern
        return Evidence(pattern, merge(pattern) if self.problem.d == 1 else divide_large(pattern))

    @property
    def _known(self) -> Evidence:
        assert self._evidence is not None
        return self._evidence

    def _decides(self, proof: Proof) -> bool:
        """Return whether a proof decides d: YES in no larger, or NO in no smaller dimension."""
        if proves_yes(proof):
            return proof.dimension <= self.problem.d
        return proof.dimension >= self.problem.d

    def _accept(self, proof: Proof) -> bool:
        """Take a proof about the whole pattern, for the answer or for a bound."""
        if self._decides(proof):
            self._settled = Verdict(self.problem, proof)
            return True
        bound = Verdict(Problem(self.problem.pattern, proof.dimension), proof)
        if bound.status is Status.YES and (self.above is None or bound.upper < self.above.upper):
            self.above = bound
        if bound.status is Status.NO and (self.below is None or bound.lower > self.below.lower):
            self.below = bound
        return False

    def _accept_of(self, leaf: int, proof: Proof) -> bool | str:
        """Take a proof about a leaf."""
        if self.problem.coupled and proves_yes(proof):
            return "its embedding has independent queries and keys"
        if not self._decides(proof):
            taken = self._known.take(leaf, proof)
            return taken if isinstance(taken, str) else False
        if isinstance(proof, Obstruction):
            lifted = self._known.division.lift(leaf, proof)
            return lifted if isinstance(lifted, str) else self._accept(lifted)
        taken = self._known.take(leaf, proof, self.problem)
        if isinstance(taken, str):
            return taken
        del self._open[leaf]
        return True

    def _glue(self) -> None:
        """Make one answer of YES for all leaves."""
        self._settled = self._yes(self.problem)

    def _yes(self, problem: Problem | None = None) -> Verdict | None:
        """Return the best YES for the whole pattern from what is known of its leaves."""
        try:
            return self._known.yes(problem)
        except CertificateError as error:
            self._trail["division"] = Attempt("division", 0.0, describe_fault(error))
            self._for_leaves = []
            return None

    @property
    def _is_about_coupling(self) -> bool:
        """Whether the answer is NO, but says nothing about the weak dimension."""
        proof = None if self._settled is None else self._settled.proof
        return isinstance(proof, Obstruction) and proof.COUPLED_ONLY

    def _bounded(self) -> Verdict:
        """Return the answer with the best bounds on the weak dimension that came up."""
        if self._evidence is not None:
            self._yes()
            self._take_bounds()
        if not self.settled and self._search.out_of_time and self._has_orders:
            self._take_any_order()
        below = self._refute_line() if self.below is None else self.below
        return self.verdict.amend(below=below, above=self.above)

    def _take_bounds(self) -> None:
        """Take the best bounds that there are; YES in no larger dimension is the answer itself."""
        for bound in (self.below, self.above):
            if bound is not None:
                self._known.take_verdict(bound)
        self.below, yes = self._known.no, self._known.glued
        if yes is None or yes.upper > self.problem.d:
            self.above = yes
        elif not self.problem.coupled:  # of trivial embeddings of leaves that nobody tried, say
            answers = yes.problem is self.problem
            self._settled = yes if answers else Verdict(self.problem, yes.proof)

    def _take_any_order(self) -> None:
        """Take the bound that any order gives, where there was no time to look for a good one."""
        above = embed_in_any_order(self.problem.pattern, self.above)
        if above is None or above.upper > self.problem.d:
            self.above = above
        elif not self.problem.coupled:
            self._settled = Verdict(self.problem, above.proof)

    @property
    def _has_orders(self) -> bool:
        return any(record.name == "orders" for record in self._for_leaves)

    def _refute_line(self) -> Verdict | None:
        """Refute d = 1, if the line test can."""
        if self.problem.d == 1:
            return None
        line = Decision(Problem(self.problem.pattern, 1), choose(["line"]), Search()).run()
        return line if line.status is Status.NO else None
