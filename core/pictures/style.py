"""The common style of pictures: colours that colour-blind people tell apart, names and headings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase

__all__ = [
    "CORE",
    "LINES",
    "MOST_NAMED",
    "ONE",
    "QUIET",
    "STAR",
    "ZERO",
    "every_script",
    "join_names",
    "name_of",
    "put_heading",
    "put_legend",
]

ZERO, ONE, STAR = "#f4f1ea", "#1f4e79", "#c9c3b4"
"""Entries."""

CORE = "#d55e00"
"""The rows and columns of an obstruction."""

LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#4d4d4d")
"""The rows' lines, in turn: the palette of Okabe and Ito, its yellow darker to be read on white."""

QUIET = "#8a8577"
"""What stands back."""

MOST_NAMED = 40
"""Lines that are named one by one."""

_LONGEST = 24


@contextmanager
def every_script() -> Iterator[None]:
    """Names of every script are laid out and drawn; what the font lacks is a box, no warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield


def put_heading(figure: FigureBase, title: str | None) -> None:
    """A title above everything, as it stands: names may hold dollar signs.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> figure = Figure()
    >>> put_heading(figure, "head $0")
    >>> figure.get_suptitle()
    'head $0'
    """
    if title is not None:
        figure.suptitle(title, fontsize=11, parse_math=False)


def put_legend(axes: Axes, named: Sequence[tuple[Artist, str]], **style: Any) -> None:
    """What is what, with names as they stand: matplotlib leaves out those that begin with `_`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = Figure().add_subplot()
    >>> put_legend(axes, [(axes.plot([1, 2])[0], "_head $0")])
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['_head $0']
    """
    legend = axes.legend([line for line, _ in named], ["?"] * len(named), **style)
    for text, (_, name) in zip(legend.get_texts(), named, strict=True):
        text.set_parse_math(False)
        text.set_text(name)


def name_of(names: Sequence[str] | None, index: int) -> str:
    """The number of a row or column, and before it its name where it has one.

    Parameters
    ----------
    names : sequence of str or None
    index : int

    Returns
    -------
    str
        Without what fonts cannot take (half characters, line ends), and not too long.

    Examples
    --------
    >>> name_of(None, 3), name_of(["ann", "bob"], 1)
    ('3', 'bob 1')
    """
    if names is None:
        return str(index)
    plain = " ".join(names[index].encode("utf-8", "replace").decode().split())
    short = plain if len(plain) <= _LONGEST else plain[: _LONGEST - 2] + ".."
    return f"{short} {index}".strip()


def join_names(names: Sequence[str] | None, indices: Sequence[int], most: int) -> str:
    """Names of a few, and how many more there are.

    Examples
    --------
    >>> join_names(None, [2, 3, 5, 8], 3)
    '2, 3, 5 +1'
    """
    shown = ", ".join(name_of(names, index) for index in indices[:most])
    return shown + (f" +{len(indices) - most}" if len(indices) > most else "")
