"""The check of a walk from a pair of keys to its reverse."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.kinds.similarities.odd_cycle import OddCycle

__all__ = ["find_fault"]


Entries = NDArray[np.int8]


def find_fault(problem: Problem, proof: OddCycle) -> str | None:
    r"""Return the reason why the pairs need not all have the same order, or None.

    Parameters
    ----------
    problem : Problem
    proof : OddCycle

    Notes
    -----
    Reads up to four entries in each step.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("011\n101\n110"), 1, similarity="l2")
    >>> walk = [[0, 1, 1], [2, 1, 2], [2, 0, 0]]
    >>> find_fault(problem, OddCycle("line", range(3), range(3), walk)) is None
    True
    >>> find_fault(problem, OddCycle("line", range(3), range(3), walk[:2]))
    'step 1 does not keep exactly one column of its pair'
    """
    if proof.curve not in problem.similarity.curves:
        return f"an order on a {proof.curve} is not what {problem} is about"
    if fault := _find_fault_of_numbers(proof):
        return fault
    rows, columns = proof.entries_of_steps()
    if (wrong := np.flatnonzero(columns[:, 0] < 0)).size:
        return f"step {wrong[0]} does not keep exactly one column of its pair"
    lines = np.array(proof.rows, dtype=np.int64)[rows]
    names = np.array(proof.columns, dtype=np.int64)
    stays, old, new = (_read(problem.pattern, lines, names[part]) for part in columns.T)
    outside = np.zeros_like(stays)
    if proof.curve == "circle":
        outside = _read(problem.pattern, lines, np.broadcast_to(names[0], lines.shape))
    unspecified = (stays < 0) | (old < 0) | (new < 0) | (outside < 0)
    if (wrong := np.flatnonzero(unspecified)).size:
        return f"step {wrong[0]} reads a don't-care entry"
    holds = (stays == outside) & (old != outside) & (new != outside)
    if (wrong := np.flatnonzero(~holds)).size:
        row = problem.pattern.row_label(int(lines[wrong[0]]))
        return f"{row} does not justify step {wrong[0]}"
    return None


def _find_fault_of_numbers(proof: OddCycle) -> str | None:
    """Return the first step that names other things than two columns and a row, or None."""
    if proof.walk.shape[1] != 3 or not len(proof.walk):
        return f"each step must be two columns and a row, not {proof.walk.shape[1]} numbers"
    least = int(proof.curve == "circle")  # the first column is where the circle is cut
    for place, low, end in (
        (0, least, len(proof.columns)),
        (1, least, len(proof.columns)),
        (2, 0, len(proof.rows)),
    ):
        numbers = proof.walk[:, place]
        if (wrong := np.flatnonzero((numbers < low) | (numbers >= end))).size:
            what = "row" if place == 2 else "column"
            return f"step {wrong[0]} names a {what} of the core outside {low}..{end - 1}"
    if (wrong := np.flatnonzero(proof.walk[:, 0] == proof.walk[:, 1])).size:
        return f"step {wrong[0]} has the same column twice"
    return None


def _read(pattern: Pattern, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Entries:
    """Return entries as 1, 0, and -1 for a don't-care."""
    entries: Entries = pattern.ones.entries(rows, columns).astype(np.int8)
    if pattern.unspecified is not None:
        entries[pattern.unspecified.entries(rows, columns)] = -1
    return entries
