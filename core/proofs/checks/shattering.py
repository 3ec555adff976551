"""The check of a shattered core."""

from __future__ import annotations

from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.kinds.shattering import Shattering

__all__ = ["find_fault"]


def find_fault(problem: Problem, shattering: Shattering) -> str | None:
    r"""Return the reason why the columns do not contain every pattern on the rows, or None.

    Parameters
    ----------
    problem : Problem
    shattering : Shattering

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("1100\n1010"), 1)
    >>> find_fault(problem, Shattering([0, 1], range(4))) is None
    True
    """
    if len(shattering.rows) >= len(shattering.columns).bit_length():  # too few, whatever they show
        rows, columns = len(shattering.rows), len(shattering.columns)
        return f"{columns} columns cannot contain every pattern on {rows} rows"
    entries = problem.pattern.submatrix(shattering.rows, shattering.columns)
    if (entries == UNSPECIFIED).any():
        return "it reads a don't-care entry"
    shown = {tuple(column) for column in entries.T.tolist()}
    wanted = 2 ** len(shattering.rows)
    if len(shown) < wanted:
        return f"the columns contain {len(shown)} of the {wanted} patterns on the rows"
    return None
