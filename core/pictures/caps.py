"""Caps of a sphere and balls: keys as points, rows as arcs, intervals and circles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from samapprox.pattern import Pattern
from samapprox.pictures.circles import (
    evaluate_disk,
    find_caps,
    find_disks,
    find_units,
    find_window,
    split_row,
)
from samapprox.pictures.embedding import EMBEDDING_SIZE, cube_axes
from samapprox.pictures.labels import verbatim
from samapprox.pictures.legend import caption_height, put_caption
from samapprox.pictures.line import names_on_line, paint_keys_on_line
from samapprox.pictures.names import paint_keys
from samapprox.pictures.style import (
    MOST_NAMED,
    QUIET,
    bare_axes,
    join_names,
    line_style,
    name_of,
    put_legend,
)
from samapprox.pictures.view import Points
from samapprox.proofs.base import Proof
from samapprox.proofs.similarities.balls import Balls
from samapprox.proofs.similarities.caps import Caps
from samapprox.proofs.similarities.key_order import KeyOrder

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure


_MOST_LINES = 200
_MOST_CIRCLES = 20  # circles that a legend lists, or a sphere shows
_HALF = 1.18  # half a side of the window; points are within 1
_GRID = 241  # points along a side, between which circles are drawn
_FONT = 7.5
_RING = 0.05  # between two arcs
_ZOOM = 1.45  # enlarges the sphere, which needs no room for axes
_ON_LINE = "Dots are keys on a line; above it, for each query, the interval that holds its ones."
_ON_CIRCLE = "Dots are keys on a circle; outside it, for each query, the arc that holds its ones."
_ON_SPHERE = "Dots are keys on a sphere; each circle is the edge of the cap of a query's ones."
_IN_PLANE = "Dots are keys in the plane; each circle holds the ones of a query."

Round = Caps | Balls | KeyOrder


def has_round_picture(proof: Proof | None) -> TypeGuard[Round]:
    """Return whether a proof is drawn as arcs, intervals or circles.

    >>> has_round_picture(Balls([[1]], [1], [[0]], [-1])), has_round_picture(None)
    (True, False)
    """
    if isinstance(proof, Caps):
        return proof.dimension in (2, 3)
    if isinstance(proof, Balls):
        return proof.dimension in (1, 2)
    return isinstance(proof, KeyOrder)


def round_size(pattern: Pattern, proof: Round) -> tuple[float, float]:
    """Return the width and height of the picture in inches.

    >>> round_size(Pattern.from_text("1"), Balls([[1]], [1], [[0]], [-1]))
    (7.2, 2.18)
    """
    if _is_on_line(proof):
        caption = caption_height(_ON_LINE, 7.2)
        return 7.2, 1.84 + 0.16 * min(pattern.shape[0], _MOST_LINES) + caption
    return EMBEDDING_SIZE


def paint_round(
    figure: Figure | SubFigure,
    pattern: Pattern,
    proof: Round,
    rows: Sequence[int] | None = None,
) -> None:
    """Draw the keys and the boundary of each row's ones.

    `proof`: with a picture: see `has_round_picture`. Keys in an order stand at equal distances.
    `rows`: the rows that are drawn; by default all with a zero, up to 200, and up to 20 on a
    sphere.
    """
    chosen = list(range(pattern.shape[0]) if rows is None else dict.fromkeys(rows))
    most = _MOST_CIRCLES if proof.dimension == 3 else _MOST_LINES
    chosen = [row for row in chosen if pattern.row_zeros[row] > 0][:most]
    if _is_on_line(proof):
        places = find_window(proof)[2][:, 0] if isinstance(proof, Balls) else _on_line(proof)
        _paint_intervals(figure, pattern, places, chosen)
    elif isinstance(proof, KeyOrder):
        turns = 2 * np.pi * proof.points / (1 + proof.points.max())
        _paint_circle(figure, pattern, np.stack([np.cos(turns), np.sin(turns)], axis=1), chosen)
    elif isinstance(proof, Balls):
        _paint_disks(figure, pattern, proof, chosen)
    elif proof.dimension == 2:
        _paint_circle(figure, pattern, find_units(proof), chosen)
    else:
        _paint_sphere(figure, pattern, proof, chosen)


def _is_on_line(proof: Round) -> bool:
    if isinstance(proof, KeyOrder):
        return proof.curve == "line"
    return isinstance(proof, Balls) and proof.dimension == 1


def _on_line(order: KeyOrder | Caps) -> Points:
    """Return places from -1 to 1 at equal distances."""
    assert isinstance(order, KeyOrder)
    return 2.0 * order.points / max(1, int(order.points.max())) - 1.0


def _styles(count: int) -> list[tuple[str, str]]:
    """Return the colour and the dashes of each row; solid and grey where they are too many."""
    return [line_style(k) if count <= MOST_NAMED else (QUIET, "-") for k in range(count)]


def _put_names(axes: Any, named: Sequence[tuple[Any, str]]) -> None:
    """Name the rows beside the picture, where they are few."""
    if 0 < len(named) <= _MOST_CIRCLES:
        place: Any = {"loc": "center left", "bbox_to_anchor": (1, 0.5)}
        put_legend(axes, named, fontsize=8, title="rows", **place)


# ---------------------------------------------------------------- caps


def _paint_circle(
    figure: Figure | SubFigure, pattern: Pattern, points: Points, rows: Sequence[int]
) -> None:
    """Draw the keys on a circle, and outside it an arc for each row."""
    put_caption(figure, _ON_CIRCLE)
    ring = _RING if len(rows) <= MOST_NAMED else 2.0 / len(rows)
    half = 1.3 + ring * len(rows)
    axes = bare_axes(figure, half)
    whole = np.linspace(0, 2 * np.pi, 361)
    axes.plot(np.cos(whole), np.sin(whole), color=QUIET, linewidth=0.8, zorder=1)
    angles = np.arctan2(points[:, 1], points[:, 0])
    named: list[tuple[Any, str]] = []
    lines = [np.array([np.cos(whole), np.sin(whole)]).T]
    for k, (row, (colour, dashes)) in enumerate(zip(rows, _styles(len(rows)), strict=True)):
        turns = np.linspace(*_arc(pattern, row, angles), 181)
        radius = 1.16 + ring * k
        arc = radius * np.array([np.cos(turns), np.sin(turns)])
        lines.append(arc.T)
        (line,) = axes.plot(*arc, dashes, color=colour, linewidth=1.6, gid=f"row {row}", zorder=2)
        named.append((line, name_of(pattern.row_names, row)))
    _put_names(axes, named)
    paint_keys(axes, pattern, points, lines=lines)


def _arc(pattern: Pattern, row: int, angles: Points) -> tuple[float, float]:
    """Return the ends of an arc that holds a row's ones, each halfway to the next zero."""
    ones, zeros = split_row(pattern, row, angles)
    cut = float(zeros[0])
    ones, zeros = (ones - cut) % (2 * np.pi), (zeros - cut) % (2 * np.pi)
    before = zeros[zeros < ones.min()].max()
    after = zeros[zeros > ones.max()].min(initial=2 * np.pi)
    return cut + (before + ones.min()) / 2, cut + (after + ones.max()) / 2


