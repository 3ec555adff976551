"""Bounds that hold for every pattern of a shape: those before anything is proven."""

from __future__ import annotations

import numpy as np

from samapprox.batch.results.question import Question
from samapprox.pattern import Pattern
from samapprox.problem import trivial_dimension

__all__ = ["trivial_bounds", "trivial_upper_sql"]


def trivial_bounds(question: Question, pattern: Pattern) -> tuple[float, float | None]:
    r"""Return bounds on what the question measures that need no proof.

    Parameters
    ----------
    question : Question
    pattern : Pattern

    Returns
    -------
    lower, upper : int, float or None
        The upper bound on a margin is None if every row is constant: then there is none.

    Notes
    -----
    A rank is at most min(m, n), and cosines need at most one dimension more than dot products. For
    norms of at most 1, a one k and a zero l of a row, q . k - q . l is at most 2, hence the margin
    at most 1.

    Examples
    --------
    >>> pattern = Pattern.from_text("100\n010\n001")
    >>> [trivial_bounds(Question(task), pattern) for task in ("dim", "rank", "margin")]
    [(1, 2), (1, 3), (0.0, 1.0)]
    >>> trivial_bounds(Question("fit", d=1), pattern)
    (0, 3)
    """
    rows, columns = pattern.shape
    if question.task == "margin":
        mixed = np.any((pattern.row_ones > 0) & (pattern.row_zeros > 0))
        return 0.0, 1.0 if mixed else None
    if question.task == "fit":
        entries = int(pattern.row_ones.sum() + pattern.row_zeros.sum())
        return 0, rows if question.unit == "rows" else entries
    if question.kind in ("sign", "global"):
        return 1, min(rows, columns)
    return 1, trivial_dimension(pattern.shape) + (question.similarity == "cosine")


def trivial_upper_sql(question: Question) -> str:
    """Return a condition on the table ``result``: the upper bound is that of `trivial_bounds`.

    Parameters
    ----------
    question : Question
        About a dimension or a rank.

    Examples
    --------
    >>> trivial_upper_sql(Question("dim"))
    '(lower < upper AND upper >= max(1, min(rows, columns - 1)))'
    """
    if question.kind in ("sign", "global"):
        most = "min(rows, columns)"
    else:
        most = "max(1, min(rows, columns - 1))" + " + 1" * (question.similarity == "cosine")
    return f"(lower < upper AND upper >= {most})"
