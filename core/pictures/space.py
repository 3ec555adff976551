"""An embedding in space: keys as points above a floor, queries as planes."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.pictures.names import paint_keys
from samapprox.pictures.style import STAR, WORDS, join_names, line_style, put_legend
from samapprox.pictures.view import Boundary, Points, View, score_distances

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["cube_axes", "paint_space", "plane_in_the_cube"]

_HALF = 1.18  # half a side of the window; points are within 1
_MOST_PLANES = 20  # planes that a legend lists
_FRONT = 999.0  # before planes, which matplotlib sorts by depth
_AZIMUTHS, _ELEVATIONS = range(-180, 180, 10), (20, 30, 40)  # camera angles in degrees
_SQUARES = 8  # along a side of the floor


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
