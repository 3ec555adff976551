"""Sets of vectors, of real numbers or of 0 and 1."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError, require_list
from samapprox.support.text import plural

_MOST_COORDINATES = 1 << 20
"""Largest dimension, so that bounds on rounding errors stay small."""

_WHOLE = 1 << 53


@dataclass(frozen=True, slots=True, eq=False)
class VectorSet:
    """One or two sets of vectors, the facts known about them, and their origin.

    Attributes
    ----------
    first : ndarray, shape (n, d)
        float32 or float64; or uint8, zeros and ones. The queries, where there are two sets.
    second : ndarray, shape (m, d), or None
        The keys, of the same type.
    furthest : ndarray of int64, shape (n,), or None
        The furthest key of every query, if a construction provides it.
    known : mapping of str to int, float or list of int
        True statements about it, as ``{"pairs": 1, "pair": [3, 17]}``; never guesses.
    origin : mapping of str to int, float or str
        Family, parameters and seed; enough to make it again.
    first_ids, second_ids : tuple of str, or None
        The ids of the vectors, where the file has them.

    Raises
    ------
    InputError
        The sets differ in their dimension, or the ids are not one for each vector, all different.

    Examples
    --------
    >>> vectors = VectorSet(np.eye(3, dtype=np.uint8))
    >>> vectors.is_boolean, vectors.shape
    (True, (3, 3))
    """

    first: NDArray[Any]
    second: NDArray[Any] | None = None
    furthest: NDArray[np.int64] | None = None
    known: Mapping[str, Any] = field(default_factory=dict)
    origin: Mapping[str, int | float | str] = field(default_factory=dict)
    first_ids: tuple[str, ...] | None = None
    second_ids: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.second is not None:
            require_same_dimension(self.first, self.second)
        if self.first_ids is not None:
            require_ids(self.first_ids, len(self.first), self._names[0])
        if self.second_ids is not None and self.second is not None:
            require_ids(self.second_ids, len(self.second), self._names[1])

    @property
    def _names(self) -> tuple[str, str]:
        """The names of the sets in messages."""
        return ("vectors", "") if self.second is None else ("queries", "keys")

    def name(
        self, first_ids: tuple[str, ...] | None = None, second_ids: tuple[str, ...] | None = None
    ) -> VectorSet:
        """Return the vectors with ids, which they must not have yet.

        Parameters
        ----------
        first_ids, second_ids : tuple of str, optional
            The ids of the vectors of each set; without them, ids stay as they are.

        Raises
        ------
        InputError
            The vectors have ids, or these do not fit.

        Examples
        --------
        >>> VectorSet(np.eye(2)).name(("a", "b")).first_ids
        ('a', 'b')
        """
        for own, ids in ((self.first_ids, first_ids), (self.second_ids, second_ids)):
            if own is not None and ids is not None:
                raise InputError("the file of vectors has their ids; give no others")
        return replace(
            self,
            first_ids=first_ids or self.first_ids,
            second_ids=second_ids or self.second_ids,
        )

    @property
    def is_boolean(self) -> bool:
        """Whether the entries are zeros and ones, stored as such."""
        return self.first.dtype == np.uint8

    @property
    def sha256(self) -> str:
        """The fingerprint of the numbers and their type; ids and what is known do not count.

        Examples
        --------
        >>> VectorSet(np.eye(2)).sha256 == VectorSet(np.eye(2), known={"gap": 1}).sha256
        True
        >>> VectorSet(np.eye(2)).sha256 == VectorSet(np.eye(2)[:1], np.eye(2)[1:]).sha256
        False
        """
        digest = hashlib.sha256()
        for numbers in (self.first, self.second):
            if numbers is not None:
                stored = np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<"))
                digest.update(f"{stored.dtype.str}{stored.shape}".encode())
                digest.update(stored.data)
        return digest.hexdigest()

    @property
    def shape(self) -> tuple[int, ...]:
        """(n, d), or (n, m, d) for two sets."""
        n, d = self.first.shape
        return (n, d) if self.second is None else (n, len(self.second), d)


def require_same_dimension(first: NDArray[Any], second: NDArray[Any]) -> None:
    """Refuse sets of vectors of different dimensions."""
    if first.shape[1] != second.shape[1]:
        raise InputError(
            f"the two sets have different dimensions, {first.shape[1]} and {second.shape[1]}; "
            "they must be the same"
        )


def require_ids(ids: Sequence[object], count: int, what: str) -> tuple[str, ...]:
    """Return ids as text; refuse another number of them, empty ones, and one that comes twice.

    >>> require_ids([7, "q3"], 2, "queries")
    ('7', 'q3')
    """
    require_list(f"the ids of the {what}", ids, "ids")
    names = tuple(map(str, ids))
    if len(names) != count:
        raise InputError(f"{len(names)} ids for {count} {what}; give one for each, in their order")
    if "" in names:
        raise InputError(f"the id of vector {names.index('')} of the {what} is empty")
    if len(set(names)) < count:
        seen: dict[str, int] = {}
        for place, name in enumerate(names):
            if (first := seen.setdefault(name, place)) != place:
                raise InputError(
                    f"the {what} have the id {name!r} twice, at vectors {first} and {place}"
                )
    return names


def as_vectors(
    values: ArrayLike, what: str = "vectors", *, finite: bool = True, writable: bool = True
) -> NDArray[Any]:
    """Convert input to real vectors, one a row.

    `values`: float32 and float64 stay what they are, float16 becomes float32, whole numbers and
    booleans float64. `what`: the name of the vectors in messages. `finite`: whether to require
    finite entries; `require_finite` can do so later. `writable`: whether to copy arrays that are
    read-only, such as mapped files. Returned: the values themselves, where they can stay; else a
    copy. Raises InputError: not a matrix of numbers, no vector or no coordinate, NaN or infinite
    entries, or whole numbers that float64 cannot hold. The entry is named.
    """
    array = _matrix(values, what)
    if array.dtype.kind in "iu" and array.size:
        large = max(abs(int(array.min())), abs(int(array.max())))
        if large > _WHOLE:
            raise InputError(f"{what}: {large} is too large to be exact as float64; scale down")
    if array.dtype.kind == "f" and array.dtype.itemsize <= 4:
        array = array.astype(np.float32, copy=False)
    elif array.dtype.kind in "iub" or array.dtype.itemsize == 8:
        array = array.astype(np.float64, copy=False)
    else:
        raise InputError(f"{what}: entries of type {array.dtype}; convert them to float64")
    if writable:
        array = np.require(array, requirements=["C", "A", "W"])  # what kernels are compiled for
    else:
        array = np.require(array, requirements=["C", "A"])
    if finite:
        require_finite(array, what)
    return array


def require_finite(array: NDArray[Any], what: str = "vectors") -> None:
    """Refuse NaN and infinite entries; the first is named."""
    if not (np.isfinite(array.max()) and np.isfinite(array.min())):  # NaN is both
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise InputError(
            f"{what}: the entry at row {row}, column {column} is {array[row, column]}; vectors "
            "must be finite"
        )


def as_bits(values: ArrayLike, what: str = "vectors") -> NDArray[np.uint8]:
    """Convert input to vectors of zeros and ones, one a row.

    `values`: booleans or numbers. `what`: the name of the vectors in messages. Raises InputError:
    not a matrix of numbers, no vector or no coordinate, or an entry other than 0 and 1, which is
    named.

    >>> as_bits([[0, 1], [1.0, 0]]).tolist()
    [[0, 1], [1, 0]]
    """
    array = _matrix(values, what)
    if array.dtype == np.bool_:
        return np.ascontiguousarray(array).view(np.uint8)
    wrong = (array > 1) if array.dtype.kind == "u" else (array != 0) & (array != 1)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        apart = ", separated by spaces or commas" if array.shape[1] == 1 else ""  # 101 is a number
        raise InputError(
            f"{what}: the entry at row {row}, column {column} is {array[row, column]}; Boolean "
            f"vectors hold 0 and 1 only{apart}"
        )
    return np.ascontiguousarray(array, dtype=np.uint8)


def _matrix(values: ArrayLike, what: str) -> NDArray[Any]:
    """Return a matrix of numbers with a vector and a coordinate at least."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{what} are ragged: every vector needs the same dimension") from None
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InputError(
            f"{what} must be a matrix of numbers, a vector a row, not {array.dtype} of shape "
            f"{array.shape}"
        )
    if not all(array.shape):
        raise InputError(
            f"{what}: {plural(array.shape[0], 'vector')} of dimension {array.shape[1]}; both "
            "must be at least 1"
        )
    if array.shape[1] > _MOST_COORDINATES:
        raise InputError(f"{what}: dimension {array.shape[1]} is more than {_MOST_COORDINATES}")
    return array
