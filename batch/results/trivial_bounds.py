"""Bounds on what a question measures that need no search, for a pattern and in SQL."""

from __future__ import annotations

import numpy as np

from samapprox.batch.results.question import Question
from samapprox.pattern import Pattern
from samapprox.problem import trivial_dimension


def trivial_bounds(question: Question, pattern: Pattern) -> tuple[float, float | None]:
    r"""Return bounds on what the question measures that need no proof.

    A rank is at most min(m, n), and cosines need at most one dimension more than dot products. For
    norms of at most 1, a one k and a zero l of a row, q . k - q . l is at most 2, hence the margin
    at most 1. If every row is constant, a margin has no upper bound (None).

    >>> pattern = Pattern.from_text("100\n010\n001")
    >>> [trivial_bounds(Question(task), pattern) for task in ("dim", "rank", "margin")]
    [(1, 2), (1, 3), (0.0, 1.0)]
    >>> trivial_bounds(Question("fit", d=1), pattern)
    (0, 3)
    >>> trivial_bounds(Question("dim", arithmetic="int8"), pattern)  # queries are unit vectors
    (1, 3)
    """
    rows, columns = pattern.shape
    if question.task == "margin":
        mixed = np.any((pattern.row_ones > 0) & (pattern.row_zeros > 0))
        return 0.0, 1.0 if mixed else None
    if question.task == "evaluate":
        return 0, rows
    if question.task == "fit":
        entries = int(pattern.row_ones.sum() + pattern.row_zeros.sum())
        return 0, rows if question.unit == "rows" else entries
    if question.kind in ("sign", "global"):
        return 1, min(rows, columns)
    if question.arithmetic is not None:
        return 1, rows
    similarity = question.similarity_record
    return 1, trivial_dimension(pattern.shape, similarity) + similarity.above


def trivial_upper_sql(question: Question) -> str:
    """Return a condition on the table ``result``: the upper bound is that of `trivial_bounds`.

    >>> trivial_upper_sql(Question("dim"))
    '(lower < upper AND upper >= max(1, min(rows, columns - 1)))'
    >>> trivial_upper_sql(Question("dim", similarity="binary"))
    '(lower < upper AND upper >= max(1, min(2 * rows, columns - 1)))'
    """
    if question.kind in ("sign", "global"):
        most = "min(rows, columns)"
    elif question.arithmetic is not None:
        most = "rows"
    else:
        above, per_row = question.similarity_record.above, question.similarity_record.per_row
        of_rows = "rows" if per_row == 1 else f"{per_row} * rows"
        most = f"max(1, min({of_rows}, columns - 1))" + (f" + {above}" if above else "")
    return f"(lower < upper AND upper >= {most})"
