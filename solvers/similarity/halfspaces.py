"""Embeddings for dot products as regions of a similarity; refutations carry over, too."""

from __future__ import annotations

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.solvers.engine.decision import decide_reduced
from samapprox.solvers.engine.search import Search
from samapprox.solvers.similarity.transfers import ToDotProducts

NAME = "halfspaces"


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d <= problem.similarity.above:
        return "halfspaces become caps in one dimension more"
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Decide whether dot products represent the pattern in d dimensions, or in fewer.

    docs/theory/similarities.md has the proof that a YES carries over.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("100\n010\n001")
    >>> find_proof(Problem(pattern, 3, similarity="cosine"), Search()).KIND
    'caps'
    """
    return decide_reduced(problem, ToDotProducts(search.whole_remaining), search, NAME)
