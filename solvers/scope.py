"""Reasons why strategies do not apply, shared by several of them."""

from __future__ import annotations

from samapprox.problem import Problem
from samapprox.solvers.search import Search

__all__ = ["shared_tokens", "too_large", "too_slow"]


def shared_tokens(problem: Problem) -> str | None:
    r"""Return the reason why queries and keys are not independent, or None if they are.

    Examples
    --------
    >>> from samapprox.pattern import Pattern
    >>> shared_tokens(Problem(Pattern.from_text("10\n01"), 2, 2))
    'queries and keys share X'
    """
    return "queries and keys share X" if problem.coupled else None


def too_large(problem: Problem, most_cells: int) -> str | None:
    r"""Return the reason why a pattern has too many entries for a strategy, or None.

    Examples
    --------
    >>> from samapprox.pattern import Pattern
    >>> too_large(Problem(Pattern.from_text("101\n010"), 1), 5)
    '2 x 3 is too large for it'
    """
    rows, columns = problem.pattern.shape
    return f"{rows} x {columns} is too large for it" if rows * columns > most_cells else None


def too_slow(seconds: float, search: Search) -> str | None:
    r"""Return the reason why a strategy does not begin uninterruptible work, or None.

    Parameters
    ----------
    seconds : float
        An estimate of the least work that is of any use.
    search : Search

    Examples
    --------
    >>> too_slow(90.0, Search.within(3.0, 0))
    'its first steps would take about 90 s, more than its turn lasts'
    """
    if seconds <= search.remaining:
        return None
    return f"its first steps would take about {seconds:.2g} s, more than its turn lasts"
