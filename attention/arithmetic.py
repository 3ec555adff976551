"""A test of whether an embedding represents its pattern in a model's number format."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.support.nearest import unknown_name

__all__ = ["ARITHMETICS", "require_arithmetic", "rows_lost"]

ARITHMETICS = ("float64", "float32", "bfloat16", "float16")


def rows_lost(pattern: Pattern, embedding: Embedding, arithmetic: str) -> list[int]:
    """Find the rows that come out wrong in an arithmetic: some one is not above every zero.

    Keys are shifted to the middle of their range, which softmax does not see, and queries and keys
    scaled by powers of two; both are rounded to the type. Products are summed in float32 (in
    float64 for float64), coordinate after coordinate, and the logits rounded to the type, as
    accelerators do.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
    embedding : Embedding
    arithmetic : {"float64", "float32", "bfloat16", "float16"}

    Returns
    -------
    list of int
        Empty if the pattern is represented.

    Raises
    ------
    InputError
        An unknown arithmetic.

    Notes
    -----
    O(m n d).

    Examples
    --------
    >>> pattern = Pattern.from_array([[1, 0], [0, 1]])
    >>> rows_lost(pattern, Embedding([[1], [-1]], [[1], [0]], [0, -1]), "float16")
    []
    >>> far = Embedding([[1], [-1]], [[2**60 + 1], [2**60]], [2**60, -(2**60) - 1])
    >>> rows_lost(pattern, far, "float64")
    []
    >>> three = Pattern.from_array([[1, 0, 0], [1, 1, 0]])
    >>> rows_lost(three, Embedding([[1], [1]], [[4097], [4096], [0]], [4096, 0]), "float16")
    [0]
    """
    require_arithmetic(arithmetic)
    kind = _dtype(arithmetic)
    accumulator = np.float64 if arithmetic == "float64" else np.float32
    keys = embedding.keys.astype(object)
    if len(keys):
        keys = 2 * keys - (keys.max(axis=0) + keys.min(axis=0))
    queries = _scaled(embedding.queries.astype(object), axis=1).astype(kind).astype(accumulator)
    keys = _scaled(keys, axis=None).astype(kind).astype(accumulator)
    lost = []
    for row, query in enumerate(queries):
        logits: NDArray[Any] = np.zeros(len(keys), dtype=accumulator)
        for coordinate in range(embedding.dimension):
            logits = logits + query[coordinate] * keys[:, coordinate]
        entries = pattern.block(row, row + 1)[0]
        rounded = logits.astype(kind).astype(accumulator)
        ones, zeros = rounded[entries == 1], rounded[entries == 0]
        if zeros.size and not ones.min() > zeros.max():
            lost.append(row)
    return lost


def require_arithmetic(arithmetic: str) -> None:
    """Refuse an arithmetic that embeddings are not tested in.

    Parameters
    ----------
    arithmetic : str

    Raises
    ------
    InputError
        Suggests the nearest name and lists all.

    Examples
    --------
    >>> require_arithmetic("float16")
    >>> require_arithmetic("float12")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: unknown arithmetic 'float12' (did you mean 'float32'?); ...
    """
    if arithmetic not in ARITHMETICS:
        raise unknown_name("arithmetic", arithmetic, ARITHMETICS)


def _dtype(arithmetic: str) -> Any:
    if arithmetic == "bfloat16":
        from ml_dtypes import bfloat16

        return bfloat16
    return np.dtype(arithmetic)


def _scaled(numbers: NDArray[np.object_], axis: int | None) -> NDArray[np.float64]:
    """Divide whole numbers by a power of two: at most 1 in each row (axis 1) or in all."""
    if not numbers.size:
        return numbers.astype(np.float64)
    largest = np.abs(numbers).max(axis=axis, keepdims=True)
    shift = np.vectorize(lambda number: 1 << int(number).bit_length(), otypes=[object])(largest)
    return np.asarray(numbers / shift, dtype=np.float64)
