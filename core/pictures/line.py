"""An embedding on the line: keys as points, queries as half-lines that hold their ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.pictures.labels import inches_of, spread, verbatim
from samapprox.pictures.legend import caption_height, put_caption
from samapprox.pictures.names import hide_overlaps, put_note
from samapprox.pictures.style import LINES, MOST_NAMED, ONE, QUIET, group_points, join_names
from samapprox.pictures.view import Boundary, View
from samapprox.proofs.embeddings.embedding import Embedding

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_EDGE = 1.12  # half the width of the window; points are within 1
_MOST_ROWS = 200
_MOST_KEYS = 2000
_FONT = 7.5
_LINE = 0.16  # inches between half-lines with names
_FRAME = 0.35  # inches between the line, the names of keys, and the caption
_WIDTH = 3.4  # inches of the line, at least
_CAPTION = "Dots are keys on a line; above it, for each query, the half-line that holds its ones."


class LineView:
    """The keys and half-lines of an embedding of dimension 1.

    `embedding`: of dimension 1. `rows`: the rows whose half-lines are drawn; all if None. `points`:
    keys within [-1, 1]. `halves`: half-lines, first those to the right, and the shortest of each
    side first; rows with the same half-line are together.

    >>> view = LineView(Embedding([[1], [1], [-1]], [[0], [1], [2]], [0, 1, -1]))
    >>> [(half.rows, half.normal.tolist(), half.level) for half in view.halves]
    [((1,), [1.0], 0.5), ((0,), [1.0], -0.5), ((2,), [-1.0], 0.5)]
    """

    def __init__(self, embedding: Embedding, rows: Sequence[int] | None = None) -> None:
        view = View.of(embedding, rows)
        self.points = view.points[:, 0]
        together: dict[tuple[float, float], list[int]] = {}
        for half in view.boundaries:
            side = float(half.normal[0])
            together.setdefault((side, half.level), []).extend(half.rows)
        order = sorted(together, key=lambda half: (-half[0], -half[1]))
        self.halves = [
            Boundary(tuple(sorted(together[half])), np.array([half[0]]), half[1]) for half in order
        ]

    @classmethod
    def fitting(cls, embedding: Embedding, rows: Sequence[int] | None) -> LineView | None:
        """Return the view; None if it is too large, so that the staircase shows more."""
        shown = len(embedding.queries) if rows is None else len(rows)
        if embedding.dimension > 1 or shown > _MOST_ROWS or len(embedding.keys) > _MOST_KEYS:
            return None
        view = cls(embedding, rows)
        return view if len(view.halves) <= MOST_NAMED else None

    def row_names(self, pattern: Pattern) -> list[str]:
        """Return the names of the rows of each half-line."""
        return [join_names(pattern.row_names, half.rows, 3) for half in self.halves]

    def names(self, pattern: Pattern) -> dict[float, str]:
        """Return the names of the keys by their places: see `names_on_line`."""
        return names_on_line(pattern, self.points)


def names_on_line(pattern: Pattern, points: NDArray[np.float64]) -> dict[float, str]:
    """Return the names of the keys by their places, those of one place together.

    The names are empty if there are too many places to name them.

    >>> names_on_line(Pattern.from_text("011"), np.array([0.0, 1.0, 1.0]))
    {0.0: '0', 1.0: '1, 2'}
    """
    groups = group_points(points)
    few = len(groups) <= MOST_NAMED
    return {
        float(points[own[0]].round(9)): join_names(pattern.column_names, own, 2) if few else ""
        for own in groups
    }


def line_size(pattern: Pattern, view: LineView) -> tuple[float, float]:
    """Return the width and height of the picture in inches: the line, its names, the half-lines.

    >>> view = LineView(Embedding([[1]], [[0], [1]], [0]))
    >>> [round(side, 2) for side in line_size(Pattern.from_text("01"), view)]
    [3.46, 1.09]
    """
    names = view.names(pattern)
    below = inches_of(names.values(), _FONT) if len(names) <= MOST_NAMED else 0.0
    sides: dict[float, list[str]] = {1.0: [], -1.0: []}
    for half, name in zip(view.halves, view.row_names(pattern), strict=True):
        sides[float(half.normal[0])].append(name)
    width = _line_width(len(names)) + sum(inches_of(own, _FONT) for own in sides.values())
    above = _LINE * (len(view.halves) + 1)
    return width, above + _FRAME + below + caption_height(_CAPTION, width)


def _line_width(keys: int) -> float:
    """Return the inches of a line, on which the names of a number of places have room."""
    return max(_WIDTH, 1.25 * _FONT / 72 * min(keys, MOST_NAMED))


def paint_line(axes: Axes, pattern: Pattern, view: LineView) -> None:
    """Draw the keys on their line, and above it each row's half-line with the row's name.

    `view`: of an embedding that represents the pattern.
    """
    for k, (half, text) in enumerate(zip(view.halves, view.row_names(pattern), strict=True)):
        side = float(half.normal[0])
        start, end = half.level * side, side * _EDGE
        colour = LINES[k % len(LINES)]
        name = f"row {half.rows[0]}"
        axes.plot([start, end], [k + 1, k + 1], color=colour, lw=2.2, gid=name, zorder=2)
        axes.plot([start], [k + 1], marker="|", color=colour, markersize=6, zorder=2)
        axes.annotate(
            text,
            (end, k + 1),
            (3 * side, 0),
            textcoords="offset points",
            annotation_clip=False,
            ha="left" if side > 0 else "right",
            va="center",
            fontsize=_FONT,
            color=colour,
            **verbatim(text),
        )
    put_caption(axes.figure, _CAPTION)
    names = view.names(pattern)
    size = float(np.clip(1600 / len(names), 6, 36))
    paint_keys_on_line(axes, names, len(view.halves), _EDGE, size)
    if len(names) <= MOST_NAMED:
        put_note(axes, [(hide_overlaps(axes), "keys")])


def paint_keys_on_line(
    axes: Axes, names: dict[float, str], lines: int, edge: float, size: float
) -> None:
    """Draw the keys as dots of a size on the line below some half-lines or intervals.

    The names are written below the keys, moved apart and joined to them where they are close, if
    they are few. `names`: by their places on the line. `edge`: half the width of the window.
    """
    axes.axhline(0, color=QUIET, linewidth=0.8, zorder=1)
    axes.scatter(list(names), np.zeros(len(names)), s=size, c=ONE, zorder=3, gid="keys")
    axes.set(xlim=(-edge, edge), ylim=(-0.9, lines + 1), xticks=[], yticks=[])
    for border in axes.spines.values():
        border.set_visible(False)
    if len(names) > MOST_NAMED:
        put_note(axes, [(len(names), "keys")])
        return
    gap = 2 * _EDGE * _FONT * 1.25 / 72 / _line_width(len(names))
    for (place, text), moved in zip(
        names.items(), spread(list(names), gap, -_EDGE, _EDGE), strict=True
    ):
        axes.annotate(
            text,
            (place, 0),
            (moved, -0.9),
            annotation_clip=False,
            ha="center",
            va="top",
            rotation=90,
            fontsize=_FONT,
            arrowprops={"arrowstyle": "-", "color": QUIET, "lw": 0.5, "shrinkA": 0, "shrinkB": 2},
            **verbatim(text),
        )
