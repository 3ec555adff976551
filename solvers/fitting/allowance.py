"""Bounds on the rows that the best embeddings of a dimension get right, beside given ones."""

from __future__ import annotations

from collections.abc import Callable

from samapprox.evaluation import Allowance
from samapprox.formats import PatternLike, as_pattern
from samapprox.pattern import Pattern
from samapprox.problem import Similarity
from samapprox.solvers.decide import decide
from samapprox.solvers.fitting.fit import fit
from samapprox.verdict import Status

__all__ = ["find_allowance"]

_MOST_ENTRIES = 1 << 20
"""Entries of a pattern for which wrong rows are counted; of larger ones it is decided only."""


def find_allowance(
    entries: PatternLike,
    d: int,
    *,
    similarity: Similarity = "dot",
    time_limit: float = 60.0,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Allowance:
    """Bound the number of rows that the best embedding of a dimension gets right.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
    d : int
    similarity : {"dot", "cosine", "l2"}
    time_limit : float
        Seconds for the decision whether all rows can be right, and again for the number of wrong
        rows if not.
    seed : int
    progress : callable, optional
        Called with the current activity.

    Returns
    -------
    Allowance

    Raises
    ------
    InputError

    Notes
    -----
    Bounds for dot products hold for the other similarities, too: normalised keys have the same
    cosines, so no more rows are right under "cosine". Keys (k, |k|^2) turn distances into dot
    products, so under "l2" no more rows are right than under "dot" in d + 1; and large balls
    replace halfspaces, so at least as many as under "dot" in d.

    Examples
    --------
    >>> find_allowance([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1).most
    2
    """
    pattern = as_pattern(entries)
    rows = pattern.shape[0]
    show = progress or (lambda _: None)
    show(f"deciding whether d = {d} suffices for all rows")
    verdict = decide(pattern, d, similarity=similarity, time_limit=time_limit, seed=seed)
    if verdict.status is Status.YES:
        return Allowance(rows, rows)
    most = rows - (verdict.status is Status.NO)
    if rows * pattern.shape[1] > _MOST_ENTRIES:
        return Allowance(0, most)
    show(f"searching for the least number of wrong rows with d = {d}")
    bounds = _bound(pattern, d, similarity, time_limit / (1 + (similarity == "l2")), seed)
    return Allowance(bounds.least, min(most, bounds.most))


def _bound(
    pattern: Pattern, d: int, similarity: Similarity, time_limit: float, seed: int
) -> Allowance:
    """Carry bounds for dot products over to a similarity."""
    rows = pattern.shape[0]
    found = fit(pattern, d, time_limit=time_limit, seed=seed)
    if similarity == "dot":
        return Allowance(rows - found.upper, rows - found.lower)
    if similarity == "cosine":
        return Allowance(0, rows - found.lower)
    larger = fit(pattern, d + 1, time_limit=time_limit, seed=seed)
    return Allowance(rows - found.upper, rows - larger.lower)
