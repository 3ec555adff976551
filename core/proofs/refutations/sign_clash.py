"""Rows that force both signs on c in the logits c x_i x_j of d = d_hid = 1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from samapprox.problem import Problem
from samapprox.proofs.base import Obstruction, Record, Records
from samapprox.proofs.members import Indices, Numbers
from samapprox.proofs.words import tabulate


@dataclass(frozen=True, slots=True)
class SharedSplit(Record):
    """Two rows that both separate two columns, and so order them alike or oppositely.

    With logits c x_i x_j, row i splitting columns j and k (one is 1, the other 0) fixes the sign
    of c x_i (x_j - x_k). Two such rows fix the sign of the product of their tokens' x: positive
    when they agree on the columns, negative when not.

    Parameters
    ----------
    rows, columns : pair of int
        The two rows, and the two columns that both separate.
    """

    TITLE = "a split"
    MEMBERS = (Indices("rows", count=2), Indices("columns", count=2))

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __init__(self, rows: Iterable[int], columns: Iterable[int]) -> None:
        self._fill(rows, columns)


@dataclass(frozen=True, slots=True)
class SignClash(Obstruction):
    """Rows that force c > 0 and c < 0 in the logits c x_i x_j: NO for d = d_hid = 1.

    A claim (u, a, b) is about row u and the tokens a and b as its keys, where x_a has the sign of
    x_u and x_b the opposite one (`splits` say why). Then u prefers a to b if and only if c > 0.

    Parameters
    ----------
    positive : (u, a, b)
        Row u has a 1 at a and a 0 at b: c > 0.
    negative : (u, a, b)
        Row u has a 0 at a and a 1 at b: c < 0.
    splits : iterable of SharedSplit
        One for each pair of different tokens among (u, a), (u, b) of either claim.

    Examples
    --------
    The pattern 011 / 110 / 001: rows 0 and 1 disagree about columns 0 and 2, rows 0 and 2 agree.

    >>> clash = SignClash(
    ...     positive=(1, 1, 2), negative=(0, 0, 1),
    ...     splits=[SharedSplit([0, 1], [0, 2]), SharedSplit([1, 2], [0, 2])],
    ... )
    >>> clash.rows, clash.columns
    ((0, 1, 2), (0, 1, 2))
    """

    KIND = "sign-clash"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    COUPLED_ONLY = True
    CLAIM = (
        "NO for d = d_hid = 1: rows force c > 0 and c < 0 in logits c x_i x_j. A claim is (row, "
        "key of the row's sign, key of the other sign)."
    )
    caption = "logits c x_i x_j: the marked entries force c > 0 and c < 0"
    dimension = 1
    MEMBERS = (
        Numbers("positive", 3),
        Numbers("negative", 3),
        Records("splits", SharedSplit),
    )

    positive: tuple[int, int, int]
    negative: tuple[int, int, int]
    splits: tuple[SharedSplit, ...]

    def __init__(
        self, positive: Iterable[int], negative: Iterable[int], splits: Iterable[SharedSplit]
    ) -> None:
        self._fill(positive, negative, splits)

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows whose entries the argument reads, ascending."""
        rows = {self.positive[0], self.negative[0]}
        rows.update(row for split in self.splits for row in split.rows)
        return tuple(sorted(rows))

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns whose entries the argument reads, ascending."""
        columns = {*self.positive[1:], *self.negative[1:]}
        columns.update(column for split in self.splits for column in split.columns)
        return tuple(sorted(columns))

    def entries_read(self) -> list[tuple[int, int]]:
        read = {(row, c) for split in self.splits for row in split.rows for c in split.columns}
        for row, *columns in (self.positive, self.negative):
            read.update((row, column) for column in columns)
        return sorted(read)

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the rows do not force both signs, or None."""
        if problem.d_hid != 1:
            return f"a sign clash is about d = d_hid = 1, not {problem}"
        pattern = problem.pattern
        same_sign: dict[frozenset[int], bool] = {}
        for split in self.splits:
            (p_first, p_second), (q_first, q_second) = pattern.submatrix(
                split.rows, split.columns
            ).tolist()
            if {p_first, p_second} != {0, 1} or {q_first, q_second} != {0, 1}:
                return f"rows {split.rows} do not both distinguish columns {split.columns}"
            same_sign[frozenset(split.rows)] = p_first == q_first
        for sign, (row, alike, unlike), wanted in (
            ("c > 0", self.positive, [1, 0]),
            ("c < 0", self.negative, [0, 1]),
        ):
            if alike != row and same_sign.get(frozenset((row, alike))) is not True:
                return (
                    f"for {sign}: no split shows that tokens {row} and {alike} have the same sign"
                )
            if same_sign.get(frozenset((row, unlike))) is not False:
                return (
                    f"for {sign}: no split shows that tokens {row} and {unlike} have opposite signs"
                )
            if pattern.submatrix([row], [alike, unlike])[0].tolist() != wanted:
                return f"for {sign}: row {row} is not {wanted} at columns {alike} and {unlike}"
        return None

    def explain(self, problem: Problem) -> list[str]:
        pattern = problem.pattern
        lines = ["With d = d_hid = 1 the logits are c x_i x_j, and the rows determine these signs:"]
        for split in self.splits:
            (first, _), (second, _) = pattern.submatrix(split.rows, split.columns).tolist()
            p, q = split.rows
            lines.append(
                f"  x_{p} and x_{q} have "
                f"{'the same sign' if first == second else 'opposite signs'}: "
                f"{pattern.row_label(p)} and {pattern.row_label(q)} "
                f"{'agree' if first == second else 'disagree'} on columns "
                f"{split.columns[0]} and {split.columns[1]}."
            )
        for (row, alike, unlike), relation in ((self.positive, ">"), (self.negative, "<")):
            wins, loses = (alike, unlike) if relation == ">" else (unlike, alike)
            lines.append(
                f"  {pattern.row_label(row)} prefers {pattern.column_label(wins)} to "
                f"{pattern.column_label(loses)}, and "
                + (
                    f"x_{alike} x_{row} > 0 > x_{unlike} x_{row}"
                    if alike != row
                    else f"x_{unlike} x_{row} < 0"
                )
                + f", so c {relation} 0."
            )
        lines.append("  Contradiction.")
        lines.extend(tabulate(pattern, self.rows, self.columns))
        return lines
