"""Matrices of signs: patterns whose rows may lack a 1."""

from __future__ import annotations

from samapprox.pattern import Pattern

__all__ = ["SignMatrix"]


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
