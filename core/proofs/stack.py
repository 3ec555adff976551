"""The exact checker for a whole stack of proofs at d = 1, in array operations.

It checks the same statements as `samapprox.proofs.check`, for many small patterns at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["check_cores", "check_embeddings"]


def check_embeddings(
    stack: NDArray[np.uint8],
    keys: NDArray[np.integer],
    queries: NDArray[np.integer],
    thresholds: NDArray[np.integer],
) -> NDArray[np.bool_]:
    """Return whether q_i k_j > t_i exactly where S_ij = 1, for every pattern of a stack.

    `keys` (shape (N, n)): products of keys and queries must fit the integer type.
    """
    above = queries[:, :, None] * keys[:, None, :] > thresholds[:, :, None]
    return np.asarray((above == stack.view(np.bool_)).all(axis=(1, 2)))


def check_cores(
    stack: NDArray[np.uint8], rows: NDArray[np.integer], columns: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Return whether the named rows and columns forbid d = 1, for every pattern of a stack.

    `rows` (shape (N, 3)): three rows for a Radon core; two and -1 for a shattering. `columns`
    (shape (N, 4)): three columns and -1, or four.
    """
    holds = np.zeros(len(stack), dtype=np.bool_)
    radon = rows[:, 2] >= 0
    holds[radon] = _split_in_every_way(_cores(stack, rows, columns, radon, 3, 3))
    holds[~radon] = _shattered(_cores(stack, rows, columns, ~radon, 2, 4))
    return holds


def _cores(
    stack: NDArray[np.uint8],
    rows: NDArray[np.integer],
    columns: NDArray[np.integer],
    chosen: NDArray[np.bool_],
    height: int,
    width: int,
) -> NDArray[np.uint8]:
    """Return the named submatrices of the chosen patterns, shape (chosen, height, width).

    A core that does not exist (a negative index) comes out as zeros, which prove nothing.
    """
    chosen_rows, chosen_columns = rows[chosen, :height], columns[chosen, :width]
    cores: NDArray[np.uint8] = stack[
        np.flatnonzero(chosen)[:, None, None], chosen_rows[:, :, None], chosen_columns[:, None, :]
    ]
    cores[(chosen_rows < 0).any(axis=1) | (chosen_columns < 0).any(axis=1)] = 0
    return cores


def _split_in_every_way(cores: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return whether three rows split three columns in all 3 ways."""
    normal = cores ^ cores[:, :, :1]  # a row and its complement split alike
    shown = np.bitwise_or.reduce(1 << (2 * normal[:, :, 1] + normal[:, :, 2]), axis=1)
    return np.asarray(shown & 0b1110 == 0b1110)


def _shattered(cores: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return whether four columns show all four 0/1 pairs on two rows."""
    shown = np.bitwise_or.reduce(1 << (2 * cores[:, 0, :] + cores[:, 1, :]), axis=1)
    return np.asarray(shown == 0b1111)
