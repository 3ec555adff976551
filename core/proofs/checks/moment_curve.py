"""The check of an order along the moment curve."""

from __future__ import annotations

from samapprox.problem import Problem
from samapprox.proofs.covectors import Covectors
from samapprox.proofs.kinds.moment_curve import MomentCurve
from samapprox.support.text import plural

__all__ = ["find_fault"]


def find_fault(problem: Problem, proof: MomentCurve) -> str | None:
    r"""Return the reason why the order does not represent the pattern in d, or None.

    Parameters
    ----------
    problem : Problem
    proof : MomentCurve

    Notes
    -----
    O(k log k + m + n) time for a sparse pattern of k ones, O(m n) else. Nothing is as large as the
    pattern written out.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("1010"), 2)
    >>> find_fault(problem, MomentCurve(2, "columns", [0, 2, 1, 3])) is None
    True
    >>> find_fault(problem, MomentCurve(2, "columns", [0, 1, 2, 3]))
    'row 0 changes its sign 3 times along the order, more than d = 2'
    """
    if problem.coupled:
        return f"with {problem}, queries and keys share X: X, W_Q and W_K are needed"
    if proof.d > problem.d:
        return f"the moment curve has dimension {proof.d}, more than d = {problem.d}"
    rows, columns = problem.pattern.shape
    by_columns = proof.elements == "columns"
    fault = proof.fault_of_order(columns if by_columns else rows + 1)
    if fault is not None:
        return fault
    counts = Covectors(problem.pattern, proof.elements).count_changes(proof.order, proof.flips)
    worst = int(counts.argmax())
    if counts[worst] <= proof.d:
        return None
    if not by_columns:
        line = problem.pattern.column_label(worst)
    elif worst:
        line = problem.pattern.row_label(worst - 1)
    else:
        line = "the row of +"
    times = plural(int(counts[worst]), "time")
    return f"{line} changes its sign {times} along the order, more than d = {proof.d}"
