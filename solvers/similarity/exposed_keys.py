"""Dot products once every key alone has a query: refutations, and orders of keys in the plane."""

from __future__ import annotations

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.solvers.engine.decision import decide_reduced
from samapprox.solvers.engine.search import Search, too_large
from samapprox.solvers.similarity.transfers import ToExposedKeys

NAME = "exposed-keys"

_MOST_CELLS = 1 << 22  # entries of the largest pattern that is extended
_MOST_COLUMNS = 2000  # the extended pattern has one more row for each, of as many entries


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d + problem.similarity.below < 2:
        return "keys at two points cannot all be singled out"
    columns = problem.pattern.shape[1]
    if columns > _MOST_COLUMNS:
        return f"a pattern with {columns} columns is too large to be extended"
    return too_large(problem, _MOST_CELLS)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Decide whether dot products represent the extended pattern, and carry the answer over.

    A NO carries over for each d; a YES where keys lie on a circle or a line, which decides these
    d for patterns with don't-cares, too.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("110\n011\n101")
    >>> find_proof(Problem(pattern, 1, similarity="l2"), Search()).KIND
    'extended'
    """
    return decide_reduced(problem, ToExposedKeys(), search, NAME)
