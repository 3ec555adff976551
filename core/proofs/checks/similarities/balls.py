"""The check of balls around the queries."""

from __future__ import annotations

from samapprox.problem import Problem
from samapprox.proofs.checks.above import above_thresholds
from samapprox.proofs.checks.embedding import first_difference
from samapprox.proofs.checks.similarities.geometry import find_fault_of_size, name_difference
from samapprox.proofs.kinds.similarities.balls import Balls

__all__ = ["find_fault"]


def find_fault(problem: Problem, balls: Balls) -> str | None:
    r"""Return the reason why the balls do not represent the pattern in d, or None.

    Parameters
    ----------
    problem : Problem
    balls : Balls

    Notes
    -----
    Balls are halfspaces over the paraboloid of the keys (k, |k|^2), which are checked as those of
    an embedding in d + 1 dimensions.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("010"), 1, similarity="l2")
    >>> find_fault(problem, Balls([[2]], [1], [[0], [2], [5]], [3])) is None
    True
    >>> find_fault(problem, Balls([[2]], [1], [[1], [2], [5]], [2]))
    'row 0 and column 0: the entry is 0, but the key lies inside the ball'
    """
    if fault := find_fault_of_size(problem, balls, len(balls.centers), len(balls.keys)):
        return fault
    difference = first_difference(problem.pattern, above_thresholds(balls.embedding()))
    return None if difference is None else name_difference(problem.pattern, difference, "ball")
