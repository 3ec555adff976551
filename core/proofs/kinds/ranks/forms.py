"""The patterns whose dimensions determine the ranks of a sign matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.sign_matrix import SignMatrix

__all__ = ["FORMS", "Form", "reduced_pattern"]

Form = Literal["relative", "doubled", "zeros", "ones", "plain"]
FORMS: tuple[Form, ...] = get_args(Form)
"""The forms of reduced patterns; docs/theory/ranks.md proves what each decides."""


def reduced_pattern(
    pattern: Pattern, form: Form, rows: Sequence[int], columns: Sequence[int]
) -> SignMatrix:
    r"""Return the reduced pattern of a submatrix.

    Let S be the submatrix with the given rows and columns.

    - "plain": S.
    - "zeros", "ones": S and one more column, of zeros or of ones.
    - "doubled": S, and to the right of it S with 1 and 0 exchanged.
    - "relative": S without its first row; 1 and 0 are exchanged in the columns in which the first
      row is 0. The first row must be specified.

    Parameters
    ----------
    pattern : Pattern
    form : {"relative", "doubled", "zeros", "ones", "plain"}
    rows, columns : sequence of int

    Returns
    -------
    SignMatrix
        Its rows may lack a 1. The names are the labels of the pattern's rows and columns.

    Raises
    ------
    InputError
        The submatrix is empty, or the first row of a relative form has a don't-care.

    Examples
    --------
    >>> pattern = Pattern.from_text("10\n01")
    >>> for form in FORMS:
    ...     print(form, reduced_pattern(pattern, form, [0, 1], [0, 1]).to_text().split())
    relative ['00']
    doubled ['1001', '0110']
    zeros ['100', '010']
    ones ['101', '011']
    plain ['10', '01']
    """
    entries = pattern.submatrix(rows, columns)
    row_names = [pattern.row_label(row) for row in rows]
    column_names = [pattern.column_label(column) for column in columns]
    if form == "relative":
        if (entries[:1] == UNSPECIFIED).any():
            raise InputError(f"{row_names[0]}, to which the others are relative, has a don't-care")
        entries = np.where(entries[:1] == 1, entries[1:], _opposite(entries[1:]))
        row_names = row_names[1:]
    elif form == "doubled":
        entries = np.hstack([entries, _opposite(entries)])
        column_names += [f"the opposite of {name}" for name in column_names]
    elif form != "plain":
        extra = np.full((len(entries), 1), form == "ones", dtype=np.int8)
        entries = np.hstack([entries, extra])
        column_names.append("the extra column")
    return SignMatrix.from_array(
        entries == 1,
        entries != UNSPECIFIED,
        row_names=_unless_numbers("row", row_names),
        column_names=_unless_numbers("column", column_names),
    )


def _unless_numbers(kind: str, names: list[str]) -> list[str] | None:
    """Return the names, or None if they say no more than the lines' numbers."""
    return None if names == [f"{kind} {number}" for number in range(len(names))] else names


def _opposite(entries: NDArray[np.int8]) -> NDArray[np.int8]:
    """Exchange 1 and 0."""
    return np.where(entries == UNSPECIFIED, entries, 1 - entries).astype(np.int8)
