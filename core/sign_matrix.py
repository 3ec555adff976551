"""Matrices of signs: patterns whose rows may lack a 1, also with labels of another matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from samapprox.pattern import Pattern


class SignMatrix(Pattern):
    r"""An immutable matrix of signs, with entries 1 (+), 0 (-) and * (don't care).

    It is a `Pattern` in all respects but one: a row may lack a 1. Attention always attends to some
    key, so patterns refuse such rows; ranks of sign matrices are defined for them, too.

    Parameters
    ----------
    entries, care, row_names, column_names
        As for `Pattern.from_array`, by which it is made, or `Pattern.from_text`.

    Examples
    --------
    >>> matrix = SignMatrix.from_text("10\n00")
    >>> matrix.shape, matrix.row_ones.tolist()
    ((2, 2), [1, 0])
    """

    __slots__ = ()

    @property
    def density(self) -> float:
        """Share of + among the specified entries; 0 if there are none."""
        return self.count / max(1, self.count + int(self.row_zeros.sum()))

    def to_signs(self) -> str:
        r"""Write lines of +, - and *.

        Examples
        --------
        >>> SignMatrix.from_text("10\n0*").to_signs()
        '+-\n-*'
        """
        return self.to_text().translate({ord("1"): "+", ord("0"): "-"})

    def _require_ones(self) -> None:
        """Accept every row."""


class LabelledMatrix(SignMatrix):
    r"""A sign matrix whose messages name the rows and columns of the matrix that it comes from.

    Parameters
    ----------
    entries, care, row_names, column_names
        As for `SignMatrix`.

    Examples
    --------
    >>> matrix = LabelledMatrix.from_text("10\n00").labelled(["row 7", "row 2"], ["a", "b"])
    >>> matrix.row_label(0), matrix.column_label(1)
    ('row 7', 'b')
    """

    __slots__ = ("_column_labels", "_row_labels")

    def labelled(self, rows: Sequence[str], columns: Sequence[str]) -> Self:
        """Set the labels of all rows and columns, and return the matrix.

        Parameters
        ----------
        rows, columns : sequence of str
            One label for each.
        """
        self._row_labels, self._column_labels = tuple(rows), tuple(columns)
        return self

    def row_label(self, row: int) -> str:
        """Return what the row is called in the matrix that it comes from."""
        return self._row_labels[row]

    def column_label(self, column: int) -> str:
        """Return what the column is called in the matrix that it comes from."""
        return self._column_labels[column]
