"""Matrices whose rows and columns are called by what they are in another matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from samapprox.sign_matrix import SignMatrix

__all__ = ["LabelledMatrix"]


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
