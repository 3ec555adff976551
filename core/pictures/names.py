"""Names written into a picture, as many as have room, and keys as named points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.pictures.labels import Boxes, beside, verbatim, without_overlaps
from samapprox.pictures.style import MOST_NAMED, ONE, QUIET, WORDS, group_points, join_names
from samapprox.pictures.view import Points

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KEY_FONT = 9.0
"""Points of the letters of a key's name."""

_FARTHEST = 0.5  # size and darkness of the farthest dot, relative to the nearest

_NOTE = 7.5, 260.0, 14.0  # size of its letters; width and height of its room, in points
_FAR = 8.0  # points from a label to what it names, beyond which a line joins them
_APART = 0.75  # points around a label that stay free
_FRONT = 1000.0  # before the planes of space, which matplotlib sorts by depth


def _name_points(
    axes: Any,
    texts: Sequence[str],
    places: NDArray[np.float64],
    size: float,
    lines: Sequence[NDArray[np.float64]] = (),
    *,
    room_for_note: bool = False,
) -> int:
    """Write texts beside points, so that no two labels of the picture overlap.

    `axes`: everything else is already drawn and laid out, and stays where it is. `places`: the
    points, in coordinates of the data. `size`: of the font. `lines`: lines that the labels leave
    free, as points along them, as `places`. `room_for_note`: leave the room of `put_note` free even
    if all texts have room. Returned: how many texts are hidden, because there is no room for them.
    """
    from matplotlib.patheffects import withStroke

    scale = _points(axes)
    pairs = [np.stack([line[:-1], line[1:]], axis=1) for line in lines]
    ends = np.concatenate([np.zeros((0, 2, 2)), *pairs]).reshape(-1, 2)
    segments = axes.transData.transform(ends).reshape(-1, 2, 2) * scale
    taken = _label_boxes(axes)
    labels = [
        axes.annotate(
            text,
            place,
            (0, 0),
            textcoords="offset points",
            annotation_clip=False,
            ha="center",
            va="center",
            fontsize=size,
            color="#222222",
            path_effects=[withStroke(linewidth=2.2, foreground="white", alpha=0.85)],
            arrowprops={"arrowstyle": "-", "color": QUIET, "lw": 0.5, "shrinkA": 0, "shrinkB": 3},
            in_layout=False,
            zorder=_FRONT,
            **verbatim(text),
        )
        for text, place in zip(texts, places, strict=True)
    ]
    sizes = np.array([_box(label)[2:] - _box(label)[:2] for label in labels]).reshape(-1, 2)
    points = axes.transData.transform(places) * scale
    left, bottom, right, top = (axes.bbox.extents * scale).tolist()
    outer = axes.figure.bbox.extents * scale
    limits = float(outer[0]), float(outer[1]), float(outer[2]), top  # above stands the heading
    note = np.array([[left, bottom, left + _NOTE[1], bottom + _NOTE[2]]])
    frame = left, bottom, right, top
    found: list[tuple[float, float] | None] = [None]
    if not room_for_note:
        found = beside(points, sizes, frame, limits, taken.tolist(), segments)
    if None in found:
        taken = np.vstack([taken, note])
        found = beside(points, sizes, frame, limits, taken.tolist(), segments)
    for label, offset, own in zip(labels, found, sizes, strict=True):
        if offset is None:
            label.set_visible(False)
            continue
        # The end next to the point is fixed, because widths depend a little on the resolution.
        side = int(np.sign(offset[0]))
        label.set_horizontalalignment({-1: "right", 0: "center", 1: "left"}[side])
        label.xyann = offset[0] - side * own[0] / 2, offset[1]
        gap = np.hypot(*np.clip(np.abs(offset) - own / 2, 0, None))
        label.arrow_patch.set_visible(bool(gap > _FAR))
    return found.count(None)


def hide_overlaps(axes: Any) -> int:
    """Hide the labels of a picture that overlap earlier ones, and return how many are hidden."""
    lay_out(axes.get_figure(root=True))
    labels = _labels(axes)
    kept = without_overlaps(np.array([_box(label) for label in labels]).reshape(-1, 4))
    for label, stays in zip(labels, kept, strict=True):
        label.set_visible(stays)
    return kept.count(False)


