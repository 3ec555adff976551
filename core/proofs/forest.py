"""Gluing pictures of parts that may share columns: tree by tree, then side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.exact import ExactArray
from samapprox.proofs.gluing import Picture, glue_components, open_at
from samapprox.proofs.joining import Exit, Scene, draw_corner, draw_meeting, join
from samapprox.proofs.rounding import Halfspaces
from samapprox.storage.coordinates import is_among

__all__ = ["glue_parts"]


class Places(Protocol):
    """Rows and columns of a part's copies, one copy a line."""

    @property
    def rows(self) -> ExactArray:
        """Rows of each copy."""

    @property
    def columns(self) -> ExactArray:
        """Columns of each copy."""


def glue_parts(
    shape: tuple[int, int],
    dimension: int,
    pictures: Sequence[Picture],
    parts: Sequence[Places],
    cut_columns: NDArray[np.int64],
) -> Halfspaces:
    """Glue pictures of parts with their borders into one embedding.

    Parameters
    ----------
    shape : (m, n)
        The shape of the whole pattern.
    dimension : int
        At least 2, at least that of each part, and 3 where three parts share a column.
    pictures : sequence of Picture
        With the border of `samapprox.proofs.kinds.components.Components`.
    parts : sequence of Places
    cut_columns : ndarray of int64
        Columns that several parts share.

    Returns
    -------
    Halfspaces

    Raises
    ------
    InputError
        The numbers get too long.
    """
    opened, rows, columns = [], [], []
    shared = []
    for picture, part in zip(pictures, parts, strict=True):
        if is_among(part.columns[0], cut_columns).any():
            shared.append((picture.pad(dimension), part))
            continue
        opened.append(open_at(picture, len(picture.keys) - 1, len(picture.rows) - 1))
        rows.append(part.rows)
        columns.append(part.columns)
    for tree, own_rows, own_columns in _join_trees(dimension, shared, cut_columns):
        opened.append(tree)
        rows.append(own_rows)
        columns.append(own_columns)
    return glue_components(shape, dimension, opened, rows, columns)


def _join_trees(
    dimension: int, shared: Sequence[tuple[Picture, Places]], cut_columns: NDArray[np.int64]
) -> Iterator[tuple[Halfspaces, ExactArray, ExactArray]]:
    """Yield each tree of parts, opened at a key with its own row, and its rows and columns."""
    names = count(-1, -1)
    cuts = set(cut_columns.tolist())
    waiting: dict[int, dict[int, tuple[Scene, list[Exit]]]] = {cut: {} for cut in cuts}
    everything = []
    for picture, part in shared:
        for rows, columns in zip(part.rows.tolist(), part.columns.tolist(), strict=True):
            scene, exits = _set_scene(picture, rows, columns, cuts, names)
            everything.append((scene, exits))
            for way in exits:
                waiting[way.column][id(scene)] = scene, exits
    for root, exits in everything:
        if id(root) in waiting[exits[0].column]:
            yield _join_tree(dimension, root, exits, waiting, names)


def _set_scene(
    picture: Picture, rows: list[int], columns: list[int], cuts: set[int], names: Iterator[int]
) -> tuple[Scene, list[Exit]]:
    """Return a part with its border as a scene, and its exits."""
    own = [column for column in columns if column in cuts]
    ends = [next(names) for _ in own]
    border = [next(names) for _ in range(3 * len(own))]
    exits = [Exit(column, ends[i], *border[3 * i : 3 * i + 3]) for i, column in enumerate(own)]
    return Scene(picture, columns + ends, rows + border), exits


def _join_tree(
    dimension: int,
    scene: Scene,
    exits: list[Exit],
    waiting: dict[int, dict[int, tuple[Scene, list[Exit]]]],
    names: Iterator[int],
) -> tuple[Halfspaces, ExactArray, ExactArray]:
    """Join the tree of a part with the scenes that wait at their cut columns."""
    for way in exits:
        del waiting[way.column][id(scene)]
    corner, (instead, seam) = draw_corner(dimension, exits[0].column, names)
    alone_key, alone_row = corner.keys[2], corner.rows[3]
    scene = join(scene, exits[0], corner, seam)
    exits = [instead, *exits[1:]]
    while exits:
        way = exits.pop()
        others = list(waiting[way.column].values())
        places = [way]
        if len(others) > 1:
            meeting, places = draw_meeting(dimension, way.column, len(others) + 1, names)
            scene = join(scene, way, meeting, places.pop())
        for place, (inner, its) in zip(places, others, strict=True):
            for own in its:
                del waiting[own.column][id(inner)]
            seam = next(own for own in its if own.column == way.column)
            scene = join(scene, place, inner, seam)
            exits += [own for own in its if own is not seam]
    key, row = scene.keys.index(alone_key), scene.rows.index(alone_row)
    opened = open_at(scene.picture, key, row)
    rows = np.array([scene.rows[:row] + scene.rows[row + 1 :]])
    return opened, rows, np.array([scene.keys[:key] + scene.keys[key + 1 :]])
