"""Proofs of NO for ranks: refutations of dimensions of reduced patterns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Nested, Obstruction, Record, Records
from samapprox.proofs.checker import check
from samapprox.proofs.members import Choice, Indices
from samapprox.proofs.questions import Rank, RankKind
from samapprox.sign_matrix import LabelledMatrix
from samapprox.storage import PackedMatrix
from samapprox.storage.entries import check_size

_FORMS: dict[RankKind, list[list[Form]]] = {
    "sign": [["relative"], ["doubled"]],
    "global": [["ones", "zeros"]],
    "row": [["plain"]],
}
"""Kind of rank -> the forms of the cases that exclude it together, in one of these ways."""

Form = Literal["relative", "doubled", "zeros", "ones", "plain"]

FORMS: tuple[Form, ...] = get_args(Form)
"""The forms of reduced patterns; docs/theory/ranks.md proves what each decides."""


@dataclass(frozen=True, slots=True)
class ReducedCase(Record):
    """A reduced pattern of some rows and columns, and a refutation of its dimension.

    Parameters
    ----------
    form : {"relative", "doubled", "zeros", "ones", "plain"}
        See `samapprox.proofs.ranks.refutation.reduced_pattern`.
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
        self._fill(form, rows, columns, proof)
        if not self.rows or not self.columns:
            raise InputError("a case needs rows and columns")

    @property
    def size(self) -> int:
        """The number of entries of the reduced pattern, at most."""
        return len(self.rows) * (
            2 * len(self.columns) if self.form == "doubled" else len(self.columns) + 1
        )

    def reduced_pattern(self, pattern: Pattern) -> LabelledMatrix:
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
            The rank that the case helps to exclude.
        """
        return rank - 1 if self.form == "relative" else rank

    def reason(self, question: Rank) -> str:
        """Return what the rank would give the reduced pattern, in one line or two.

        Parameters
        ----------
        question : Rank
            The question about the matrix.
        """
        d, first = self.excluded_dimension(question.rank), question.pattern.row_label(self.rows[0])
        return _REASONS[self.form].format(rank=question.rank, d=d, first=first)


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
    TASK = "rank"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "NO for a rank: the dimension that it would give a reduced pattern is refuted; for one "
        "threshold those of two patterns."
    )
    caption = "the marked rows and columns exclude the rank"
    dimension = 0  # it excludes a rank, not a dimension of the pattern itself
    MEMBERS = (Records("cases", ReducedCase, least=1),)

    cases: tuple[ReducedCase, ...]

    def __init__(self, cases: Iterable[ReducedCase]) -> None:
        self._fill(cases)
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
    def size(self) -> int:
        """The number of entries of all reduced patterns."""
        return sum(case.size for case in self.cases)

    def find_fault(self, question: Rank) -> str | None:
        """Return the reason why the cases do not exclude the rank, or None."""
        forms = sorted(case.form for case in self.cases)
        if forms not in _FORMS[question.kind]:
            named = ", ".join(forms)
            return (
                f"its cases have the forms {named}, which do not exclude a {_RANKS[question.kind]}"
            )
        for case in self.cases:
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

    def explain(self, question: Rank) -> list[str]:
        lines = []
        for case in self.cases:
            d = case.excluded_dimension(question.rank)
            reduced = case.reduced_pattern(question.pattern)
            lines += case.reason(question).splitlines()
            lines += [f"  {line}" for line in case.proof.explain(Problem(reduced, d))]
        return lines


_REASONS: dict[Form, str] = {
    "relative": (
        "Rank {rank} would give the other rows, relative to {first}, an embedding in dimension "
        "{d}, but they have none\n"
        "(1 and 0 are exchanged in the columns where {first} has a 0):"
    ),
    "doubled": (
        "Rank {rank} would give the columns and their opposites (1 and 0 exchanged) together an "
        "embedding in dimension {d}, but they have none:"
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

_RANKS: dict[RankKind, str] = {
    "sign": "sign-rank",
    "global": "rank with one threshold",
    "row": "rank with a threshold for each row",
}


def reduced_pattern(
    pattern: Pattern, form: Form, rows: Sequence[int], columns: Sequence[int]
) -> LabelledMatrix:
    r"""Return the reduced pattern of a submatrix.

    Let S be the submatrix with the given rows and columns.

    - "plain": S.
    - "zeros", "ones": S and one more column, of zeros or of ones.
    - "doubled": S, and to the right of it S with 1 and 0 exchanged.
    - "relative": S without its first row; 1 and 0 are exchanged in the columns in which the first
      row is 0. The first row must be specified.

    Its rows may lack a 1. Their labels are those of the pattern's rows and columns. With one more
    column, a whole sparse matrix stays sparse. An empty submatrix is refused, and a relative form
    whose first row has a don't-care.

    >>> pattern = Pattern.from_text("10\n01")
    >>> for form in FORMS:
    ...     print(form, reduced_pattern(pattern, form, [0, 1], [0, 1]).to_text().split())
    relative ['00']
    doubled ['1001', '0110']
    zeros ['100', '010']
    ones ['101', '011']
    plain ['10', '01']
    """
    row_labels = [pattern.row_label(row) for row in rows]
    column_labels = [pattern.column_label(column) for column in columns]
    first = pattern.submatrix(rows[:1], columns)
    if form == "relative":
        if (first == UNSPECIFIED).any():
            raise InputError(f"{row_labels[0]}, to which the others are relative, has a don't-care")
        rows, row_labels = rows[1:], row_labels[1:]
    elif form == "doubled":
        column_labels += [f"the opposite of {label}" for label in column_labels]
    elif form != "plain":
        column_labels.append("the extra column")
    check_size(len(rows), len(column_labels))

    def pack(value: int) -> PackedMatrix:
        """Pack the places of a value: block by block, as whole matrices of bytes are slow."""
        return PackedMatrix.from_blocks(
            len(rows),
            len(column_labels),
            lambda start, stop: (
                _reduce(pattern.submatrix(rows[start:stop], columns), form, first) == value
            ).view(np.uint8),
            in_any_order=True,
        )

    is_whole = (rows, columns) == tuple(map(range, pattern.shape))
    if is_whole and pattern.ones.is_sparse and pattern.is_specified and form in ("zeros", "ones"):
        reduced = LabelledMatrix.from_storage(pattern.ones.append_column(form == "ones"), None)
    else:
        unspecified = None if pattern.is_specified else pack(UNSPECIFIED).nonempty()
        reduced = LabelledMatrix.from_storage(pack(1), unspecified)
    return reduced.labelled(row_labels, column_labels)


def _reduce(entries: NDArray[np.int8], form: Form, first: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return some rows of the reduced pattern; `first` is the first row of all."""
    if form == "relative":
        return np.where(first == 1, entries, _opposite(entries))
    if form == "doubled":
        return np.hstack([entries, _opposite(entries)])
    if form == "plain":
        return entries
    extra = np.full((len(entries), 1), form == "ones", dtype=np.int8)
    return np.hstack([entries, extra])


def _opposite(entries: NDArray[np.int8]) -> NDArray[np.int8]:
    """Exchange 1 and 0."""
    return np.where(entries == UNSPECIFIED, entries, 1 - entries)
