"""Reasons why a strategy does not apply that several of them give."""

from __future__ import annotations

from samapprox.problem import Problem

__all__ = ["shared_tokens", "too_large"]


def shared_tokens(problem: Problem) -> str | None:
    r"""Why queries and keys cannot be chosen independently; None when they can.

    Examples
    --------
    >>> from samapprox.pattern import Pattern
    >>> shared_tokens(Problem(Pattern.from_text("10\n01"), 2, 2))
    'queries and keys share X'
    """
    return "queries and keys share X" if problem.coupled else None


def too_large(problem: Problem, most_cells: int) -> str | None:
    r"""Why a pattern has more entries than a strategy takes on; None when it has not.

    Examples
    --------
    >>> from samapprox.pattern import Pattern
    >>> too_large(Problem(Pattern.from_text("101\n010"), 1), 5)
    '2 x 3 is too large for it'
    """
    rows, columns = problem.pattern.shape
    return f"{rows} x {columns} is too large for it" if rows * columns > most_cells else None
