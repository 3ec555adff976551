"""The check of a clash of signs."""

from __future__ import annotations

from samapprox.problem import Problem
from samapprox.proofs.kinds.sign_clash import SignClash

__all__ = ["find_fault"]


def find_fault(problem: Problem, clash: SignClash) -> str | None:
    r"""Return the reason why the rows do not force both signs, or None.

    Parameters
    ----------
    problem : Problem
    clash : SignClash

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("10\n01"), 1, 1)
    >>> find_fault(problem, SignClash([0, 0, 1], [1, 1, 0], []))
    'for c > 0: no split shows that tokens 0 and 1 have opposite signs'
    """
    if problem.d_hid != 1:
        return f"a sign clash is about d = d_hid = 1, not {problem}"
    pattern = problem.pattern
    same_sign: dict[frozenset[int], bool] = {}
    for split in clash.splits:
        (p_first, p_second), (q_first, q_second) = pattern.submatrix(
            split.rows, split.columns
        ).tolist()
        if {p_first, p_second} != {0, 1} or {q_first, q_second} != {0, 1}:
            return f"rows {split.rows} do not both distinguish columns {split.columns}"
        same_sign[frozenset(split.rows)] = p_first == q_first
    for sign, (row, alike, unlike), wanted in (
        ("c > 0", clash.positive, [1, 0]),
        ("c < 0", clash.negative, [0, 1]),
    ):
        if alike != row and same_sign.get(frozenset((row, alike))) is not True:
            return f"for {sign}: no split shows that tokens {row} and {alike} have the same sign"
        if same_sign.get(frozenset((row, unlike))) is not False:
            return f"for {sign}: no split shows that tokens {row} and {unlike} have opposite signs"
        if pattern.submatrix([row], [alike, unlike])[0].tolist() != wanted:
            return f"for {sign}: row {row} is not {wanted} at columns {alike} and {unlike}"
    return None
