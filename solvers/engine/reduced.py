"""The decision of a problem by a reduced one with dot products, in turns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from samapprox.problem import Problem, Reduction
from samapprox.proofs.base import Proof
from samapprox.solvers.engine.bounds import Bounds
from samapprox.solvers.engine.decision import Decision
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.engine.search import Search

__all__ = ["decide_reduced"]

_TIDYING, _SHARE_OF_TIDYING = 0.5, 0.05
"""Seconds at the end that the outer decision keeps, but at most this share of what is left."""


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
