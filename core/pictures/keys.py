"""Keys as points of the plane or of space, with their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.pictures.names import hide_overlaps, name_points, put_note
from samapprox.pictures.style import MOST_NAMED, ONE, group_points, join_names
from samapprox.pictures.view import Points

__all__ = ["KEY_FONT", "find_nearness", "paint_keys"]

KEY_FONT = 9.0
"""Points of the letters of a key's name."""

_FARTHEST = 0.5  # of a nearest dot's size, and of its darkness


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
    nearness = find_nearness(axes, points) if in_space else np.ones(len(points))
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
    groups = group_points(points)
    if len(groups) > MOST_NAMED:
        put_note(axes, [(len(groups), "keys"), (rows, "rows")])
        return
    texts = [join_names(pattern.column_names, own, 4) for own in groups]
    places = points[[own[0] for own in groups]]
    if in_space:
        from mpl_toolkits.mplot3d import proj3d

        places = np.array(proj3d.proj_transform(*places.T, axes.get_proj())[:2]).T
    hidden = name_points(axes, texts, places, KEY_FONT, lines, room_for_note=rows > 0)
    put_note(axes, [(hidden, "keys"), (rows, "rows")])


def find_nearness(axes: Any, points: Points) -> NDArray[np.float64]:
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
