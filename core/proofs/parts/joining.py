"""Joining pictures of two parts of a pattern at the column that they share, in whole numbers.

docs/theory/components.md has the construction and its proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, islice
from math import lcm
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.proofs.exact import ExactArray, exact_matmul
from samapprox.proofs.parts.gluing import (
    Halfspaces,
    Picture,
    glue_components,
    open_at,
    round_halfspaces,
)
from samapprox.storage.matrices import is_among

_SHRINKING = (2, 4, 8, 12, 18, 27, 40, 60, 90, 135, 200, 300, 450, 700, 1000)
"""Powers of two by which one picture is shrunk, tried in turn."""


@dataclass(frozen=True, slots=True)
class Exit:
    """The border of a part at a cut column c, by the names of keys and rows of its scene.

    `column` and `key`: c, and z, which stands for what lies on the other side. `both`, `cut` and
    `other`: rows that hold c and z, c alone, z alone.
    """

    column: int
    key: int
    both: int
    cut: int
    other: int


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A picture whose keys and rows have names: numbers, unlike each other."""

    picture: Picture
    keys: list[int]
    rows: list[int]


def join(outer: Scene, outer_exit: Exit, inner: Scene, inner_exit: Exit) -> Scene:
    """Join two scenes into one: the inner one replaces the key z of the outer one's exit.

    Both pictures have one dimension, at least 2. The exits are at the same column, the only name
    that both scenes have. The result lacks both exits' keys z and rows. Rows of either scene are 0
    on keys of the other, except for the shared column; rows of the outer one hold all inner keys or
    none, as they held z. Numbers that get too long are refused.

    Both pictures have a functional h that is 0 at c and z and positive at all other keys. With
    functionals that are 1 at one of c and z and 0 at the other (up to factors), and others that
    are 0 at both, the map that takes h, kappa (c), psi, zeta (z) of the inner picture to zeta,
    eps kappa, eps psi, eps eta h of the outer one carries c to c and all inner keys close to the
    outer z; for small eta, the inner rows lack all keys with h > 0.
    """
    outer_frame = _frame(outer, outer_exit)
    inner_frame = _frame(inner, inner_exit)[[-1, *range(1, len(outer_frame) - 1), 0]]
    stay = _others(outer.keys, {outer_exit.key})
    stay_rows = _others(outer.rows, {outer_exit.both, outer_exit.cut, outer_exit.other})
    enter = _others(inner.keys, {inner_exit.key, inner_exit.column})
    enter_rows = _others(inner.rows, {inner_exit.both, inner_exit.cut, inner_exit.other})
    keys, rows = outer.picture.keys[stay], outer.picture.rows[stay_rows]

    z = outer.picture.keys[outer.keys.index(outer_exit.key)]
    c = inner.picture.keys[inner.keys.index(inner_exit.column)]
    entering = inner.picture.keys[enter]
    holds_z = exact_matmul(rows, z[:, None]) > 0
    inside = np.zeros((len(rows) + len(enter_rows), len(keys) + len(enter)), dtype=np.bool_)
    inside[: len(rows), : len(keys)] = exact_matmul(rows, keys.T) > 0
    inside[: len(rows), len(keys) :] = holds_z
    own_rows = inner.picture.rows[enter_rows]
    inside[len(rows) :, len(keys) :] = exact_matmul(own_rows, entering.T) > 0
    at_cut = stay.index(outer.keys.index(outer_exit.column))
    inside[len(rows) :, at_cut] = exact_matmul(own_rows, c[:, None])[:, 0] > 0

    backward = exact_matmul(own_rows, _inverse(inner_frame))
    forward = exact_matmul(inner_frame, entering.T)
    outer_inverse = _inverse(outer_frame)
    for bits in _SHRINKING:
        near = np.array([bits] * len(outer_frame), dtype=object)
        near[0], near[-1] = 2 * bits, 0
        new_keys = exact_matmul(outer_inverse, (forward << near[:, None])).T
        new_rows = exact_matmul(backward << (2 * bits - near), outer_frame)
        sees = exact_matmul(rows, new_keys.T)
        looks = np.delete(exact_matmul(new_rows, keys.T), at_cut, axis=1)
        fits = ((sees > 0) == holds_z).all() and (sees != 0).all() and (looks < 0).all()
        if fits and (new_keys[:, -1] > 0).all():
            break
    else:
        raise InputError("the embedding's numbers get too long; keep the proof as it is")
    every = np.concatenate([keys, new_keys])
    normals = np.concatenate([rows, new_rows])[:, :-1]
    rounded = round_halfspaces(every[:, :-1], every[:, -1], normals, inside)
    return Scene(
        Picture.of(rounded.normals, rounded.points, rounded.bounds),
        [outer.keys[place] for place in stay] + [inner.keys[place] for place in enter],
        [outer.rows[place] for place in stay_rows] + [inner.rows[place] for place in enter_rows],
    )


def _others(names: list[int], left_out: set[int]) -> list[int]:
    return [place for place, name in enumerate(names) if name not in left_out]


