"""An embedding in the plane or in space: keys as points, queries as lines or planes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.pictures.labels import spread, verbatim
from samapprox.pictures.legend import put_caption
from samapprox.pictures.names import KEY_FONT, paint_keys
from samapprox.pictures.space import paint_space
from samapprox.pictures.style import (
    LINES,
    MOST_NAMED,
    QUIET,
    bare_axes,
    join_names,
)
from samapprox.pictures.view import Boundary, Points, View
from samapprox.proofs.embeddings.embedding import Embedding

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = [
    "DRAWN_DIMENSIONS",
    "EMBEDDING_SIZE",
    "paint_embedding",
]

DRAWN_DIMENSIONS = (2, 3)

EMBEDDING_SIZE = (8.6, 7.2)
"""Inches."""

_HALF = 1.18  # half a side of the window; points are within 1
_MOST_LINES = 200  # drawn if no rows are chosen
_MOST_SHADED = 3
_ARROW = 0.075  # its length


def paint_embedding(
    figure: Figure | SubFigure,
    pattern: Pattern,
    embedding: Embedding,
    rows: Sequence[int] | None = None,
) -> Axes:
    """Draw the points and lines of an embedding in the plane, or points and planes in space.

    `embedding`: of dimension 2 or 3; it represents the pattern. `rows`: the rows whose boundaries
    are drawn, with an arrow to the side of the ones. By default these are all lines (of more than
    200, an even choice) and no planes. Up to three lines have the side of the ones shaded; for a
    single row, only the keys with a 1 are filled. Raises InputError: A chosen row does not exist.
    """
    drawn = [] if rows is None and embedding.dimension == 3 else rows
    exact = View.of(embedding, drawn)
    view = exact.spread() if embedding.dimension == 3 else exact
    if rows is None and len(view.boundaries) > _MOST_LINES:
        kept = np.linspace(0, len(view.boundaries) - 1, _MOST_LINES).astype(int).tolist()
        view = View(view.points, tuple(view.boundaries[k] for k in kept))
    single = rows[0] if rows is not None and len(rows) == 1 else None
    filled = (
        np.ones(len(view.points), dtype=np.bool_)
        if single is None
        else pattern.submatrix([single], range(pattern.shape[1]))[0] == 1
    )
    said = _caption_of_plane(view) if embedding.dimension == 2 else _caption_of_space(view, exact)
    if single is not None:
        said += f" Filled dots are the ones of row {single}."
    put_caption(figure, said)
    if embedding.dimension == 2:
        return _plane(figure, pattern, view, filled)
    return paint_space(figure, pattern, view, filled)


def _caption_of_plane(view: View) -> str:
    """Say what dots and lines are."""
    line = (
        "Each line is the threshold of a query; its arrow points to the side of the query's ones."
    )
    return f"Dots are keys. {line}" if view.boundaries else "Dots are keys."


def _caption_of_space(view: View, exact: View) -> str:
    """Say what dots and planes are, and how they were moved."""
    said = "Dots are keys in space; nearer ones are larger, and grey lines lead to the floor."
    if view.boundaries:
        said += " Each plane is the threshold of a query; its arrow points to its ones."
    if view is not exact:
        said += " A projective map has moved keys apart; none has changed its side of a plane."
    return said


# ---------------------------------------------------------------- two dimensions


def _plane(
    figure: Figure | SubFigure, pattern: Pattern, view: View, filled: NDArray[np.bool_]
) -> Axes:
    axes = bare_axes(figure, _HALF)
    few = len(view.boundaries) <= MOST_NAMED
    ends = []
    for k, boundary in enumerate(view.boundaries):
        colour = LINES[k % len(LINES)] if few else QUIET
        crossings = _crossings(boundary)
        ends.append(crossings)
        axes.plot(
            *crossings.T,
            color=colour,
            linewidth=1.2 if few else 0.6,
            alpha=0.9 if few else 0.5,
            gid=f"row {boundary.rows[0]}",
            zorder=2,
        )
        if len(view.boundaries) <= _MOST_SHADED:
            axes.fill(*_above(boundary).T, color=colour, alpha=0.10, linewidth=0, zorder=0)
    sides = _label_lines(axes, pattern, view, ends) if few else [0] * len(ends)
    lines = list(ends) if few else []  # names have no room between more
    for k, (boundary, crossings) in enumerate(zip(view.boundaries, ends, strict=True)):
        colour = LINES[k % len(LINES)] if few else QUIET
        foot = _foot(boundary, crossings[sides[k]], crossings[1 - sides[k]])
        head = foot + _ARROW * boundary.normal
        lines.append(np.array([foot, head]))
        axes.annotate(
            "",
            tuple(head),
            tuple(foot),
            arrowprops={
                "arrowstyle": "-|>",
                "color": colour,
                "lw": 0.9,
                "shrinkA": 0,
                "shrinkB": 0,
                "mutation_scale": 8,
            },
            zorder=2,
        )
    paint_keys(axes, pattern, view.points, filled, lines)
    return cast("Axes", axes)


def _crossings(boundary: Boundary) -> Points:
    """The two points in which a line leaves the window."""
    direction = np.array([-boundary.normal[1], boundary.normal[0]])
    foot = boundary.normal * boundary.level
    with np.errstate(divide="ignore"):
        times = np.sort((np.array([[-_HALF], [_HALF]]) - foot) / direction, axis=0)
    return np.asarray(foot + np.array([[times[0].max()], [times[1].min()]]) * direction)


def _foot(boundary: Boundary, start: Points, stop: Points) -> Points:
    """The foot of a line's arrow: near the line's start, with the arrow's head in the window."""
    places = [start + share * (stop - start) for share in (0.06, 0.12, 0.25, 0.5, 0.75, 0.88, 0.94)]
    heads = [float(np.abs(place + _ARROW * boundary.normal).max()) for place in places]
    return next((p for p, head in zip(places, heads, strict=True) if head < _HALF), places[3])


