"""How many instances of a run have which least dimension, rank or number of wrong rows."""

from __future__ import annotations

from collections import Counter
from math import ceil

__all__ = ["Bounds", "counted_rows"]

Bounds = tuple[float, float]
"""The proven lower and upper bound of an instance; equal if the answer is exact."""

_MOST_LINES = 10
"""The most lines for exact answers, and the most lines for intervals."""


def counted_rows(values: Counter[Bounds]) -> list[tuple[str, int]]:
    """Return the rows of a table: an answer, and the number of instances that have it.

    Exact answers come first, then proven intervals such as 2..4. Of more than ten exact answers,
    neighbours share a row; of more than ten intervals, the last row counts the others.

    >>> counted_rows(Counter({(2, 2): 5, (1, 1): 3, (2, 4): 1}))
    [('1', 3), ('2', 5), ('2..4', 1)]
    >>> counted_rows(Counter({(d, d): 1 for d in range(1, 21)}))[:2]
    [('1 or 2', 2), ('3 or 4', 2)]
    """
    exact = sorted((lower, n) for (lower, upper), n in values.items() if lower == upper)
    open_ = sorted((bounds, n) for bounds, n in values.items() if bounds[0] != bounds[1])
    size = max(1, ceil(len(exact) / _MOST_LINES))
    parts = [exact[at : at + size] for at in range(0, len(exact), size)]
    rows = [(_words([value for value, _ in part]), sum(n for _, n in part)) for part in parts]
    rows += [(f"{lower:g}..{upper:g}", n) for (lower, upper), n in open_[:_MOST_LINES]]
    others = sum(n for _, n in open_[_MOST_LINES:])
    return rows + [("other intervals", others)] * bool(others)


def _words(values: list[float]) -> str:
    """Describe the exact answers of one row; .. stands for a proven interval and nothing else."""
    if len(values) <= 2:
        return " or ".join(f"{value:g}" for value in values)
    return f"{values[0]:g} to {values[-1]:g}"
