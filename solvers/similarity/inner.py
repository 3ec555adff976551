"""Decisions for dot products within a strategy, continued from turn to turn."""

from __future__ import annotations

from dataclasses import replace

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.solvers.engine.decision import Decision
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.engine.search import Search

__all__ = ["decide_within"]

_TIDYING = 0.5  # seconds at the end that the outer decision keeps


def decide_within(problem: Problem, search: Search, name: str) -> Proof | str:
    r"""Go on with a decision until it is settled or this turn ends.

    Parameters
    ----------
    problem : Problem
        The same in all turns of the strategy.
    search : Search
        Its `work` keeps the decision; a decision that is over makes the strategy exhausted.
    name : str
        Of the strategy.

    Returns
    -------
    Proof or str
        The proof; or a few words on how far it came.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> decide_within(Problem(Pattern.from_text("100\n010\n001"), 1), Search(), "here").KIND
    'radon'
    """
    decision = search.work.get(name)
    if not isinstance(decision, Decision):
        limits = replace(search.apart(), deadline=search.whole - _TIDYING)
        decision = search.work[name] = Decision(problem, choose(), limits)
    while not decision.over and not search.out_of_time:
        decision.turn()
    if not decision.over:
        return f"dot products in d = {problem.d}: not decided yet"
    search.exhausted.add(name)
    return decision.verdict.proof or f"dot products in d = {problem.d}: undecided"