def _paint_sphere(
    figure: Figure | SubFigure, pattern: Pattern, caps: Caps, rows: Sequence[int]
) -> None:
    """Draw the keys on a sphere, and the circle around each row's ones."""
    put_caption(figure, _ON_SPHERE)
    points, planes = find_caps(pattern, caps, rows)
    axes = cube_axes(figure, zoom=_ZOOM)
    axes.set_axis_off()
    turns = np.linspace(0, 2 * np.pi, 121)
    for height in np.linspace(-0.75, 0.75, 5):
        radius = np.sqrt(1 - height * height)
        ring = radius * np.cos(turns), radius * np.sin(turns), np.full(len(turns), height)
        axes.plot(*ring, color="#d9d5ca", linewidth=0.6)
    for turn in np.linspace(0, np.pi, 6, endpoint=False):
        ring = np.cos(turns) * np.cos(turn), np.cos(turns) * np.sin(turn), np.sin(turns)
        axes.plot(*ring, color="#d9d5ca", linewidth=0.6)
    named = []
    for row, plane, (colour, dashes) in zip(rows, planes, _styles(len(rows)), strict=True):
        normal, level = plane[:3], float(np.clip(-plane[3], -1, 1))
        across = np.linalg.svd(normal[None])[2][1:]
        ring = level * normal[:, None] + np.sqrt(1 - level * level) * (
            across.T @ np.array([np.cos(turns), np.sin(turns)])
        )
        (line,) = axes.plot(*ring, dashes, color=colour, linewidth=1.4, gid=f"row {row}")
        named.append((line, join_names(pattern.row_names, [row], 1)))
    if named:
        shown = f"the first {len(rows)} rows" if len(rows) == _MOST_CIRCLES else "rows"
        place: Any = {"loc": "upper left", "bbox_to_anchor": (-0.08, 1)}  # left of the sphere
        put_legend(axes, named, fontsize=8, title=shown, **place)
    paint_keys(axes, pattern, points)


# ---------------------------------------------------------------- balls


def _paint_disks(
    figure: Figure | SubFigure, pattern: Pattern, balls: Balls, rows: Sequence[int]
) -> None:
    """Draw the keys in the plane, and the circle around each row's ones."""
    put_caption(figure, _IN_PLANE)
    points, disks = find_disks(pattern, balls, rows)
    axes = bare_axes(figure, _HALF)
    side = np.linspace(-_HALF, _HALF, _GRID)
    x, y = np.meshgrid(side, side)
    named: list[tuple[Any, str]] = []
    for row, disk, (colour, dashes) in zip(rows, disks, _styles(len(rows)), strict=True):
        contour = axes.contour(
            x,
            y,
            evaluate_disk(disk, x, y),
            [0.0],
            colors=colour,
            linestyles=dashes,
            linewidths=1.1,
        )
        contour.set_gid(f"row {row}")
        (line,) = axes.plot([], [], dashes, color=colour)
        named.append((line, name_of(pattern.row_names, row)))
    _put_names(axes, named)
    paint_keys(axes, pattern, points)


def _paint_intervals(
    figure: Figure | SubFigure, pattern: Pattern, points: Points, rows: Sequence[int]
) -> None:
    """Draw the keys on their line, and above it the interval that holds each row's ones."""
    put_caption(figure, _ON_LINE)
    axes = figure.add_subplot()
    for k, (row, (colour, _)) in enumerate(zip(rows, _styles(len(rows)), strict=True)):
        ones, zeros = split_row(pattern, row, points)
        before, after = zeros[zeros < ones.min()], zeros[zeros > ones.max()]
        low = -_HALF if not before.size else (before.max() + ones.min()) / 2
        high = _HALF if not after.size else (after.min() + ones.max()) / 2
        axes.plot([low, high], [k + 1, k + 1], color=colour, lw=2.2, gid=f"row {row}", zorder=2)
        if len(rows) <= MOST_NAMED:
            name = name_of(pattern.row_names, row)
            axes.annotate(
                name,
                (_HALF, k + 1),
                (4, 0),
                textcoords="offset points",
                annotation_clip=False,
                va="center",
                fontsize=_FONT,
                color=colour,
                **verbatim(name),
            )
    paint_keys_on_line(axes, names_on_line(pattern, points), len(rows), _HALF, 30)
