"""Embeddings for dot products as balls, and their refutations, which hold for balls, too."""

from __future__ import annotations

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.base import Obstruction, Proof, Witness
from samapprox.solvers.engine.search import Search
from samapprox.solvers.similarity.inner import decide_within
from samapprox.solvers.similarity.transfers import refute_by, represent_by

__all__ = ["NAME", "applies", "find_proof", "first_turn"]

NAME = "halfspaces"

_FIRST = 0.3  # seconds


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d <= problem.similarity.above:
        return "halfspaces become caps in one dimension more"
    return None


def first_turn(_problem: Problem) -> float:
    """Return the length of the first turn in seconds."""
    return _FIRST


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Decide whether dot products represent the pattern in d, or for cosines in d - 1.

    Parameters
    ----------
    problem : Problem
    search : Search

    Returns
    -------
    Proof or str
        YES, a NO for d - 1, or how far the decision came.

    Notes
    -----
    docs/theory/similarities.md has the proof that a YES carries over.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("100\n010\n001")
    >>> find_proof(Problem(pattern, 3, similarity="cosine"), Search()).KIND
    'caps'
    """
    pattern, similarity = problem.pattern, problem.similarity
    d = problem.d - similarity.above
    found = decide_within(Problem(pattern, d), search, NAME)
    if isinstance(found, Witness):
        try:
            return represent_by(found, pattern, similarity, search.whole_remaining)
        except InputError as error:
            return str(error)
    if isinstance(found, Obstruction):
        return refute_by(found, pattern, similarity)
    return found
