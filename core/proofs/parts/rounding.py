"""Rounding of halfspaces and points to few bits, such that every point keeps its sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.proofs.embeddings.logits import gaps
from samapprox.proofs.exact import ExactArray, exact_matmul

__all__ = ["Halfspaces", "round_halfspaces"]

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
