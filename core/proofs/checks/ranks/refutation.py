"""The check of refutations of reduced patterns."""

from __future__ import annotations

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.checks import check
from samapprox.proofs.kinds.ranks.forms import Form
from samapprox.proofs.kinds.ranks.refutation import RankRefutation
from samapprox.proofs.questions.rank import Rank, RankKind

__all__ = ["find_fault"]

_FORMS: dict[RankKind, list[list[Form]]] = {
    "sign": [["relative"], ["doubled"]],
    "global": [["ones", "zeros"]],
    "row": [["plain"]],
}
"""Kind of rank -> the forms of the cases that exclude it together, in one of these ways."""


def find_fault(question: Rank, proof: RankRefutation) -> str | None:
    r"""Return the reason why the cases do not exclude the rank, or None.

    Parameters
    ----------
    question : Rank
    proof : RankRefutation
        Whose rows and columns lie in the matrix.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.proofs import Radon
    >>> from samapprox.proofs.kinds.ranks.refutation import ReducedCase
    >>> case = ReducedCase("plain", range(3), range(3), Radon(range(3), range(3)))
    >>> matrix = Pattern.from_text("100\n010\n001")
    >>> find_fault(Rank(matrix, 1, "row"), RankRefutation([case])) is None
    True
    >>> find_fault(Rank(matrix, 1, "sign"), RankRefutation([case]))
    'its cases have the forms plain, which do not exclude a sign-rank'
    """
    forms = sorted(case.form for case in proof.cases)
    if forms not in _FORMS[question.kind]:
        named = ", ".join(forms)
        return f"its cases have the forms {named}, which do not exclude a {_RANKS[question.kind]}"
    for case in proof.cases:
        d = case.excluded_dimension(question.rank)
        if d < 1:
            return "a relative form excludes ranks of at least 2 only"
        try:
            reduced = case.reduced_pattern(question.pattern)
        except InputError as error:
            return f"the case {case.form}: {error}"
        if fault := check(Problem(reduced, d), case.proof):
            return f"the case {case.form}: {fault}"
    return None


_RANKS: dict[RankKind, str] = {
    "sign": "sign-rank",
    "global": "rank with one threshold",
    "row": "rank with a threshold for each row",
}
