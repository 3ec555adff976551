"""Gluing embeddings of the components of a pattern together, in whole numbers of few bits.

docs/theory/components.md has the construction and its proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.proofs.embeddings.logits import gaps
from samapprox.proofs.exact import ExactArray, exact_matmul

_FEW_BITS = (3, 4, 6, 8, 11, 15, 20)
_MANY_BITS = (27, 36, 48, 64, 85, 114, 152, 203, 270, 360, 480, 640, 853, 1138, 1517, 2048)
"""Precision tried in turn: by floats first, by whole numbers then."""


@dataclass(frozen=True, slots=True, eq=False)
class Halfspaces:
    """Points and halfspaces in whole numbers: row i holds j if normal_i . point_j > bound_i."""

    points: ExactArray
    normals: ExactArray
    bounds: ExactArray


def round_halfspaces(
    points: ExactArray, scales: ExactArray, normals: ExactArray, inside: NDArray[np.bool_]
) -> Halfspaces:
    """Round points and halfspaces to few bits such that every point keeps its sides.

    `points` (shape (n, d)): numerators. `scales` (shape (n,)): denominators of each point,
    positive. `normals` (shape (m, d)): the normals of halfspaces, each of which has a bound with
    exactly these sides. `inside` (shape (m, n)): the points that each halfspace contains.

    The signs of the last coordinates of the normals stay. Coordinates are scaled. Numbers that need
    more than some thousands of bits are refused.

    Bounds are put in the middle between points inside and outside, so only normals and points are
    rounded. Each precision costs O(m n d).
    """
    empty = ~(points != 0).any(axis=0)
    empty[-1] = False
    normals = np.where(empty, 0, normals)  # else they hide what matters
    for rounded in _round_floats(points, scales, normals):
        if (found := _separate(*rounded, inside)) is not None:
            return found
    for bits in _MANY_BITS:
        rounded = _round_exactly(points, scales, normals, bits)
        if (found := _separate(*rounded, inside)) is not None:
            return found
    raise InputError(
        f"the embedding needs numbers of more than {_MANY_BITS[-1]} bits; keep the proof as it is"
    )


def _separate(
    points: ExactArray, normals: ExactArray, inside: NDArray[np.bool_]
) -> Halfspaces | None:
    """Find bounds midway between points inside and outside; None if these overlap."""
    zeros, ones = gaps(inside, exact_matmul(normals, points.T))
    if (zeros >= ones).any():
        return None
    return Halfspaces(points, normals, (zeros + ones) // 2)


def _round_floats(
    points: ExactArray, scales: ExactArray, normals: ExactArray
) -> Iterator[tuple[ExactArray, ExactArray]]:
    """Yield points and normals of more and more bits, as long as floats hold them."""
    try:
        ratios = (points / scales[:, None]).astype(np.float64)
        sizes = np.abs(ratios).max(axis=0)
        sizes[sizes == 0] = 1
        slopes = (normals / np.abs(normals).max(axis=1, keepdims=True)).astype(np.float64) * sizes
    except (OverflowError, ZeroDivisionError):
        return
    slopes /= np.abs(slopes).max(axis=1, keepdims=True)
    if not (np.isfinite(ratios).all() and np.isfinite(slopes).all()):
        return
    for bits in _FEW_BITS:
        near = np.rint(ratios / sizes * 2**bits).astype(np.int64)
        steep = np.rint(slopes * 2**bits).astype(np.int64)
        yield near, _keep_last_signs(steep, normals)


def _round_exactly(
    points: ExactArray, scales: ExactArray, normals: ExactArray, bits: int
) -> tuple[ExactArray, ExactArray]:
    """Round points and normals to so many bits."""
    points, scales, normals = (array.astype(object) for array in (points, scales, normals))
    lengths = _bit_lengths(points) - _bit_lengths(scales)[:, None]
    lengths[points == 0] = np.iinfo(np.int64).min // 2
    shifts = bits - lengths.max(axis=0, initial=-bits)
    shifts[~(points != 0).any(axis=0)] = 0
    near = _divide(_shift(points, shifts[None]), scales[:, None], shifts[None])
    reach = _bit_lengths(normals) - shifts[None]
    reach[normals == 0] = np.iinfo(np.int64).min // 2
    turns = bits - reach.max(axis=1, keepdims=True) - shifts[None]
    steep = _divide(_shift(normals, turns), np.full_like(normals, 1), turns)
    return near, _keep_last_signs(steep, normals)


def _shift(numbers: ExactArray, shifts: NDArray[np.int64]) -> ExactArray:
    """Return the numbers times two to the power of their shifts, where these are positive."""
    left = np.broadcast_to(np.maximum(shifts, 0), numbers.shape).astype(object)
    return np.asarray(numbers << left)


def _divide(numerators: ExactArray, scales: ExactArray, shifts: NDArray[np.int64]) -> ExactArray:
    """Divide and round to the nearest whole numbers, with the negative shifts still to apply."""
    down = np.broadcast_to(np.maximum(-shifts, 0), numerators.shape).astype(object)
    denominators = np.broadcast_to(scales, numerators.shape) << down
    return np.asarray((2 * numerators + denominators) // (2 * denominators))


def _bit_lengths(numbers: ExactArray) -> NDArray[np.int64]:
    lengths = [int(number).bit_length() for number in numbers.flat]
    return np.array(lengths, dtype=np.int64).reshape(numbers.shape)


def _keep_last_signs(rounded: ExactArray, normals: ExactArray) -> ExactArray:
    """Return the normals, of which no last coordinate is rounded to zero."""
    last = np.sign(normals[:, -1])
    rounded[:, -1] = np.where(rounded[:, -1] == 0, last, rounded[:, -1])
    return rounded


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Keys and queries as vectors of R^(d + 1): row i holds key j if their product is positive.

    `keys` (shape (n, d + 1)): the last coordinate is positive. `rows` (shape (m, d + 1)): no
    product with a key is 0.
    """

    keys: ExactArray
    rows: ExactArray

    @classmethod
    def of(cls, queries: ExactArray, keys: ExactArray, thresholds: ExactArray) -> Picture:
        """Draw an embedding in whole numbers: keys (k, 1) and rows (2 q, -2 t - 1)."""
        keys, queries, bounds = (array.astype(object) for array in (keys, queries, thresholds))
        ones = np.ones((len(keys), 1), dtype=object)
        return cls(np.hstack([keys, ones]), np.hstack([2 * queries, -2 * bounds[:, None] - 1]))

    def pad(self, dimension: int) -> Picture:
        """Return the same in more dimensions: zeros before the last coordinate."""
        missing = [self.keys.shape[1] - 1] * (dimension + 1 - self.keys.shape[1])
        return Picture(
            np.insert(self.keys, missing, 0, axis=1), np.insert(self.rows, missing, 0, 1)
        )


