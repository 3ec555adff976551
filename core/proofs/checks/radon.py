"""The check of a Radon core."""

from __future__ import annotations

from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.kinds.radon import Radon

__all__ = ["find_fault"]


def find_fault(problem: Problem, radon: Radon) -> str | None:
    r"""Return the reason why the rows do not split the columns in every way, or None.

    Parameters
    ----------
    problem : Problem
    radon : Radon

    Examples
    --------
    >>> from samapprox import Pattern
    >>> find_fault(Problem(Pattern.from_text("100\n010"), 1), Radon([0, 1], [0, 1, 2]))
    'the rows make 2 of the 3 splits of the columns'
    """
    if len(radon.columns) - 1 > len(radon.rows).bit_length():  # too few, however they split
        return f"{len(radon.rows)} rows cannot split {len(radon.columns)} columns in every way"
    entries = problem.pattern.submatrix(radon.rows, radon.columns)
    if (entries == UNSPECIFIED).any():
        return "it reads a don't-care entry"
    normal = entries ^ entries[:, :1]  # a row and its complement split alike
    splits = {tuple(row) for row in normal.tolist() if any(row)}
    wanted = 2 ** (radon.dimension + 1) - 1
    if len(splits) < wanted:
        return f"the rows make {len(splits)} of the {wanted} splits of the columns"
    return None