def _frame(scene: Scene, way: Exit) -> ExactArray:
    """Return functionals zeta, kappa, psi .., h as rows, a basis: see `join`."""
    keys, rows = scene.picture.keys, scene.picture.rows
    c, z = keys[scene.keys.index(way.column)], keys[scene.keys.index(way.key)]
    h = _touch(c, z, *(rows[scene.rows.index(row)] for row in (way.both, way.cut, way.other)))
    size = len(c)
    minors = c[:, None] * z - z[:, None] * c
    p, q = divmod(max(range(size * size), key=lambda place: abs(minors.flat[place])), size)
    minor, unit = minors[p, q], np.eye(size, dtype=np.int64).astype(object)
    if minor < 0:
        p, q, minor = q, p, -minor
    kappa = z[q] * unit[p] - z[p] * unit[q]
    zeta = c[p] * unit[q] - c[q] * unit[p]
    rest = [place for place in range(size) if place not in (p, q)]
    if not h.any():  # c and z are all there is, so any functional that is 0 at both will do
        h = minor * unit[rest[0]] - c[rest[0]] * kappa - z[rest[0]] * zeta
    rest.remove(max(rest, key=lambda place: abs(h[place])))
    psi = [minor * unit[place] - c[place] * kappa - z[place] * zeta for place in rest]
    frame = np.array([zeta, kappa, *psi, h], dtype=object)
    # All of about the same size on the keys, or shrinking would have to make up for it.
    sizes = [max(abs(value) for value in line).bit_length() for line in frame @ keys.T]
    shifts = np.array([max(sizes) - size for size in sizes], dtype=object)
    return np.asarray(frame << shifts[:, None])


def _touch(
    c: ExactArray, z: ExactArray, both: ExactArray, cut: ExactArray, other: ExactArray
) -> ExactArray:
    """Return a functional that is 0 at c and z, and positive wherever the three rows are negative.

    The last coordinate and the negatives of the rows have all four pairs of signs at (c, z), so a
    combination of them with weights >= 0 is 0 at both.
    """
    last = np.zeros(len(c), dtype=object)
    last[-1] = 1
    upper = [last, -both, -cut, -other]
    first = (both @ c) * last - (last @ c) * both  # 0 at c
    excess = first @ z
    if excess > 0:  # something that is 0 at c and negative at z
        second = (both @ c) * upper[3] + (upper[3] @ c) * upper[1]
    else:
        second = (cut @ c) * last + (last @ c) * upper[2]
    return np.asarray(abs(second @ z) * first + abs(excess) * second)


def _inverse(matrix: ExactArray) -> ExactArray:
    """Return a positive multiple of the inverse, in whole numbers."""
    size = len(matrix)
    rows = [
        [Fraction(int(value)) for value in line] + [Fraction(int(i == j)) for j in range(size)]
        for i, line in enumerate(matrix.tolist())
    ]
    for column in range(size):
        pivot = next(row for row in range(column, size) if rows[row][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        factor = rows[column][column]
        rows[column] = [value / factor for value in rows[column]]
        for row in range(size):
            if row != column and rows[row][column]:
                factor = rows[row][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    inverse = [line[size:] for line in rows]
    scale = lcm(*(value.denominator for line in inverse for value in line))
    return np.array([[int(value * scale) for value in line] for line in inverse], dtype=object)


def _draw_corner(dimension: int, column: int, names: Iterator[int]) -> tuple[Scene, list[Exit]]:
    """Draw a square: a cut column, a key with an exit, a key with its own row, another exit.

    The dimension is at least 2. Names of the lines are taken in turn, besides that of the column c:
    keys y, alone, z; rows {c, y}, {c}, {y}, {alone}, {c, z}, {c}, {z}. The exits are at y and z.
    """
    keys = np.array([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
    c_alone = [-2, -2, 1]
    halfplanes = np.array(
        [[0, -2, 1], c_alone, [2, -2, -1], [2, 2, -3], [-2, 0, 1], c_alone, [-2, 2, -1]]
    )
    picture = Picture(keys.astype(object), halfplanes.astype(object)).pad(dimension)
    y, alone, z = islice(names, 3)
    rows = list(islice(names, 7))
    exits = [Exit(column, y, *rows[:3]), Exit(column, z, *rows[4:])]
    return Scene(picture, [column, y, alone, z], rows), exits


def _draw_meeting(
    dimension: int, column: int, count: int, names: Iterator[int]
) -> tuple[Scene, list[Exit]]:
    """Draw a cut column with several exits: the apex of a pyramid over a convex polygon.

    The dimension is at least 3. Names of the lines are taken in turn, besides that of the column c:
    all keys z, then for each rows {c, z}, {c}, {z}.
    """
    base = [(i, i * i, 0, 1) for i in range(count)]
    lift = 2 * count * count
    halfspaces = [
        line
        for i in range(count)
        for line in (
            (4 * i, -2, lift, 1 - 2 * i * i),
            (0, 0, 2, -1),
            (4 * i, -2, -lift, 1 - 2 * i * i),
        )
    ]
    keys = np.array([(0, 0, 1, 1), *base], dtype=object)
    picture = Picture(keys, np.array(halfspaces, dtype=object)).pad(dimension)
    ends = list(islice(names, count))
    rows = list(islice(names, 3 * count))
    exits = [Exit(column, z, *rows[3 * i : 3 * i + 3]) for i, z in enumerate(ends)]
    return Scene(picture, [column, *ends], rows), exits


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

    `shape`: the shape of the whole pattern. `dimension`: at least 2, at least that of each part,
    and 3 where three parts share a column. `pictures`: with the border of
    `samapprox.proofs.parts.components.Components`. `cut_columns`: columns that several parts share.
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
    corner, (instead, seam) = _draw_corner(dimension, exits[0].column, names)
    alone_key, alone_row = corner.keys[2], corner.rows[3]
    scene = join(scene, exits[0], corner, seam)
    exits = [instead, *exits[1:]]
    while exits:
        way = exits.pop()
        others = list(waiting[way.column].values())
        places = [way]
        if len(others) > 1:
            meeting, places = _draw_meeting(dimension, way.column, len(others) + 1, names)
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
