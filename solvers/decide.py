"""Deciding one problem: strategies in order of cost, until one finds a proof."""

from __future__ import annotations

import time

from numpy.typing import ArrayLike

from samapprox.checker import proves_yes
from samapprox.pattern import Pattern, as_pattern
from samapprox.problem import Problem
from samapprox.solvers.portfolio import load_strategies
from samapprox.verdict import Attempt, Verdict

__all__ = ["decide"]


def decide(
    entries: ArrayLike | Pattern,
    d: int = 1,
    d_hid: int | None = None,
    *,
    causal: bool = False,
    method: str = "auto",
) -> Verdict:
    """Can attention with query/key dimension d show this pattern? With a proof, already checked.

    Parameters
    ----------
    entries : Pattern, array_like or scipy sparse matrix, shape (m, n)
        Rows are queries, columns are keys.
    d : int
        Query/key dimension.
    d_hid : int, optional
        Hidden dimension of X; below 2d, queries and keys share X (square patterns only).
    causal : bool
        Only entries on and below the diagonal count.
    method : str
        "auto", or one strategy of `samapprox.solvers.portfolio.METHODS`.

    Returns
    -------
    Verdict
        YES with an embedding, NO with an obstruction, or UNKNOWN; the trail says what was tried.

    Raises
    ------
    InputError
        The pattern or the question is unusable.
    CertificateError
        A strategy's proof failed the checker (a bug here).

    Notes
    -----
    For d = 1 and fully specified patterns the cost is linear in the input and the answer never
    UNKNOWN. For d >= 2 a pattern that fits on a line is YES; all else is UNKNOWN as yet.

    References
    ----------
    Likhosherstov et al. (2023), Definition 0.1 and Theorem 0.3.

    Examples
    --------
    >>> verdict = decide([[1, 0, 0], [1, 1, 0], [0, 1, 1]], d=1)
    >>> verdict.status.value
    'YES'
    >>> verdict.proof.keys.ravel()
    array([2, 1, 0])
    """
    problem = Problem(as_pattern(entries, causal=causal), d, d_hid)
    trail: list[Attempt] = []
    for strategy in load_strategies(method):
        started = time.perf_counter()
        found = strategy.applies(problem) or strategy.find_proof(problem)
        seconds = time.perf_counter() - started
        if isinstance(found, str):
            trail.append(Attempt(strategy.NAME, seconds, found))
            continue
        outcome = "YES" if proves_yes(found) else "NO"
        trail.append(Attempt(strategy.NAME, seconds, outcome))
        return Verdict(problem, found, tuple(trail))
    return Verdict(problem, None, tuple(trail))
