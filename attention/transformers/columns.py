"""Arrays whose columns are tokens: one input, or many inputs at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError

Matrix = NDArray[Any]
"""Integers, floats, or objects: Python's integers, fractions, mpmath's numbers."""


def split_inputs(X: ArrayLike) -> Matrix:
    """Return inputs as an array of shape (d, inputs, n), in which all tokens of a row are together.

    A matrix times all tokens of all inputs is then one product: see `apply_matrix`.
    """
    given = _widen(np.asarray(X))
    if given.dtype.kind not in "iufbO":
        raise InputError(f"X must hold real numbers, not {given.dtype}")
    if given.ndim not in (2, 3) or not given.size:
        raise InputError(
            f"X has shape {given.shape}; it must be (d, n) or (inputs, d, n), not empty"
        )
    batch = given[None] if given.ndim == 2 else given
    return np.ascontiguousarray(batch.transpose(1, 0, 2))


def join_inputs(columns: Matrix, axes: int) -> Matrix:
    """Reverse `split_inputs` for inputs of so many axes."""
    return columns[:, 0] if axes == 2 else np.ascontiguousarray(columns.transpose(1, 0, 2))


def apply_matrix(matrix: Matrix, columns: Matrix) -> Matrix:
    """Multiply every column by a matrix: shapes (r, d) and (d, ..) give (r, ..)."""
    product = matrix @ columns.reshape(len(columns), -1)
    return np.asarray(product.reshape(len(matrix), *columns.shape[1:]))


def as_matrix(name: str, entries: ArrayLike) -> Matrix:
    """Return a matrix of real numbers."""
    matrix = _widen(np.asarray(entries))
    if matrix.ndim != 2 or matrix.dtype.kind not in "iufbO":
        raise InputError(
            f"{name} must be a matrix of real numbers, not {matrix.dtype} of shape {matrix.shape}"
        )
    return matrix


def as_vector(name: str, entries: ArrayLike, length: int) -> Matrix:
    """Return a vector of real numbers of this length."""
    vector = _widen(np.asarray(entries))
    if vector.shape != (length,) or vector.dtype.kind not in "iufbO":
        raise InputError(
            f"{name} must have {length} real numbers, not {vector.dtype} of shape {vector.shape}"
        )
    return vector


def _widen(array: Matrix) -> Matrix:
    """Return booleans and integers as int64, or as objects where they exceed it.

    Sums of booleans are booleans in numpy, and small or unsigned integers wrap round.
    """
    if array.dtype.kind not in "iub":
        return array
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        return array.astype(object)
    return array.astype(np.int64, copy=False)
