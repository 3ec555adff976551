"""An embedding in the plane or in space: keys as points, queries as lines or planes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.pictures.labels import spread, verbatim
from samapprox.pictures.legend import put_caption
from samapprox.pictures.names import KEY_FONT, paint_keys
from samapprox.pictures.style import (
    LINES,
    MOST_NAMED,
    QUIET,
    STAR,
    WORDS,
    bare_axes,
    join_names,
    line_style,
    put_legend,
)
from samapprox.pictures.view import Boundary, Points, View, score_distances
from samapprox.proofs.embeddings.embedding import Embedding

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


_HALF = 1.18  # half a side of the window; points are within 1
_MOST_PLANES = 20  # planes that a legend lists
_FRONT = 999.0  # before planes, which matplotlib sorts by depth
_AZIMUTHS, _ELEVATIONS = range(-180, 180, 10), (20, 30, 40)  # camera angles in degrees
_SQUARES = 8  # along a side of the floor

DRAWN_DIMENSIONS = (2, 3)

EMBEDDING_SIZE = (8.6, 7.2)
"""Inches."""

_MOST_LINES = 200  # drawn if no rows are chosen
_MOST_SHADED = 3
_ARROW = 0.075  # its length


def paint_space(
    figure: Figure | SubFigure, pattern: Pattern, view: View, filled: NDArray[np.bool_]
) -> Axes:
    """Draw the keys above a floor, and the planes of a view.

    `filled`: which keys are not hollow.
    """
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    axes = cube_axes(figure, zoom=1.1)
    azimuth, elevation = find_camera(view.points)
    axes.view_init(azim=azimuth, elev=elevation)
    for name, axis in zip("xyz", (axes.xaxis, axes.yaxis, axes.zaxis), strict=True):
        axis.set_ticks([])
        axis.set_pane_color("#faf8f3")
        axis.line.set_color("#d9d5ca")
        axis.set_label_text(name, color=WORDS)
        axis.labelpad = -12
    _draw_floor(axes, view.points)
    named = []
    for k, boundary in enumerate(view.boundaries):
        colour, dashes = line_style(k)
        polygon = plane_in_the_cube(boundary)
        plane = Poly3DCollection(
            [polygon],
            facecolor=colour,
            edgecolor=colour,
            linestyle=dashes,
            alpha=0.22,
            gid=f"row {boundary.rows[0]}",
        )
        axes.add_collection3d(plane)
        named.append((plane, join_names(pattern.row_names, boundary.rows, 3)))
        axes.quiver(*polygon.mean(axis=0), *(0.4 * boundary.normal), color=colour, linewidth=1.4)
    if named:
        title = "rows, with arrows to their ones"
        if len(named) > _MOST_PLANES:
            title = f"the first {_MOST_PLANES} of {len(named)} rows"
        put_legend(axes, named[:_MOST_PLANES], loc="upper left", fontsize=9, title=title)
        axes.get_legend().set_zorder(_FRONT)
    paint_keys(axes, pattern, view.points, filled)
    return cast("Axes", axes)


def find_camera(points: Points) -> tuple[int, int]:
    """Return the azimuth and the elevation from which points look farthest apart, in degrees.

    >>> azimuth, elevation = find_camera(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    >>> azimuth % 180, elevation
    (90, 20)
    """
    views = list(product(_ELEVATIONS, _AZIMUTHS))
    scores = []
    for elevation, azimuth in views:
        e, a = np.radians([elevation, azimuth])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        up = np.array([-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)])
        scores.append(score_distances(points @ np.stack([right, up], axis=1)))
    elevation, azimuth = views[int(np.argmax(np.round(scores, 9)))]
    return azimuth, elevation


def _draw_floor(axes: Any, points: Points) -> None:
    """Draw a grid on the floor, and a line from each point down to its foot."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    ticks = np.linspace(-_HALF, _HALF, _SQUARES + 1)
    grid = [[(t, -_HALF, -_HALF), (t, _HALF, -_HALF)] for t in ticks]
    grid += [[(-_HALF, t, -_HALF), (_HALF, t, -_HALF)] for t in ticks]
    axes.add_collection3d(Line3DCollection(grid, colors="#e8e4d9", linewidths=0.6, gid="floor"))
    feet = points * [1, 1, 0] - [0, 0, _HALF]
    drops = np.stack([feet, points], axis=1)
    axes.add_collection3d(Line3DCollection(drops, colors=STAR, linewidths=0.7, gid="drops"))
    axes.scatter(*feet.T, s=8, color=STAR, depthshade=False)


def cube_axes(figure: Figure | SubFigure, *, zoom: float) -> Any:
    """Add axes of a cube in space, which is the window."""
    axes: Any = figure.add_subplot(projection="3d")
    axes.set_box_aspect((1, 1, 1), zoom=zoom)
    axes.set(**{f"{name}lim": (-_HALF, _HALF) for name in "xyz"})
    return axes


def plane_in_the_cube(boundary: Boundary) -> Points:
    """Return the polygon in which a plane meets the window.

    >>> len(plane_in_the_cube(Boundary((0,), np.ones(3) / 3**0.5, 0.0)))
    6
    """
    corners = _HALF * np.array(list(product((-1, 1), repeat=3)))
    heights = corners @ boundary.normal - boundary.level
    found = []
    for a, b in combinations(range(8), 2):
        if np.count_nonzero(corners[a] != corners[b]) == 1 and heights[a] * heights[b] < 0:
            share = heights[a] / (heights[a] - heights[b])
            found.append(corners[a] + share * (corners[b] - corners[a]))
    points = np.array(found).reshape(-1, 3)
    middle = points - points.mean(axis=0)
    _, _, basis = np.linalg.svd(middle, full_matrices=False)
    turns = np.arctan2(*(middle @ basis[:2].T).T)
    return np.asarray(points[np.argsort(turns)])


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
            in_layout=False,  # it is inside the window
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
