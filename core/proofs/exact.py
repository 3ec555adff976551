"""Arrays of whole numbers that cannot overflow, and the members of proofs that are such arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.proofs.members import Member, Schema, as_integer, schema_of_list

ExactArray = NDArray[Any]
"""Integers: dtype int64 where all are below 2^62, else object (Python integers of any size)."""

_SAFE = 1 << 62

EXACT_IN_FLOAT = 1 << 53
"""Whole numbers up to this are float64 numbers, and so are their sums and products up to it."""

MOST_NUMBERS = 1 << 26
"""Coordinates of the largest embedding that is multiplied out."""

MOST_BITS = 1 << 31
"""Bits of all its coordinates together."""


def exact(values: ArrayLike, ndim: int, what: str) -> ExactArray:
    """Convert whole numbers to an array of int64, or of Python integers if those overflow.

    Ragged arrays, other entries and another number of dimensions are refused by an InputError that
    names what the array is.

    >>> exact([1, -2], 1, "keys")
    array([ 1, -2])
    >>> exact([2**70], 1, "keys").dtype
    dtype('O')
    """
    try:
        array = np.asarray(values)
        if array.size == 0:
            array = array.astype(np.int64)
        if array.dtype.kind not in "iuO":  # numpy makes floats of 2^63 beside smaller numbers
            array = np.array(values, dtype=object)
        # Most have Python's own integers alone, which is quick to see; True and False are none.
        if array.dtype.kind == "O" and set(map(type, array.flat)) != {int}:
            array = np.array([as_integer(value) for value in array.flat], dtype=object).reshape(
                array.shape
            )
    except (ValueError, TypeError):
        raise InputError(f"{what} must be a {ndim}-dimensional array of integers") from None
    if array.ndim != ndim:
        raise InputError(f"{what} must have {ndim} dimensions, not {array.ndim}")
    # Sums and negations of larger ones could leave int64.
    array = array.astype(np.int64 if largest(array) < _SAFE else object)
    if array is values:
        array = array.copy()
    array.flags.writeable = False
    return array


def largest(array: ExactArray) -> int:
    """Return the largest absolute value, 0 for an empty array."""
    if array.size == 0:
        return 0
    return max(abs(int(array.min())), abs(int(array.max())))


def exact_matmul(left: ExactArray, right: ExactArray) -> ExactArray:
    """Return the matrix product without overflow: in Python integers if int64 may be too small.

    The bound k max|left| max|right| limits all products and all partial sums. Below 2^53 float64
    holds every one of them exactly, in whatever order BLAS adds them, fused or not.
    """
    # Beside zeros, too, what is written as floats must fit.
    bound = left.shape[-1] * max(1, largest(left)) * max(1, largest(right))
    if bound < EXACT_IN_FLOAT:
        return np.asarray(left.astype(np.float64) @ right.astype(np.float64)).astype(np.int64)
    if bound >= _SAFE:
        left, right = left.astype(object), right.astype(object)
    return left @ right


def squared_norms(vectors: ExactArray) -> ExactArray:
    """Return the squared length of each row, without overflow."""
    if max(1, vectors.shape[1]) * largest(vectors) ** 2 >= _SAFE:
        vectors = vectors.astype(object)
    norms: ExactArray = (vectors * vectors).sum(axis=1)
    return norms


def require_writable(numbers: int, bits: int = 0) -> None:
    """Refuse to write out an embedding that is too large, before anything is allocated.

    `numbers`: the number of coordinates and thresholds. `bits`: a bound on the total number of
    their bits, if known.
    """
    if numbers > MOST_NUMBERS:
        raise InputError(
            f"the embedding has {numbers} numbers, more than {MOST_NUMBERS} are not written out; "
            "its certificate proves the answer without them"
        )
    if bits > MOST_BITS:
        raise InputError(
            f"the embedding may take {bits} bits, more than {MOST_BITS} are not written out; "
            "its certificate proves the answer without them"
        )


class Places(Member):
    """An array of distinct numbers of at least 0, for long lists of rows or columns."""

    def validate(self, value: Any) -> ExactArray:
        places = exact(value, 1, self.name)
        ascending = np.sort(places)
        repeated = (ascending[1:] == ascending[:-1]).any()
        if repeated or places.dtype != np.int64 or (len(places) and ascending[0] < 0):
            raise InputError(f"{self.name} must be distinct numbers of at least 0")
        return places

    def schema(self) -> Schema:
        return schema_of_list({"type": "integer", "minimum": 0}, uniqueItems=True)


class Vector(Member):
    """A member of integers of any size, or of at least a minimum."""

    def __init__(self, name: str, *, minimum: int | None = None, **facts: Any) -> None:
        super().__init__(name, **facts)
        self.minimum = minimum

    def validate(self, value: Any) -> ExactArray:
        vector = exact(value, 1, self.name)
        if self.minimum is not None and vector.size and vector.min() < self.minimum:
            raise InputError(f"{self.name} must be numbers of at least {self.minimum}")
        return vector

    def schema(self) -> Schema:
        items = {"type": "integer"} | ({} if self.minimum is None else {"minimum": self.minimum})
        return schema_of_list(items, self.least)


class Matrix(Member):
    """A member of rows of integers of any size, all of one length."""

    least = 1

    def validate(self, value: Any) -> ExactArray:
        return exact(value, 2, self.name)

    def schema(self) -> Schema:
        return schema_of_list(schema_of_list({"type": "integer"}), self.least)