def _above(boundary: Boundary) -> Points:
    """The corners of the part of the window on the side of the ones."""
    square = _HALF * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    heights = square @ boundary.normal - boundary.level
    corners = []
    for k in range(4):
        if heights[k] > 0:
            corners.append(square[k])
        if heights[k] * heights[k - 3] < 0:
            share = heights[k] / (heights[k] - heights[k - 3])
            corners.append(square[k] + share * (square[k - 3] - square[k]))
    return np.array(corners).reshape(-1, 2)


def _label_lines(axes: Axes, pattern: Pattern, view: View, ends: Sequence[Points]) -> list[int]:
    """Write rows' names around the window; return the named end of each line."""
    chosen = []
    load = {(axis, sign): 0.0 for axis in (0, 1) for sign in (-1, 1)}
    where: dict[tuple[int, int], list[int]] = {side: [] for side in load}
    for k, crossings in enumerate(ends):
        sides = [_side(point) for point in crossings]
        end = min((0, 1), key=lambda e: load[sides[e]] + (4 if sides[e][0] == 1 else 0))
        load[sides[end]] += 1
        where[sides[end]].append(k)
        chosen.append(end)
    gap = 2 * _HALF / (5.6 * 72 / (KEY_FONT * 1.3))
    for (axis, sign), own in where.items():
        values = [float(ends[k][chosen[k]][1 - axis]) for k in own]
        for k, value, place in zip(own, values, spread(values, gap, -_HALF, _HALF), strict=True):
            edge, out = np.full(2, sign * _HALF), np.full(2, sign * (_HALF + 0.05))
            edge[1 - axis], out[1 - axis] = value, place
            name = join_names(pattern.row_names, view.boundaries[k].rows, 3)
            axes.annotate(
                name,
                tuple(edge),
                tuple(out),
                annotation_clip=False,
                fontsize=KEY_FONT,
                color=LINES[k % len(LINES)],
                ha={-1: "right", 1: "left"}[sign] if axis == 0 else "center",
                va="center" if axis == 0 else {-1: "top", 1: "bottom"}[sign],
                rotation=0 if axis == 0 else 90,
                arrowprops={
                    "arrowstyle": "-",
                    "color": LINES[k % len(LINES)],
                    "lw": 0.6,
                    "shrinkA": 0,
                    "shrinkB": 0,
                },
                **verbatim(name),
            )
    return chosen


def _side(point: Points) -> tuple[int, int]:
    """Axis and sign of the window's side on which a point lies."""
    axis = int(np.argmax(np.abs(point)))
    return axis, 1 if point[axis] > 0 else -1
