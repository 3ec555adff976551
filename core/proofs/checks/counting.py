"""The check of a core with too many splits."""

from __future__ import annotations

from math import comb

from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.kinds.counting import Counting

__all__ = ["find_fault"]


def find_fault(problem: Problem, counting: Counting) -> str | None:
    r"""Return the reason why dimension d allows the splits of the columns, or None.

    Parameters
    ----------
    problem : Problem
    counting : Counting

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("100\n010"), 1)
    >>> find_fault(problem, Counting(1, [0, 1], range(3)))
    'it shows 3 splits of the columns, which d = 1 allows'
    """
    entries = problem.pattern.submatrix(counting.rows, counting.columns)
    if (entries == UNSPECIFIED).any():
        return "it reads a don't-care entry"
    if not counting.columns:
        return "it names no columns"
    normal = entries ^ entries[:, :1]  # a row and its complement split alike
    shown = len({tuple(row) for row in normal.tolist() if any(row)}) + 1  # and not at all
    others, room = len(counting.columns) - 1, 0
    for i in range(min(counting.d, others) + 1):
        room += comb(others, i)
        if shown <= room:  # to add the rest may take for ever
            return f"it shows {shown} splits of the columns, which d = {counting.d} allows"
    return None
