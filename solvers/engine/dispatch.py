"""The decision of a problem with any similarity, in this process."""

from __future__ import annotations

from collections.abc import Sequence

from samapprox.problem import Problem
from samapprox.results.verdict import Verdict
from samapprox.solvers.engine.decision import Decision
from samapprox.solvers.engine.portfolio import StrategyRecord
from samapprox.solvers.engine.search import Search
from samapprox.solvers.engine.turns import Progress

__all__ = ["run_decision"]


def run_decision(
    problem: Problem,
    strategies: Sequence[StrategyRecord],
    search: Search,
    progress: Progress | None = None,
) -> Verdict:
    r"""Decide a problem with any similarity in this process.

    Parameters
    ----------
    problem : Problem
    strategies : sequence of StrategyRecord
        See `samapprox.solvers.engine.portfolio.choose`.
    search : Search
    progress : callable, optional

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.solvers.engine.portfolio import choose
    >>> problem = Problem(Pattern.from_text("10\n01"), 1)
    >>> run_decision(problem, choose(["line"]), Search()).status.value
    'YES'
    """
    if problem.similarity.divides:
        return Decision(problem, strategies, search, progress).run()
    from samapprox.solvers.similarity.decide import decide_similarity  # seldom needed

    return decide_similarity(problem, search, strategies, progress)
