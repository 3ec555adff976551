"""Proofs of NO for ranks: refutations of dimensions of reduced patterns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.base import Obstruction
from samapprox.proofs.kinds.ranks.forms import FORMS, Form, reduced_pattern
from samapprox.proofs.members import Choice, Indices, Record, Records
from samapprox.proofs.nested import Nested

if TYPE_CHECKING:
    from samapprox.pattern import Pattern
    from samapprox.proofs.questions.rank import Rank
    from samapprox.sign_matrix import SignMatrix

__all__ = ["RankRefutation", "ReducedCase"]


@dataclass(frozen=True, slots=True)
class ReducedCase(Record):
    """A reduced pattern of some rows and columns, and a refutation of its dimension.

    Parameters
    ----------
    form : {"relative", "doubled", "zeros", "ones", "plain"}
        See `samapprox.proofs.kinds.ranks.forms.reduced_pattern`.
    rows, columns : iterable of int
        In the order of the reduced pattern; a relative form is relative to the first row.
    proof : Obstruction
        For the reduced pattern, in whose terms its rows and columns are.
    """

    TITLE = "a case"
    MEMBERS = (
        Choice("form", FORMS),
        Indices("rows", least=1),
        Indices("columns", least=1),
        Nested("proof", "NO"),
    )

    form: Form
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    proof: Obstruction

    def __init__(
        self, form: Form, rows: Iterable[int], columns: Iterable[int], proof: Obstruction
    ) -> None:
        self._fill(form=form, rows=rows, columns=columns, proof=proof)
        if not self.rows or not self.columns:
            raise InputError("a case needs rows and columns")

    @property
    def size(self) -> int:
        """The number of entries of the reduced pattern, at most."""
        return len(self.rows) * (
            2 * len(self.columns) if self.form == "doubled" else len(self.columns) + 1
        )

    def reduced_pattern(self, pattern: Pattern) -> SignMatrix:
        """Return the reduced pattern.

        Raises
        ------
        InputError
            The first row of a relative form has a don't-care.
        """
        return reduced_pattern(pattern, self.form, self.rows, self.columns)

    def excluded_dimension(self, rank: int) -> int:
        """Return the dimension that must be refuted to exclude a rank.

        Parameters
        ----------
        rank : int
        """
        return rank - 1 if self.form == "relative" else rank


@dataclass(frozen=True, slots=True)
class RankRefutation(Obstruction):
    r"""Refutations of the dimensions of reduced patterns, which exclude a rank.

    A sign-rank of at most r needs d = r for the doubled form of every submatrix, and d = r - 1 for
    its form relative to a row that is specified. One threshold needs d = r for the form with zeros
    or for that with ones. A threshold for each row needs d = r for the plain form.

    Parameters
    ----------
    cases : iterable of ReducedCase
        One; for one threshold two, "zeros" and "ones".

    References
    ----------
    docs/theory/ranks.md has the proofs.

    Examples
    --------
    >>> from samapprox.proofs import Radon
    >>> case = ReducedCase("plain", range(3), range(3), Radon(range(3), range(3)))
    >>> RankRefutation([case]).rows
    (0, 1, 2)
    """

    KIND = "rank-refutation"
    CLAIM = (
        "NO for a rank: the dimension that it would give a reduced pattern is refuted; for one "
        "threshold those of two patterns."
    )
    MEMBERS = (Records("cases", ReducedCase, least=1),)

    cases: tuple[ReducedCase, ...]

    def __init__(self, cases: Iterable[ReducedCase]) -> None:
        self._fill(cases=cases)
        if not self.cases:
            raise InputError("there must be cases")

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows of all cases, ascending."""
        return tuple(sorted({row for case in self.cases for row in case.rows}))

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of all cases, ascending."""
        return tuple(sorted({column for case in self.cases for column in case.columns}))

    @property
    def dimension(self) -> int:
        """Return 0: it excludes a rank, not a dimension of the pattern itself."""
        return 0

    @property
    def size(self) -> int:
        """The number of entries of all reduced patterns."""
        return sum(case.size for case in self.cases)

    @property
    def caption(self) -> str:
        """The caption of a picture of the core: half a line on the marked rows and columns."""
        return "the marked rows and columns exclude the rank"

    def explain(self, question: Rank) -> list[str]:
        """Explain the proof in lines of text."""
        lines = []
        for case in self.cases:
            d = case.excluded_dimension(question.rank)
            reduced = case.reduced_pattern(question.pattern)
            first = question.pattern.row_label(case.rows[0])
            lines.append(_REASONS[case.form].format(rank=question.rank, d=d, first=first))
            lines += [f"  {line}" for line in case.proof.explain(Problem(reduced, d))]
        return lines


_REASONS: dict[Form, str] = {
    "relative": (
        "Rank {rank} would give the other rows, relative to {first}, an embedding in dimension "
        "{d}, but it has none:"
    ),
    "doubled": (
        "Rank {rank} would give the columns and their opposites together an embedding in "
        "dimension {d}, but they have none:"
    ),
    "zeros": (
        "Rank {rank} with a positive threshold would give the matrix with a column of zeros an "
        "embedding in dimension {d}, but it has none:"
    ),
    "ones": (
        "Rank {rank} with a negative threshold would give the matrix with a column of ones an "
        "embedding in dimension {d}, but it has none:"
    ),
    "plain": "Rank {rank} would give the rows an embedding in dimension {d}, but they have none:",
}
