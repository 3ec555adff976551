"""A proof of YES for all but some rows or entries of a pattern."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Nested, Witness
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import ExactArray, Places
from samapprox.proofs.members import Choice
from samapprox.proofs.questions import UNITS, Fit, Unit
from samapprox.proofs.words import list_numbers
from samapprox.support.arrays import flags_at, others_than, places_of
from samapprox.support.text import plural


@dataclass(frozen=True, slots=True, eq=False)
class PartialEmbedding(Witness):
    r"""A proof of YES for a pattern without its wrong rows, or with its wrong entries changed.

    Parameters
    ----------
    unit : {"rows", "entries"}
        What the wrong items are.
    wrong : array_like of int
        Rows; or entries, numbered row by row: entry (i, j) is i n + j.
    proof : Witness
        For the pattern without the wrong rows; or with the wrong entries changed, without the rows
        that have no 1 then.
    above : array_like of int, optional
        Zeros that may score as high as the ones of their rows, if rows are right at K: they are
        don't-cares for the proof. They have numbers as entries have.

    Raises
    ------
    InputError
        Not integers, or another proof.

    Examples
    --------
    >>> pattern = Pattern.from_text("100\n010\n001")
    >>> proof = PartialEmbedding("rows", [1], Embedding([[-1], [1]], [[0], [1], [2]], [-1, 1]))
    >>> proof.right_part(pattern).to_text()
    '100\n001'
    >>> proof.embedding(pattern).queries.tolist()
    [[-1], [0], [1]]
    """

    KIND = "partial-embedding"
    TASK = "fit"
    SIMILARITIES = ("dot", "cosine", "l2")
    CLAIM = (
        "YES: the proof holds for the pattern without the wrong rows, or with the wrong entries "
        "changed (and without the rows that have no 1 then); entry (i, j) has the number i n + j. "
        "Rows are right at K if the zeros that may stand before their ones are don't-cares."
    )
    MEMBERS = (
        Choice("unit", UNITS),
        Places("wrong"),
        Nested("proof"),
        Places(
            "above",
            optional=True,
            description="Zeros that are don't-cares for the proof, numbered row by row: they may "
            "stand before the ones of their rows, which are right at K.",
        ),
    )

    unit: Unit
    wrong: ExactArray
    proof: Witness
    above: ExactArray | None

    def __init__(
        self, unit: Unit, wrong: ArrayLike, proof: Witness, above: ArrayLike | None = None
    ) -> None:
        self._fill(unit, wrong, proof, above)

    @property
    def dimension(self) -> int:
        """The dimension of the proof for the rest."""
        return self.proof.dimension

    def right_rows(self, pattern: Pattern) -> NDArray[np.int64]:
        """Return the rows that the proof is about, ascending.

        Parameters
        ----------
        pattern : Pattern
            The whole one, which has all the items that are named.
        """
        if self.unit == "rows":
            return others_than(self.wrong, pattern.shape[0])
        return np.flatnonzero(_count_ones(pattern, self.wrong))

    def right_part(self, pattern: Pattern) -> Pattern:
        """Return the pattern that the proof is about.

        Parameters
        ----------
        pattern : Pattern
            The whole one, which has all the items that are named.

        Raises
        ------
        InputError
            No row is left, or entries are wrong in rows that are too many to be written out.
        """
        rows = self.right_rows(pattern)
        if not rows.size:
            raise InputError("no row of the pattern is left")
        if self.above is not None and self.above.size:
            return change_entries(pattern, self.above, rows, UNSPECIFIED)
        if self.unit == "rows":
            return pattern.take(rows, np.arange(pattern.shape[1]))
        return change_entries(pattern, self.wrong, rows)

    def embedding(self, pattern: Pattern, /) -> Embedding:
        """Compute the queries, keys and thresholds, with queries of 0 where the proof has none.

        Parameters
        ----------
        pattern : Pattern
            The pattern that it represents, except for the wrong items.

        Raises
        ------
        InputError
            The numbers are too many or too long to be written out.
        """
        own = self.proof.embedding(self.right_part(pattern))
        return spread_rows(own, self.right_rows(pattern), pattern.shape[0])

    def find_fault(self, question: Fit) -> str | None:
        """Return the reason why there are too many wrong items or the proof for the rest fails.

        Linear in the stored entries (all entries where single ones are wrong), and the cost of the
        check of the proof for the rest.
        """
        pattern = question.pattern
        rows, columns = pattern.shape
        if self.unit != question.unit:
            return f"its wrong items are {self.unit}, not {question.unit}"
        count = len(self.wrong)
        if count > question.wrong:
            return f"it has {count} wrong item{'s' * (count > 1)}, more than {question.wrong}"
        items = rows if self.unit == "rows" else rows * columns
        if count and self.wrong.max() >= items:
            return f"it names item {self.wrong.max()}, but there are only {items} {self.unit}"
        if self.unit == "entries" and pattern.unspecified is not None:
            places = np.divmod(self.wrong, columns)
            if (stars := np.flatnonzero(pattern.unspecified.entries(*places))).size:
                return f"item {self.wrong[stars[0]]} is a don't-care entry, which cannot be wrong"
        if fault := self._find_fault_of_depth(question):
            return fault
        try:
            rest = self.right_part(pattern)
        except InputError as error:
            return str(error)
        return check(Problem(rest, question.d, None, question.similarity), self.proof)

    def _find_fault_of_depth(self, question: Fit) -> str | None:
        """Check that each row that is not wrong has its ones among the first K."""
        pattern, at, above = question.pattern, question.at, self.above
        if at is None:
            return None if above is None else "its zeros may not stand before ones"
        rows, columns = pattern.shape
        if above is None:
            above = np.zeros(0, dtype=np.int64)
        if above.size and above.max() >= rows * columns:
            return f"it names entry {above.max()}, which the pattern does not have"
        lines, places = np.divmod(above, columns)
        is_wrong = flags_at(self.wrong, rows)
        if is_wrong[lines].any():
            return "it names zeros of wrong rows"
        specified = np.ones(len(above), dtype=np.bool_)
        if pattern.unspecified is not None:
            specified = ~pattern.unspecified.entries(lines, places)
        if (~specified | pattern.ones.entries(lines, places)).any():
            return "it names entries that are not zeros"
        first = pattern.row_ones + np.bincount(lines, minlength=rows)
        if (late := np.flatnonzero(~is_wrong & (first > at))).size:
            return f"row {late[0]} has {first[late[0]]} ones and zeros before them, more than {at}"
        return None

    def explain(self, question: Fit) -> list[str]:
        right = Problem(self.right_part(question.pattern), question.d, None, question.similarity)
        inner = self.proof.explain(right)
        if self.above is not None and self.above.size:
            zeros = plural(self.above.size, "zero")
            inner = [f"The ones of other rows may come after {zeros} in all.", *inner]
        if not self.wrong.size:
            return inner
        one, many = {"rows": ("row", "rows"), "entries": ("entry", "entries")}[self.unit]
        named = _name(self.unit, self.wrong, question.pattern)
        return [f"Wrong {one if len(self.wrong) == 1 else many}: {named}.", *inner]


_MOST_NAMED = 12
"""Wrong items that an explanation lists; documents and results hold all of them."""

MOST_CHANGED = 1 << 26
"""Entries up to which rows are written out to change some of them."""


def spread_rows(own: Embedding, rows: NDArray[np.int64], count: int) -> Embedding:
    """Return an embedding of chosen rows as one of `count` rows, with queries of 0 elsewhere."""
    queries = np.zeros((count, own.queries.shape[1]), dtype=own.queries.dtype)
    thresholds = np.zeros(count, dtype=own.thresholds.dtype)
    queries[rows], thresholds[rows] = own.queries, own.thresholds
    return Embedding(queries, own.keys, thresholds)


def change_entries(
    pattern: Pattern, changed: ExactArray, rows: NDArray[np.int64], value: int | None = None
) -> Pattern:
    """Return chosen rows of the pattern with some of its entries changed, perhaps to a value.

    The rows are in ascending order; entries in other rows have no effect.
    """
    width = pattern.shape[1]
    if rows.size * width > MOST_CHANGED:
        raise InputError(f"entries of {rows.size} x {width} are too many to be changed")
    entries = pattern.take(rows, np.arange(width)).to_array()
    at, columns = np.divmod(changed.astype(np.int64), width)
    line_of = places_of(rows, pattern.shape[0])
    is_chosen = line_of[at] >= 0
    places = line_of[at[is_chosen]], columns[is_chosen]
    entries[places] = entries[places] ^ 1 if value is None else value
    care = entries != UNSPECIFIED
    names = pattern.row_names
    return Pattern.from_array(
        entries == 1,
        None if care.all() else care,
        row_names=None if names is None else [names[row] for row in rows],
        column_names=pattern.column_names,
    )


def _count_ones(pattern: Pattern, changed: ExactArray) -> NDArray[np.int64]:
    """Count the ones of each row after some entries are changed."""
    rows, columns = np.divmod(changed.astype(np.int64), pattern.shape[1])
    signs = np.where(pattern.ones.entries(rows, columns), -1, 1)
    counts = pattern.row_ones.astype(np.int64)
    np.add.at(counts, rows, signs)
    return counts


def _name(unit: Unit, wrong: ExactArray, pattern: Pattern) -> str:
    """List the first wrong items, and count the others."""
    numbers = sorted(wrong.tolist())
    if unit == "rows":
        return list_numbers(numbers, _MOST_NAMED)
    width = pattern.shape[1]
    return list_numbers([divmod(number, width) for number in numbers], _MOST_NAMED)
