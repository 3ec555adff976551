"""Checks that caps and balls have in common."""

from __future__ import annotations

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Witness

__all__ = ["find_fault_of_size", "name_difference"]


def find_fault_of_size(problem: Problem, witness: Witness, rows: int, columns: int) -> str | None:
    """Return the reason why numbers of this many queries and keys are no proof, or None.

    Parameters
    ----------
    problem : Problem
    witness : Witness
    rows, columns : int
        The numbers of its queries and keys.
    """
    if witness.dimension > problem.d:
        return f"its keys have dimension {witness.dimension}, more than d = {problem.d}"
    height, width = problem.pattern.shape
    if (rows, columns) != (height, width):
        return f"it is about {rows} x {columns} entries, the pattern has {height} x {width}"
    return None


def name_difference(pattern: Pattern, place: tuple[int, int], what: str) -> str:
    """Name an entry that caps or balls contradict.

    Parameters
    ----------
    pattern : Pattern
    place : (row, column)
    what : str
        "cap" or "ball".
    """
    row, column = place
    wanted = int(pattern.submatrix([row], [column])[0, 0])
    return (
        f"{pattern.row_label(row)} and {pattern.column_label(column)}: the entry is {wanted}, but "
        f"the key lies {'outside' if wanted else 'inside'} the {what}"
    )