def put_note(axes: Any, left_out: Sequence[tuple[int, str]]) -> None:
    """Say in the lower left corner how many names of which things are left out, if any.

    `left_out`: numbers, and the plurals of the things.
    """
    things = [f"{count} {name}" for count, name in left_out if count]
    if not things:
        return
    axes.annotate(
        f"no room for the names of {' and '.join(things)}",
        (0, 0),
        (2, 2),
        xycoords="axes fraction",
        textcoords="offset points",
        annotation_clip=False,
        va="bottom",
        fontsize=_NOTE[0],
        color=WORDS,
        in_layout=False,
        zorder=_FRONT,
    )


def _label_boxes(axes: Any) -> Boxes:
    """Return the boxes of all visible labels and of the legend, in points, with some room.

    Returned: each as left, bottom, right, top; the legend last.
    """
    legend = axes.get_legend()
    boxes = [_box(label) for label in _labels(axes)]
    if legend is not None:
        boxes.append(legend.get_window_extent().extents * _points(axes))
    return np.array(boxes, dtype=np.float64).reshape(-1, 4)


def _labels(axes: Any) -> list[Any]:
    return [text for text in axes.texts if text.get_visible() and text.get_text()]


def _box(label: Any) -> Boxes:
    """The box of a label alone: matplotlib's own adds the line that leads to it."""
    from matplotlib.text import Text

    box = Text.get_window_extent(label).padded(_APART / _points(label))
    return np.asarray(np.array(box.extents) * _points(label))


def _points(artist: Any) -> float:
    """Typographic points in a pixel."""
    return 72.0 / float(artist.get_figure(root=True).dpi)


def lay_out(figure: Figure, times: int = 2) -> None:
    """Let the layout say where everything is, without drawing, which takes as long again.

    `times`: names beyond the axes move the axes, so one layout is not enough.
    """
    engine = figure.get_layout_engine()
    assert engine is not None
    for _ in range(times):
        engine.execute(figure)
    for axes in figure.get_axes():
        axes.apply_aspect()


def paint_keys(
    axes: Any,
    pattern: Pattern,
    points: Points,
    filled: NDArray[np.bool_] | None = None,
    lines: Sequence[Points] = (),
) -> None:
    """Draw the keys with their names, those of one point together, and say which are left out.

    `filled`: which keys are not hollow; all by default. `lines`: points along lines of the picture
    that no name should cover.
    """
    in_space = points.shape[1] == 3
    if filled is None:
        filled = np.ones(len(points), dtype=np.bool_)
    size = float(np.clip(2400 / len(points), 6, 42))
    nearness = _find_nearness(axes, points) if in_space else np.ones(len(points))
    dark = _shade(nearness)
    white = np.ones(3)
    axes.scatter(
        *points.T,
        s=size * (_FARTHEST + (1 - _FARTHEST) * nearness),
        c=np.where(filled[:, None], dark, white),
        edgecolors=np.where(filled[:, None], white, dark),
        linewidths=0.8,
        zorder=4,
        gid="keys",
        **({"depthshade": False} if in_space else {}),
    )
    rows = hide_overlaps(axes)
    if rows:  # what is hidden makes room
        lay_out(axes.get_figure(root=True))
    groups = group_points(points)
    if len(groups) > MOST_NAMED:
        put_note(axes, [(len(groups), "keys"), (rows, "rows")])
        return
    texts = [join_names(pattern.column_names, own, 4) for own in groups]
    places = points[[own[0] for own in groups]]
    if in_space:
        from mpl_toolkits.mplot3d import proj3d

        places = np.array(proj3d.proj_transform(*places.T, axes.get_proj())[:2]).T
    hidden = _name_points(axes, texts, places, KEY_FONT, lines, room_for_note=rows > 0)
    put_note(axes, [(hidden, "keys"), (rows, "rows")])


def _find_nearness(axes: Any, points: Points) -> NDArray[np.float64]:
    """Return how near points of space are to the camera: 0 for the farthest, 1 for the nearest.

    `axes`: of space.
    """
    e, a = np.radians([axes.elev, axes.azim])
    depths = points @ np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    return np.asarray((depths - depths.min()) / max(float(np.ptp(depths)), 1e-9))


def _shade(nearness: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the colours of dots, the lighter the farther."""
    from matplotlib.colors import to_rgb

    share = (_FARTHEST + (1 - _FARTHEST) * nearness)[:, None]
    return np.asarray(share * np.array(to_rgb(ONE)) + (1 - share))
