"""The engine for one dimension: strategies for it come first, others improve the bounds.

A problem that is reduced to one with dot products has a decision that goes on from turn to turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from samapprox.errors import Interrupted
from samapprox.problem import Problem, Reduction
from samapprox.proofs.base import Proof, proves_yes
from samapprox.results import Status
from samapprox.results.verdict import Attempt, Verdict
from samapprox.solvers.engine.bounds import Bounds, settles
from samapprox.solvers.engine.engine import Engine, refuse
from samapprox.solvers.engine.portfolio import StrategyRecord, choose
from samapprox.solvers.engine.search import Search
from samapprox.solvers.engine.turns import Turns

if TYPE_CHECKING:
    from samapprox.support.progress import OnProgress


_SHARE_OF_BOUNDS = 1 / 3
"""Seconds for bounds in other dimensions, for each second on the dimension asked about."""

_BEFORE_BOUNDS = 0.5
"""Seconds on the dimension asked about before that: most decisions end earlier."""

_TIDYING, _SHARE_OF_TIDYING = 0.5, 0.05
"""Seconds at the end that the outer decision keeps, but at most this share of what is left."""


class Decision(Engine):
    r"""The engine decides one dimension; in a share of the time it improves the other bounds.

    Parameters
    ----------
    bounds : Bounds
        They may hold proofs already.
    asked : Problem
        A problem about the pattern of `bounds`.
    strategies : sequence of StrategyRecord
        See `samapprox.solvers.engine.portfolio.choose`.
    search : Search
        The limits of all turns together.
    progress : callable, optional
        Called before and after each turn.
    share : float
        Seconds for bounds in other dimensions, for each second on the question asked.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("100\n010\n001")
    >>> decision = Decision(Bounds(pattern), Problem(pattern, 1), choose(["line"]), Search())
    >>> decision.run()
    >>> decision.answer.status.value
    'NO'
    """

    def __init__(
        self,
        bounds: Bounds,
        asked: Problem,
        strategies: Sequence[StrategyRecord],
        search: Search,
        progress: OnProgress | None = None,
        share: float = _SHARE_OF_BOUNDS,
    ) -> None:
        super().__init__(bounds, strategies, search, progress, asked.d)
        self.answer: Verdict | None = None
        """The answer to the question asked, once a proof for it has passed the checker."""
        self._asked = asked
        self._share = share
        self._places = {record.name: place for place, record in enumerate(strategies)}
        trail = bounds.trail(asked.d)
        if asked.coupled:
            self._leave_out_embeddings(trail)
        self._whole = Turns(
            asked, self._on_whole, search.apart(), self._accept_whole, trail, progress
        )

    def _leave_out_embeddings(self, trail: dict[str, Attempt]) -> None:
        """Leave out embeddings of leaves, which have independent queries and keys."""
        for record in self._on_leaves:
            if Status.NO not in record.finds:
                trail[record.name] = Attempt(record.name, 0.0, "queries and keys share X")
        self._on_leaves = [record for record in self._on_leaves if Status.NO in record.finds]

    # ---------------------------------------------------------------- whose turn it is

    def run(self) -> None:
        """Take turns until the question is settled, time is up, or nothing is left to try."""
        while self.step():
            pass

    @property
    def over(self) -> bool:
        """Whether the question is settled, or time is up."""
        return self.answer is not None or self._search.out_of_time

    def _next(self) -> tuple[Status | None, Turns] | None:
        """Return the next turns on the question asked, or on other dimensions if these are due."""
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
        calls = [turns for turns in waiting if turns.has_single_calls and not turns.over]
        if calls:
            return None, min(calls, key=lambda turns: self._places[turns.next_name])
        waiting = [turns for turns in waiting if not turns.over]
        if not waiting:
            return None
        return self._next_bounding() or (None, min(waiting, key=lambda turns: turns.next_weight))

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
        for side in self._sides:
            found = self._queue.next(side)
            if found is not None and self._queue.seconds(found[1]) <= allowed:
                return side, found[1]
        return None

    def _show(self, side: Status | None, _turns: Turns, /, *, done: bool) -> None:
        """Report a turn in another dimension than the one asked about; `Turns` reports the rest."""
        if self._progress is not None and side is not None:
            from samapprox.support.progress import Progress  # few decisions take turns with bounds

            self._progress(Progress("bounds", outcome=self._bounds_in_words if done else None))

    @property
    def _bounds_in_words(self) -> str:
        return f"{self.bounds.lower}..{self.bounds.upper}"

    # ---------------------------------------------------------------- what is proven

    def _accept_whole(self, proof: Proof) -> bool | str:
        """Take a proof about the whole pattern; return whether it decides the question."""
        return refuse(proof) or self._take_whole(proof).problem is self._asked

    def _accept(self, leaf: int, d: int, proof: Proof) -> bool | str:
        """Take a proof about a leaf; return whether it settles d."""
        coupled = self._asked.coupled
        if coupled and proves_yes(proof) and settles(proof, self._asked.d):
            return "its embedding has independent queries and keys"
        return super()._accept(leaf, d, proof)

    def _take_whole(self, proof: Proof) -> Verdict:
        """Check a proof about the whole pattern, for the answer or for a bound."""
        verdict = self.bounds.take(proof, self._asked)
        if verdict.problem is self._asked:
            self.answer = verdict
        return verdict

    def _take_lifted(self, proof: Proof) -> Verdict:
        """Take a proof about the whole pattern; its YES has independent queries and keys."""
        if self._asked.coupled and proves_yes(proof):
            return self.bounds.take(proof)
        return self._take_whole(proof)

    # ---------------------------------------------------------------- the end

    def conclude(self) -> None:
        """Take the bounds that cost nothing, and write them out; call it once."""
        if self.answer is None or self.answer.is_about_coupling_alone:
            self._try_to_glue()
            if self.answer is None:
                self._embed_if_late()
            if self._asked.d > 1 and self.bounds.no is None and self.bounds.similarity.divides:
                decide_within(self.bounds, 1, choose(["line"]), Search())
        answers = self.answer is not None and self.answer is self.bounds.yes
        self._write_out()
        if answers:
            self.answer = self.bounds.yes

    @property
    def verdict(self) -> Verdict:
        """The answer to the question asked, with the best bound on each side that is open."""
        asked, no, yes = self._asked, self.bounds.no, self.bounds.yes
        trail = tuple(self.bounds.trails.get(asked.d, {}).values())
        spent = self._spent[Status.YES] + self._spent[Status.NO]
        if spent:
            trail += (Attempt("bounds", spent, self._bounds_in_words),)
        below = no if no is not None and no.problem.d < asked.d else None
        above = yes if yes is not None and yes.problem.d > asked.d else None
        if self.answer is None:
            return Verdict(asked, None, trail, below, above)
        if not self.answer.is_about_coupling_alone:  # the answer itself is the bound on its side
            is_yes = self.answer.status is Status.YES
            below, above = (below, None) if is_yes else (None, above)
        return self.answer.amend(trail=trail, below=below, above=above)


def decide_within(
    bounds: Bounds, d: int, strategies: Sequence[StrategyRecord], search: Search
) -> None:
    """Decide one dimension by some of the strategies; what they prove enters the bounds."""
    if strategies:
        asked = Problem(bounds.pattern, d, similarity=bounds.similarity)
        Decision(bounds, asked, strategies, search, share=0.0).run()


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
    decision = Decision(bounds, problem, strategies, search, progress, share)
    try:
        decision.run()
        decision.conclude()
    except KeyboardInterrupt:
        decision.stop()
        decision.conclude()
        raise Interrupted(decision.verdict) from None
    return decision.verdict


def decide_reduced(
    problem: Problem, reduction: Reduction[Problem, Problem, Any], search: Search, name: str
) -> Proof | str:
    """Go on with the decision of a reduced problem until it is settled or this turn ends.

    `search.work` keeps the decision under the name of the strategy, for the next turn.
    """
    kept = search.work.get(name)
    if not isinstance(kept, _Reduced):
        kept = search.work[name] = _Reduced(*reduction.apply(problem), search)
    while search.remaining > 0 and kept.decision.step():
        pass
    d = kept.reduced.d
    if kept.decision.answer is None and search.out_of_time and not kept.decision.over:
        return f"dot products in d = {d}: not decided yet"
    search.exhausted.add(name)
    if kept.decision.answer is None or kept.decision.answer.proof is None:
        return f"dot products in d = {d}: undecided"
    lifted: Proof | str = reduction.lift(kept.decision.answer.proof, kept.back)
    return lifted


class _Reduced:
    """The decision of a reduced problem, which goes on from turn to turn."""

    def __init__(self, reduced: Problem, back: Any, search: Search) -> None:
        outer = min(_TIDYING, _SHARE_OF_TIDYING * search.whole_remaining)
        limits = replace(search.apart(), deadline=search.whole - outer)
        bounds = Bounds(reduced.pattern)
        self.decision = Decision(bounds, reduced, choose(), limits, share=0.0)
        self.reduced, self.back = reduced, back
