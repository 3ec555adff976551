"""The common style of pictures: colours that colour-blind readers can tell apart, and names."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pictures.labels import printable, verbatim, width_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


ZERO, ONE, STAR = "#f4f1ea", "#1f4e79", "#c9c3b4"
"""Colours of entries."""

CORE = "#d55e00"
"""The colour of an obstruction's rows and columns."""

LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#4d4d4d")
"""Colours of lines, in turn: the palette of Okabe and Ito, with a yellow dark enough for white."""

_DASHES = ("-", "--", "-.", ":")  # the next style when all colours are used

QUIET = "#8a8577"
"""The colour of everything in the background."""

WORDS = "#5d594e"
"""The colour of notes and small titles, dark enough for white."""

MOST_NAMED = 40
"""The greatest number of rows, columns, keys or lines that are named one by one."""

_LONGEST = 24
_MOST_LETTERS = 45  # letters of several names joined
_HEADING = 11.0, 6.5  # size of the letters, and how wide one is on average, in points


def line_style(number: int) -> tuple[str, str]:
    """Return the colour and the dashes of a line that only a legend names.

    >>> line_style(1), line_style(8)
    (('#d55e00', '-'), ('#d55e00', '--'))
    >>> len({line_style(number) for number in range(28)})
    28
    """
    turn, place = divmod(number, len(LINES))
    return LINES[place], _DASHES[turn % len(_DASHES)]


def put_heading(figure: Figure | SubFigure, title: str | None) -> None:
    """Put a title above everything, as it stands: names may hold dollar signs.

    Lines that are wider than the figure are wrapped.
    """
    if title is not None:
        size, letter = _HEADING
        sized: Any = figure  # the common base of figures and their parts does not state a size
        room = float(sized.bbox.width) / sized.dpi * 72 / letter
        lines = [_wrap(line, room) for line in printable(title).split("\n")]
        text = "\n".join(lines)
        figure.suptitle(text, fontsize=size, **verbatim(text))


def _wrap(line: str, room: float) -> str:
    """Wrap a line to a width in letters; wide letters such as Chinese ones count twice."""
    share = width_of(line) / max(len(line), 1)
    if width_of(line) <= room:
        return line
    return "\n".join(textwrap.wrap(line, max(int(room / share), 1)))


def bare_axes(figure: Figure | SubFigure, half: float) -> Any:
    """Add axes of a square window from -half to half, without numbers."""
    axes = figure.add_subplot()
    axes.set_aspect("equal")
    axes.set(xlim=(-half, half), ylim=(-half, half), xticks=[], yticks=[])
    for edge in axes.spines.values():
        edge.set_color("#d9d5ca")
    return axes


def put_legend(place: Axes | Figure, named: Sequence[tuple[Artist, str]], **style: Any) -> None:
    """Put a legend with names as they stand; matplotlib leaves out those that begin with `_`."""
    legend = place.legend([line for line, _ in named], ["?"] * len(named), **style)
    for text, (_, name) in zip(legend.get_texts(), named, strict=True):
        text.set_text(printable(name))
        text.set(**verbatim(text.get_text()))


def name_of(names: Sequence[str] | None, index: int) -> str:
    """Return the number of a row or column, and before it its name where it has one.

    Returned: long names are cut, and letters that no font has are replaced (see
    `samapprox.pictures.labels.printable`). A name without letters and digits, such as a comma or a
    space, stands in quotes.

    >>> name_of(None, 3), name_of(["ann", "bob"], 1), name_of([","], 0)
    ('3', 'bob 1', "',' 0")
    """
    if names is None:
        return str(index)
    name = names[index]
    plain = " ".join(name.split()) if any(map(str.isalnum, name)) else repr(name)
    text = printable(plain)
    return f"{text if len(text) <= _LONGEST else text[: _LONGEST - 2] + '..'} {index}"


def join_names(names: Sequence[str] | None, indices: Sequence[int], most: int) -> str:
    """Return the names of the first few, and the number of the others; fewer if they are long.

    >>> join_names(None, [2, 3, 5, 8], 3)
    '2, 3, 5 +1'
    """
    shown = [name_of(names, index) for index in indices[:most]]
    while len(shown) > 1 and len(", ".join(shown)) > _MOST_LETTERS:
        shown.pop()
    rest = len(indices) - len(shown)
    return ", ".join(shown) + (f" +{rest}" if rest else "")


def group_points(points: NDArray[np.float64]) -> list[list[int]]:
    """Return the numbers of the points that lie at each place, in the order of the places.

    >>> group_points(np.array([1.0, 0.0, 1.0]))
    [[1], [0, 2]]
    """
    _, place, counts = np.unique(points.round(9), axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(place.reshape(-1), kind="stable")
    return [own.tolist() for own in np.split(order, np.cumsum(counts)[:-1])]
