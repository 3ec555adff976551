"""Types of arrays, and arrays that many modules make: flags, places in an order, and hashes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Matrix = NDArray[Any]
Reals = NDArray[Any]  # float32 or float64
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Flags = NDArray[np.bool_]
Signs = NDArray[np.int8]  # 1, -1 and 0
Entries = NDArray[np.int8]  # those of a pattern: 1, 0 and -1, which is a don't-care
Numbers = NDArray[np.int64]
Indices = NDArray[np.int64]
Order = NDArray[np.int64]  # a permutation
Places = NDArray[np.int32]
Tokens = NDArray[np.int32]
Bits = NDArray[np.uint8]
Words = NDArray[np.uint64]  # bits, 64 in each

Listed = list[int] | NDArray[np.integer]


def flags_at(places: int | Listed, size: int) -> NDArray[np.bool_]:
    """Return so many flags, of which those at some places are set.

    >>> flags_at([0, 2], 4)
    array([ True, False,  True, False])
    """
    flags = np.zeros(size, dtype=np.bool_)
    flags[places] = True
    return flags


def others_than(places: Listed, size: int) -> NDArray[np.int64]:
    """Return the numbers below `size` that are not among some places, ascending: in linear time.

    >>> others_than([0, 2], 4)
    array([1, 3])
    """
    return np.flatnonzero(~flags_at(places, size))


def hash_numbers(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a hash of each number: the finalizer of splitmix64.

    Steele, Lea, Flood (2014), "Fast splittable pseudorandom number generators".
    """
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def places_of(order: Listed, size: int | None = None) -> NDArray[np.int64]:
    """Return the place of each number below `size` in an order; -1 for one that is not in it.

    `order`: distinct numbers; by default, all of 0, 1, .. without a gap.

    >>> places_of([2, 0, 1]), places_of([3, 1], 5)
    (array([1, 2, 0]), array([-1,  1, -1,  0, -1]))
    """
    places = np.full(len(order) if size is None else size, -1, dtype=np.int64)
    places[order] = np.arange(len(order))
    return places