def open_at(picture: Picture, key: int, row: int) -> Halfspaces:
    """Open a picture at one of its keys: all rows that lack the key become upper halfspaces.

    The row holds this key alone, and no other row holds the key. The result has all other keys and
    rows, in order; last coordinates of normals are positive.

    A projective map sends a hyperplane that touches the keys in this one alone to infinity.
    In homogeneous coordinates let z be the key, h the row, e the last coordinate and
    psi_l(x) = e(z) x_l - z_l e(x). The functional -sum h_l psi_l = h(z) e - e(z) h is 0 at z and
    positive at all other keys: it becomes the new last coordinate. One psi_l follows from it and
    the others, and -e is the new height.
    """
    z, h = picture.keys[key], picture.rows[row]
    others = np.delete(np.arange(len(picture.keys)), key)
    keys = picture.keys[others]
    rows = picture.rows[np.delete(np.arange(len(picture.rows)), row)]

    psi = z[-1] * keys[:, :-1] - keys[:, -1:] * z[:-1]
    scales = -(psi @ h[:-1])
    drop = max(range(len(h) - 1), key=lambda place: abs(h[place]))
    keep = np.delete(np.arange(len(h) - 1), drop)
    sign = 1 if h[drop] > 0 else -1

    points = np.hstack([psi[:, keep], -keys[:, -1:]])
    slopes = abs(h[drop]) * rows[:, keep] - sign * rows[:, drop : drop + 1] * h[keep]
    steepness = -abs(h[drop]) * (rows @ z)
    normals = np.hstack([slopes, steepness[:, None]])
    return round_halfspaces(points, scales, normals, exact_matmul(rows, keys.T) > 0)


