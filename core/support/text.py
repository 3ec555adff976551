"""Text for users: numbers with nouns, shares in percent, and tables that fit the screen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction


def plural(count: int, noun: str) -> str:
    """Write a number with its noun, which gets an ending unless the number is 1.

    `noun`: a regular noun in the singular; of several words, the last one gets the ending.

    >>> plural(1, "pattern"), plural(3, "pattern"), plural(0, "query"), plural(10_000, "key")
    ('1 pattern', '3 patterns', '0 queries', '10000 keys')
    """
    if count == 1:
        return f"1 {noun}"
    if re.search("[^aeiou]y$", noun):
        return f"{count} {noun[:-1]}ies"
    return f"{count} {noun}{'es' if re.search('(s|x|ch|sh)$', noun) else 's'}"


def percent(share: float) -> str:
    """Write a share in percent; it is 0 or 100 only if it is so exactly.

    >>> percent(2 / 3), percent(1.0), percent(0.9999), percent(0.0001)
    ('66.7 %', '100.0 %', '> 99.9 %', '< 0.1 %')
    """
    if 0 < share < 0.001:
        return "< 0.1 %"
    return "> 99.9 %" if 0.999 < share < 1 else f"{100 * share:.1f} %"


def percent_up(share: Fraction) -> str:
    """Write a share in percent, rounded up: that of a proven ceiling.

    >>> from fractions import Fraction
    >>> percent_up(Fraction(1, 3)), percent_up(Fraction(1, 2))
    ('33.4 %', '50.0 %')
    """
    return f"{ceil(1000 * share) / 10:.1f} %"


_GAP = "  "
_LEAST = 14  # columns that a name may take on the narrowest screens

_width: ContextVar[int | None] = ContextVar("table_width", default=None)


@contextmanager
def fit_tables(width: int | None) -> Iterator[None]:
    """Lay out the tables of explanations for a screen of so many columns, while this is entered.

    `width`: none: tables are as wide as they come.

    >>> with fit_tables(80):
    ...     table_width()
    80
    """
    token = _width.set(width)
    try:
        yield
    finally:
        _width.reset(token)


def table_width() -> int | None:
    """Return the width that `fit_tables` sets; None without one."""
    return _width.get()


def text_width(text: str) -> int:
    """Return the number of columns that a text takes on a screen.

    Wide (CJK) characters take two columns, combining marks and other invisible characters none.

    >>> text_width("cat"), text_width("\u732b"), text_width("e\u0301")
    (3, 2, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    import unicodedata  # texts are seldom beyond ASCII

    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


_NUMBERED = re.compile(r"\D*[\d.,]*")


def shorten(text: str, width: int) -> str:
    """Cut a text to a number of columns, with … as its end.

    What stands before its first number, and that number, are kept even if they are wider.

    >>> shorten("column 1234 ('The Art of War')", 24), shorten("column 1234", 8)
    ("column 1234 ('The Art o…", 'column 1234')
    """
    if text_width(text) <= width:
        return text
    kept = _NUMBERED.match(text)
    least = kept.end() if kept is not None and kept[0][-1:].isdigit() else 0
    end = len(text)
    while end > least and text_width(text[:end]) >= width:
        end -= 1
    return text if end == len(text) else f"{text[:end].rstrip()}…"


def lay_out(
    rows: Sequence[Sequence[str]], right: Sequence[bool], *, width: int | None = None
) -> list[str]:
    """Align the cells of a table; return its lines.

    `rows`: rows of equal length, the header first; the first cell of each names its row. `right`:
    whether each column is aligned to the right. `width`: the columns of the screen. Columns that do
    not fit follow below in blocks, each with the names of the rows and an empty line above. Names
    that are too long even so are shortened; those of rows may take half of the screen.
    """
    if width is not None:
        names = [shorten(row[0], max(_LEAST, width // 2)) for row in rows]
        left = max(_LEAST, width - max(map(text_width, names)) - len(_GAP))
        rows = [
            [name, *(shorten(cell, left) for cell in row[1:])]
            for name, row in zip(names, rows, strict=True)
        ]
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for start, stop in pairwise(_block_bounds(widths, width)):
        shown = [0, *range(start, stop)]
        lines += [""] * (start > 1)
        for row in rows:
            cells = (_pad(row[column], widths[column], right[column]) for column in shown)
            lines.append(_GAP.join(cells).rstrip())
    return lines


def _block_bounds(widths: Sequence[int], width: int | None) -> list[int]:
    """Return the first column of each block after the names, and the end."""
    bounds, used = [1], widths[0]
    for column in range(1, len(widths)):
        used += len(_GAP) + widths[column]
        if width is not None and used > width and column > bounds[-1]:
            bounds.append(column)
            used = widths[0] + len(_GAP) + widths[column]
    return [*bounds, len(widths)]


def _pad(text: str, width: int, right: bool) -> str:
    space = " " * (width - text_width(text))
    return space + text if right else text + space
