"""The squared hinge loss of cosines: its gradient and Newton steps, in compiled float32 blocks."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from samapprox.support.arrays import Singles
from samapprox.support.jit import compiled

_compiled = partial(compiled, any_order=True)
_BLOCK = 64  # rows whose cosines fit into the cache together


@_compiled
def all_entries(
    signs: NDArray[np.int8],
    u: Singles,
    v: Singles,
    margin: float,
    rows: tuple[int, int],
    du: Singles,
    dv: Singles,
) -> tuple[float, int]:
    """Compute the loss sum max(0, margin - a_ij u_i . v_j)^2 over some rows; add up its gradient.

    6 r operations an entry and some 1 ns of its own; memory for 64 rows.
    """
    columns, rank = v.shape
    across = np.ascontiguousarray(v.T)
    cosines = np.empty((_BLOCK, columns), np.float32)
    share = np.empty((columns, rank), np.float32)
    goal, zero = np.float32(margin), np.float32(0.0)
    loss, wrong = 0.0, 0
    for start in range(rows[0], rows[1], _BLOCK):
        stop = min(rows[1], start + _BLOCK)
        block = cosines[: stop - start]
        np.dot(u[start:stop], across, block)
        for i in range(stop - start):
            row_loss, row_wrong = np.float32(0.0), np.float32(0.0)
            for j in range(columns):
                sign = np.float32(signs[start + i, j])
                along = sign * block[i, j]
                row_wrong += np.float32((along <= zero) & (sign != zero))
                short = max(goal - along, zero) * abs(sign)
                row_loss += short * short
                block[i, j] = -sign * short
            loss += float(row_loss)
            wrong += int(row_wrong)
        np.dot(block, v, du[start:stop])
        np.dot(block.T, u[start:stop], share)
        dv += share
    return loss, wrong


@_compiled
def near_entries(
    signs: NDArray[np.int8],
    u: Singles,
    v: Singles,
    margin: float,
    rows: tuple[int, int],
    indptr: NDArray[np.int64],
    columns: NDArray[np.int32],
) -> tuple[int, bool]:
    """Collect the entries of some rows whose cosine does not exceed a margin, as sparse rows."""
    width = len(v)
    across = np.ascontiguousarray(v.T)
    cosines = np.empty((_BLOCK, width), np.float32)
    goal, zero = np.float32(margin), np.float32(0.0)
    wrong, place, room = 0, indptr[rows[0]], True
    for start in range(rows[0], rows[1], _BLOCK):
        stop = min(rows[1], start + _BLOCK)
        block = cosines[: stop - start]
        np.dot(u[start:stop], across, block)
        for i in range(stop - start):
            row_wrong = np.float32(0.0)
            for j in range(width):
                sign = np.float32(signs[start + i, j])
                along = sign * block[i, j]
                row_wrong += np.float32((along <= zero) & (sign != zero))
            wrong += int(row_wrong)
            room = room and place + width <= len(columns)
            if room:
                for j in range(width):
                    sign = np.float32(signs[start + i, j])
                    columns[place] = j
                    place += (sign * block[i, j] < goal) & (sign != zero)
            indptr[start + i + 1] = place
    return wrong, room


@_compiled
def chosen_entries(
    signs: NDArray[np.int8],
    u: Singles,
    v: Singles,
    margin: float,
    indptr: NDArray[np.int64],
    columns: NDArray[np.int32],
    du: Singles,
    dv: Singles,
) -> float:
    """Compute `all_entries` for the entries that `near_entries` collected.

    Some 10 ns an entry for r = 9.
    """
    rank = v.shape[1]
    goal, zero = np.float32(margin), np.float32(0.0)
    loss = 0.0
    for i in range(len(u)):
        row_loss = np.float32(0.0)
        for k in range(rank):
            du[i, k] = zero
        for place in range(indptr[i], indptr[i + 1]):
            j = columns[place]
            sign = np.float32(signs[i, j])
            cosine = np.float32(0.0)
            for k in range(rank):
                cosine += u[i, k] * v[j, k]
            short = goal - sign * cosine
            if short > zero:
                row_loss += short * short
                weight = -sign * short
                for k in range(rank):
                    du[i, k] += weight * v[j, k]
                    dv[j, k] += weight * u[i, k]
        loss += float(row_loss)
    return loss


_SAMPLE = 8  # near entries from which the curvature is computed, for each dimension
_DAMPING = 0.1  # added to the curvature, as a multiple of its mean: few near entries leave it flat
_TINY = 1e-9  # added as well, and the least square of a pivot: nothing is divided by 0


@_compiled
def step_rows(
    signs: NDArray[np.int8],
    u: Singles,
    v: Singles,
    margin: float,
    rows: tuple[int, int],
    moved: Singles,
) -> int:
    """Move the unit vectors of some rows by a Newton step each; the columns' vectors stay.

    The loss of row i is sum_j max(0, margin - a_ij u_i . v_j)^2 on the unit sphere. Entries that
    clear the margin count for nothing. Return the number of wrong entries before the steps.

    2 r operations an entry and some 1 ns of its own; r^2 for each of some entries near the margin.
    """
    columns, rank = v.shape
    across = np.ascontiguousarray(v.T)
    cosines = np.empty((_BLOCK, columns), np.float32)
    near = np.empty(columns, np.int64)
    curvature = np.empty((rank, rank), np.float32)
    slope = np.empty(rank, np.float32)
    goal, zero = np.float32(margin), np.float32(0.0)
    wrong = 0
    for start in range(rows[0], rows[1], _BLOCK):
        stop = min(rows[1], start + _BLOCK)
        block = cosines[: stop - start]
        np.dot(u[start:stop], across, block)
        for i in range(stop - start):
            short = block[i]
            row_wrong = zero
            for j in range(columns):
                sign = np.float32(signs[start + i, j])
                along = sign * short[j]
                row_wrong += np.float32((along <= zero) & (sign != zero))
                short[j] = sign * max(goal - along, zero)
            wrong += int(row_wrong)
            count = 0
            for j in range(columns):
                near[count] = j
                count += short[j] != zero
            _add_up(near[:count], short, v, slope, curvature)
            _step(u[start + i], slope, curvature, moved[start + i])
    return wrong


@_compiled
def _add_up(
    near: NDArray[np.int64], short: Singles, v: Singles, slope: Singles, curvature: Singles
) -> None:
    """Add up the slope of a row's loss, and its curvature from a sample of the near entries."""
    rank = len(slope)
    slope[:] = np.float32(0.0)
    curvature[:] = np.float32(0.0)
    for j in near:
        for a in range(rank):
            slope[a] += short[j] * v[j, a]
    stride = 1 + len(near) // (_SAMPLE * rank)
    weight = np.float32(stride)
    for place in range(0, len(near), stride):
        j = near[place]
        for a in range(rank):
            along = weight * v[j, a]
            for b in range(rank):
                curvature[a, b] += along * v[j, b]


