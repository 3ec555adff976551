"""The check of refutations by an extended core."""

from __future__ import annotations

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.checks import check
from samapprox.proofs.kinds.similarities.extended import Extended

__all__ = ["find_fault"]


def find_fault(problem: Problem, extended: Extended) -> str | None:
    r"""Return the reason why the extended core is not refuted, or None.

    Parameters
    ----------
    problem : Problem
        With at most 2^22 entries in the extended core.
    extended : Extended

    Notes
    -----
    r c^2 operations for a core of r rows and c columns, and the proof's own check.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.proofs import Radon
    >>> problem = Problem(Pattern.from_text("110\n011"), 1, similarity="cosine")
    >>> proof = Radon([2, 3, 4], [0, 1, 2])
    >>> find_fault(problem, Extended("cosine", [0, 1], [0, 1, 2], proof)) is None
    True
    >>> find_fault(problem, Extended("cosine", [0], [0, 1, 2], Radon([1, 2, 3], [0, 1, 2])))
    "it does not refute the extended core: it reads a don't-care entry"
    """
    if extended.similarity != problem.similarity.name:
        return f"it is about the similarity {extended.similarity}, not {problem.similarity}"
    try:
        inner = Problem(extended.pattern_of_proof(problem.pattern), problem.d + extended.extra)
    except InputError as error:
        return f"the core: {error}"
    fault = check(inner, extended.proof)
    return None if fault is None else f"it does not refute the extended core: {fault}"
