"""An embedding on the line: keys as points, queries as the half-lines that hold their ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from samapprox.pattern import Pattern
from samapprox.pictures.style import LINES, MOST_NAMED, ONE, QUIET, join_names
from samapprox.pictures.view import Boundary, View
from samapprox.proofs.kinds.embedding import Embedding

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LineView", "line_height", "paint_line"]

_EDGE = 1.12  # half the width of the window; points are within 1
_MOST_ROWS = 200
_MOST_KEYS = 2000
_FONT = 7.5
_LINE = 0.16  # inches between half-lines with names
_KEYS = 0.9  # inches for the names of keys


class LineView:
    """What is drawn of an embedding of dimension 1.

    Parameters
    ----------
    embedding : Embedding
        Of dimension 1.
    rows : sequence of int, optional
        Those whose half-lines are shown; all if None.

    Attributes
    ----------
    points : ndarray of float64, shape (n,)
        Keys within [-1, 1].
    halves : list of Boundary
        Half-lines, those to the right first and the shortest of each side first; rows of one
        half-line together.

    Examples
    --------
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
        """The view, or None where there is more to see than the staircase shows better."""
        shown = len(embedding.queries) if rows is None else len(rows)
        if embedding.dimension > 1 or shown > _MOST_ROWS or len(embedding.keys) > _MOST_KEYS:
            return None
        view = cls(embedding, rows)
        return view if len(view.halves) <= MOST_NAMED else None


def line_height(view: LineView) -> float:
    """Inches that the picture takes.

    Examples
    --------
    >>> round(line_height(LineView(Embedding([[1]], [[0], [1]], [0]))), 2)
    1.22
    """
    return _KEYS + _LINE * (len(view.halves) + 1)


def paint_line(axes: Axes, pattern: Pattern, view: LineView) -> None:
    """Draw the keys on their line, and above it each row's half-line with the row's name.

    Parameters
    ----------
    axes : matplotlib Axes
    pattern : Pattern
    view : LineView
        Of an embedding that shows the pattern.
    """
    for k, half in enumerate(view.halves):
        side = float(half.normal[0])
        start, end = half.level * side, side * _EDGE
        colour = LINES[k % len(LINES)]
        name = f"row {half.rows[0]}"
        axes.plot([start, end], [k + 1, k + 1], color=colour, lw=2.2, gid=name, zorder=2)
        axes.plot([start], [k + 1], marker="|", color=colour, markersize=6, zorder=2)
        axes.annotate(
            join_names(pattern.row_names, half.rows, 3),
            (end, k + 1),
            (3 * side, 0),
            textcoords="offset points",
            annotation_clip=False,
            ha="left" if side > 0 else "right",
            va="center",
            fontsize=_FONT,
            color=colour,
            parse_math=False,
        )
    axes.axhline(0, color=QUIET, linewidth=0.8, zorder=1)
    places, first, inverse = np.unique(view.points.round(9), return_index=True, return_inverse=True)
    size = float(np.clip(1600 / len(places), 6, 36))
    axes.scatter(places, np.zeros(len(places)), s=size, c=ONE, zorder=3, gid="keys")
    axes.set_xlim(-_EDGE, _EDGE)
    axes.set_ylim(-0.9, len(view.halves) + 1)
    axes.set_yticks([])
    axes.set_xlabel("keys on their line; above it the half-line of each query's ones")
    for edge in axes.spines.values():
        edge.set_visible(False)
    if len(first) > MOST_NAMED:
        axes.set_xticks([])
        return
    columns = [np.flatnonzero(inverse.reshape(-1) == k).tolist() for k in range(len(places))]
    texts = [join_names(pattern.column_names, own, 2) for own in columns]
    axes.set_xticks(places, texts, fontsize=_FONT, rotation=90, parse_math=False)
    axes.tick_params(axis="x", length=0)
