"""Text shared by the explanations of several kinds of proof."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.support.text import lay_out, table_width

if TYPE_CHECKING:
    from samapprox.proofs.exact import ExactArray


GRASSMANN_PLUECKER = "the Grassmann-Pluecker relations (equations between determinants)"

_MOST_POINTS = 40
_MOST_TIED = 8
_MOST_CORE = 24
_MOST_NUMBERS = 200  # row or column numbers that are listed
_INDENT = 6  # columns at the left of a table: its own two, and those of the text around it


def tabulate(pattern: Pattern, rows: Sequence[int], columns: Sequence[int]) -> list[str]:
    r"""Format a submatrix as a table with row and column names; list only numbers if it is large.

    >>> for line in tabulate(Pattern.from_text("10\n01"), [1], [0, 1]):
    ...     print(line)
             column 0  column 1
      row 1         0         1
    """
    if len(rows) > _MOST_CORE or len(columns) > _MOST_CORE:
        from samapprox.sign_matrix import LabelledMatrix  # for long cores alone

        if isinstance(pattern, LabelledMatrix):  # its own numbers would mislead
            labels = map(pattern.row_label, rows), map(pattern.column_label, columns)
            return [f"  {_list_labels(list(one))}" for one in labels]
        return [f"  rows {list_numbers(rows)}", f"  columns {list_numbers(columns)}"]
    entries = pattern.submatrix(rows, columns).tolist()
    table = [["", *map(pattern.column_label, columns)]]
    for row, values in zip(rows, entries, strict=True):
        marks = ("*" if value == UNSPECIFIED else str(value) for value in values)
        table.append([pattern.row_label(row), *marks])
    width = table_width()
    lines = lay_out(
        table,
        [False] + [True] * len(columns),
        width=None if width is None else width - _INDENT,
    )
    return [f"  {line}".rstrip() for line in lines]


def order_keys(pattern: Pattern, keys: ExactArray) -> str:
    """List the columns by their keys on a line, least first, with "=" between equal keys.

    >>> order_keys(Pattern.from_text("110"), np.array([4, 4, 1]))
    '2 < 0 = 1'
    """
    order = np.argsort(keys, kind="stable").tolist()
    points = [list(group) for _, group in groupby(order, key=keys.tolist().__getitem__)]
    shown = [_point(pattern, columns) for columns in points[:_MOST_POINTS]]
    rest = sum(map(len, points[_MOST_POINTS:]))
    return " < ".join(shown) + (f" < .. and {rest} more" if rest else "")


def list_numbers(numbers: Sequence[object], most: int = _MOST_NUMBERS) -> str:
    """List numbers, and count those beyond the first ones.

    >>> list_numbers([0, 5]), list_numbers([0, 5, 7, 8], most=2)
    ('[0, 5]', '[0, 5, .. and 2 more]')
    """
    if len(numbers) <= most:
        return str(list(numbers))
    first = ", ".join(map(str, numbers[:most]))
    return f"[{first}, .. and {len(numbers) - most} more]"


def _list_labels(labels: Sequence[str]) -> str:
    """List labels, and count those beyond the first ones."""
    rest = len(labels) - _MOST_NUMBERS
    return ", ".join(labels[:_MOST_NUMBERS]) + (f", .. and {rest} more" if rest > 0 else "")


def _point(pattern: Pattern, columns: Sequence[int]) -> str:
    names = pattern.column_names
    labels = [
        str(column) if names is None else f"{column} {names[column]!r}"
        for column in columns[:_MOST_TIED]
    ]
    if len(columns) > _MOST_TIED:
        labels[-1] = f".. ({len(columns)} keys at one point)"
    return " = ".join(labels)
