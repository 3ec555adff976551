"""Arrays and nested lists of 0, 1 and * from users, packed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.storage.entries import as_matrix, check_size, from_characters, zero_one_bytes
from samapprox.storage.packed import PackedMatrix

__all__ = ["pack_array"]


def pack_array(
    entries: ArrayLike, care: ArrayLike | None = None
) -> tuple[PackedMatrix, PackedMatrix | None]:
    """Pack a matrix of 0, 1 and *.

    Parameters
    ----------
    entries, care
        As for `samapprox.Pattern.from_array`.

    Returns
    -------
    ones, unspecified : PackedMatrix
        The 1 entries and the * entries; `unspecified` is None if there are none.

    Raises
    ------
    InputError
        Another entry, not two-dimensional, ragged, or empty.

    Notes
    -----
    One pass over the input in blocks; extra memory m n / 8 bytes (m n / 4 with `care`).

    Examples
    --------
    >>> ones, unspecified = pack_array([[1, "*"], [0, 1]])
    >>> ones.row_counts.tolist(), unspecified.row_counts.tolist()
    ([1, 1], [1, 0])
    """
    array = as_matrix(entries, kinds="biufUSO")
    if array.dtype.kind in "USO":
        array, care = from_characters(array)
    rows, columns = array.shape
    check_size(rows, columns)
    unspecified = None if care is None else _pack_stars(care, array.shape)

    def read(start: int, stop: int) -> NDArray[np.uint8]:
        block = array[start:stop]
        if unspecified is not None:
            block = np.where(unspecified.dense(start, stop), 0, block)
        return zero_one_bytes(block, start)

    ones = PackedMatrix.from_blocks(rows, columns, read, in_any_order=True)
    return ones, None if unspecified is None else unspecified.nonempty()


def _pack_stars(care: ArrayLike, shape: tuple[int, ...]) -> PackedMatrix:
    """Pack the zeros of a care mask."""
    mask = as_matrix(care, "care")
    if mask.shape != shape:
        raise InputError(f"care has shape {mask.shape} but the entries have {shape}")
    rows, columns = mask.shape
    return PackedMatrix.from_blocks(
        rows,
        columns,
        lambda start, stop: 1 - zero_one_bytes(mask[start:stop], start, "care entry"),
    )