@_compiled
def _step(u: Singles, slope: Singles, curvature: Singles, moved: Singles) -> None:
    """Move a unit vector by the Newton step on the sphere, and scale it to length 1 again.

    Slope and curvature are projected to the tangent space; on the sphere, the slope along u is a
    part of the curvature. Where it is negative, the loss is concave, and the part is left out.
    """
    rank = len(u)
    outward, trace = np.float32(0.0), np.float32(0.0)
    for a in range(rank):
        outward += slope[a] * u[a]
        trace += curvature[a, a]
    turned, along = np.empty(rank, np.float32), np.float32(0.0)
    for a in range(rank):
        turned[a] = np.float32(0.0)
        for b in range(rank):
            turned[a] += curvature[a, b] * u[b]
        along += turned[a] * u[a]
    damping = np.float32(_DAMPING) * trace / np.float32(rank) + np.float32(_TINY)
    damping += max(outward, np.float32(0.0))
    for a in range(rank):
        for b in range(rank):
            curvature[a, b] += along * u[a] * u[b] - turned[a] * u[b] - u[a] * turned[b]
        curvature[a, a] += damping
        moved[a] = slope[a] - outward * u[a]
    _solve(curvature, moved)
    square = np.float32(0.0)
    for a in range(rank):
        moved[a] += u[a]
        square += moved[a] * moved[a]
    length = np.sqrt(square)
    for a in range(rank):
        moved[a] /= length


@_compiled
def _solve(matrix: Singles, x: Singles) -> None:
    """Solve a positive definite system in place, by its Cholesky factor."""
    rank = len(x)
    for a in range(rank):
        for b in range(a + 1):
            rest = matrix[a, b]
            for c in range(b):
                rest -= matrix[a, c] * matrix[b, c]
            if a == b:
                matrix[a, a] = np.sqrt(max(rest, np.float32(_TINY)))
            else:
                matrix[a, b] = rest / matrix[b, b]
    for a in range(rank):
        for c in range(a):
            x[a] -= matrix[a, c] * x[c]
        x[a] /= matrix[a, a]
    for a in range(rank - 1, -1, -1):
        for c in range(a + 1, rank):
            x[a] -= matrix[c, a] * x[c]
        x[a] /= matrix[a, a]
