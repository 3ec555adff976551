"""Bounds on the rows that the best embeddings of a dimension get right, beside given ones."""

from __future__ import annotations

from collections.abc import Callable

from samapprox.evaluation import Allowance
from samapprox.formats import PatternLike, as_pattern
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
    found = fit(pattern, d, similarity=similarity, time_limit=time_limit, seed=seed)
    return Allowance(rows - found.upper, min(most, rows - found.lower))
