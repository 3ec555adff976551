"""The squared hinge loss of cosines and its gradient, in compiled float32 blocks."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from samapprox.support.jit import compiled

Singles = NDArray[np.float32]

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