def glue_components(
    shape: tuple[int, int],
    dimension: int,
    opened: Sequence[Halfspaces],
    rows: Sequence[NDArray[np.int64]],
    columns: Sequence[NDArray[np.int64]],
) -> Halfspaces:
    """Glue pictures of the components, each opened at its border key, into one embedding.

    `shape`: the shape of the whole pattern. `dimension`: at least 2, and at least that of each
    component. `rows` and `columns` (shape (copies, ..)): the places of the copies of each
    component.

    In the result, no row holds a key of another component, nor one that lies in none.

    Copy number c stands near the point (t, -|t|^2) of a paraboloid, t a point of Z^(d - 1): its
    point (u, v) goes to (N t + u, v - N L |t|^2 - 2 L t . u). Its halfspace a v + b . u > g
    then bounds the height above the plane that touches the paraboloid there. A key of another copy,
    at distance D >= 1, lies at least L (N D^2 - 2 D |u|) - v below that plane, so N >= 4 |u| and
    L > 2 |b|/a + 2 (|b| |u| / a + |g|/a + |v|)/N keep it out. O((m + n) d).
    """
    padded = [_pad(part, dimension) for part in opened]
    reach = max(1, *(_reach(part.points[:, :-1]) for part in padded))
    spread = 4 * reach
    lift = max(_least_lift(part, spread, reach) for part in padded)

    queries = np.zeros((shape[0], dimension), dtype=object)
    keys = np.zeros((shape[1], dimension), dtype=object)
    thresholds = np.zeros(shape[0], dtype=object)
    is_placed = np.zeros(shape[1], dtype=np.bool_)
    centres = _grid_points(sum(map(len, rows)), dimension - 1)
    first = 0
    for part, own_rows, own_columns in zip(padded, rows, columns, strict=True):
        t = centres[first : first + len(own_rows), None]
        first += len(own_rows)
        square = (t * t).sum(axis=2)
        u, v = part.points[:, :-1], part.points[:, -1]
        b, a = part.normals[:, :-1], part.normals[:, -1:]
        heights = v - spread * lift * square - 2 * lift * (t * u).sum(axis=2)
        keys[own_columns] = np.concatenate([spread * t + u, heights[..., None]], axis=2)
        upright = np.broadcast_to(a, (len(t), *a.shape))
        queries[own_rows] = np.concatenate([2 * lift * a * t + b, upright], axis=2)
        thresholds[own_rows] = (
            part.bounds + spread * lift * a[:, 0] * square + spread * (b * t).sum(axis=2)
        )
        is_placed[own_columns] = True
    if not is_placed.all():  # below all halfspaces
        keys[~is_placed, -1] = min(thresholds // queries[:, -1]) - 1
    return Halfspaces(keys, queries, thresholds)


def _pad(part: Halfspaces, dimension: int) -> Halfspaces:
    """Return the same in more dimensions: zeros before the last coordinate."""
    missing = dimension - part.points.shape[1]
    points, normals = (
        np.insert(array.astype(object), [array.shape[1] - 1] * missing, 0, axis=1)
        for array in (part.points, part.normals)
    )
    return Halfspaces(points, normals, part.bounds.astype(object))


def _reach(points: ExactArray) -> int:
    """Return a bound on the length of each point."""
    return int(np.abs(points).sum(axis=1).max(initial=0))


def _least_lift(part: Halfspaces, spread: int, reach: int) -> int:
    """Return the least L of `glue_components` for one component."""
    a = part.normals[:, -1]
    slope = np.abs(part.normals[:, :-1]).sum(axis=1)
    height = np.abs(part.points[:, -1]).max()
    needed = 2 * slope * spread + 2 * (slope * reach + np.abs(part.bounds) + a * height)
    return int((needed // (a * spread)).max()) + 1


def _grid_points(count: int, dimension: int) -> ExactArray:
    """Return so many points of Z^dimension, all of them near 0."""
    side = 1
    while side**dimension < count:
        side += 1
    places = np.unravel_index(np.arange(count), (side,) * dimension)
    return np.stack(places, axis=1).astype(object) - side // 2
