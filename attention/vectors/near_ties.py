"""Vectors as rows, bounds on the errors of their distances, and exact comparison of near ties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError, abridge
from samapprox.support.arrays import Array, Floats, Indices

Whole = NDArray[np.int64]

_LINE = 64  # bytes of a cache line
_DIFFERENCES = 1 << 19  # differences in memory at once: 4 MiB
_MOST_BITS = {4: 20, 8: 200}  # bits of entries: beyond, sums of squares are not normal
_SCORES = 1 << 21  # scores in memory at once: 16 MiB
_ENTRIES = 1 << 16  # entries of keys that are copied at once, and stay in the cache
_BITS = 59
"""The bits of whole numbers that represent coordinates: differences are below 2^60."""

_DIGIT = 20
_MASK = (1 << _DIGIT) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A copy of vectors that kernels read row by row."""

    # shape (n, w): Rows begin at cache lines; w is the dimension rounded up to whole lines,
    # filled by zeros.
    values: Array
    d: int  # The dimension
    # The vectors are `values` times 2^exponent; not 0 only where squares might leave the range,
    # and then the smallest entries lose what lies below the smallest of all numbers.
    exponent: int

    @classmethod
    def of(cls, vectors: Array) -> Rows:
        """Return the rows of some vectors, shape (n, d), of finite float32 or float64."""
        n, d = vectors.shape
        per_line = _LINE // vectors.itemsize
        width = -(-d // per_line) * per_line
        values = aligned_empty(n * width, vectors.dtype).reshape(n, width)
        values[:, d:] = 0
        largest = max(float(vectors.max()), -float(vectors.min()))
        most = _MOST_BITS[vectors.itemsize]
        if largest == 0 or 2.0**-most <= largest <= 2.0**most:
            values[:, :d] = vectors
            return cls(values, d, 0)
        exponent = int(np.frexp(largest)[1])
        with np.errstate(under="ignore"):
            np.ldexp(vectors, -exponent, out=values[:, :d])
        return cls(values, d, exponent)

    @property
    def kind(self) -> type[np.floating[Any]]:
        """np.float32 or np.float64."""
        kind: type[np.floating[Any]] = self.values.dtype.type
        return kind

    def squares(self, left: NDArray[Any], right: NDArray[Any]) -> Floats:
        """Compute squared distances in float64 between the rows `left` and the rows `right`."""
        return squared_distances(self.values, left, right, np.float64)


def require_keys(name: str, value: object, queries: int, keys: int) -> None:
    """Refuse what does not name one of so many keys for each query."""
    given = np.asarray(value)
    fits = given.shape == (queries,) and given.dtype.kind in "iu"
    if not fits or ((given < 0) | (given >= keys)).any():
        raise InputError(f"{name} must name a key for each query, not {abridge(value)}")


def squared_distances(
    values: Array, left: NDArray[Any], right: NDArray[Any], kind: Any
) -> NDArray[Any]:
    """Compute squared distances between the rows `left` and the rows `right`, in this precision.

    O(d) a pair.
    """
    apart = np.empty(len(left), dtype=kind)
    step = max(1, _DIFFERENCES // values.shape[1])
    with np.errstate(under="ignore"):
        for start in range(0, len(left), step):
            part = slice(start, start + step)
            difference = values[left[part]].astype(kind, copy=False) - values[right[part]]
            apart[part] = np.einsum("nd,nd->n", difference, difference)
    return apart


def near_limit(squares: Floats, rows: Rows, kind: type[np.floating[Any]] | None = None) -> Floats:
    """Return a bound below which computed squared distances are certainly smaller.

    A difference, its square and at most d - 1 sums round d + 2 times: a computed square is (1 + g)
    times the true one, |g| <= (d + 2) u / (1 - (d + 2) u), but for numbers so small that they are
    not normal: squares, and entries that scaling made small, are off by 8 (d + 4) of the smallest
    number at most, all together.

    Reference: N. Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1.
    """
    roundings = (rows.d + 2) * float(np.finfo(kind or rows.kind).eps) / 2
    share = 2.002 * roundings / (1 - roundings)
    smallest = float(np.finfo(rows.kind).smallest_subnormal)
    return np.asarray(squares * (1 - share) - 17 * (rows.d + 4) * smallest)


def aligned_empty(size: int, kind: np.dtype[Any]) -> Array:
    """Return a new flat array that begins at a cache line."""
    raw = np.empty(size * kind.itemsize + _LINE, dtype=np.uint8)
    start = -raw.ctypes.data % _LINE
    return raw[start : start + size * kind.itemsize].view(kind)


def rounding_bound(half: Floats, largest: float, d: int, kind: type[np.floating[Any]]) -> Floats:
    """Bound the error of computed scores, for any order of summation.

    A score is a sum of d + 2 terms, rounded or not: it is off by at most g(d + 2) times the sum of
    their sizes, |q|^2 / 2 + |k|^2 / 2 + sum |q_i k_i|, at most |q|^2 + |k|^2; here g(r) is r u / (1
    - r u). The halves are computed in float64: off by two units of float32 at most, or by g(d) of
    float64. Products too small to be normal numbers add one of the smallest each.

    Reference: N. Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1.
    """
    limits = np.finfo(kind)
    unit, smallest = float(limits.eps) / 2, float(limits.smallest_subnormal)

    def g(roundings: int) -> float:
        return roundings * unit / (1 - roundings * unit)

    halves = 2 * unit if kind is np.float32 else g(d)
    share = 2 * g(d + 2) + halves
    return np.asarray(1.001 * (share * (half + largest) + 8 * (d + 4) * smallest))


def furthest_exactly(queries: Array, keys: Array, rows: Indices, own: bool) -> Indices:
    """Find the furthest keys of some queries exactly; ties to the least index.

    O(n d) a query for scores in float64, and O(d) more for every key whose score comes within the
    rounding error of the least; O(n) memory beside a copy of some keys.
    """
    slices = candidate_slices(queries, keys, rows, own)
    return np.concatenate([furthest_of(queries, keys, *candidates) for candidates in slices])


def candidate_slices(
    queries: Array, keys: Array, rows: Indices, own: bool
) -> Iterator[tuple[Indices, Indices, Indices]]:
    """The keys that may be the furthest of some queries, as far as float64 shows.

    Yields (rows, place, key) for some of the queries at a time, as `furthest_of` takes them.
    """
    exponent = _exponent(queries, keys)
    step = max(1, _SCORES // len(keys))
    for start in range(0, len(rows), step):
        chosen = rows[start : start + step]
        left = _scaled(queries[chosen], exponent)
        scores, largest = _scores(left, keys, exponent)
        bound = rounding_bound(_halves(left), largest, keys.shape[1], np.float64)
        if own:
            scores[np.arange(len(chosen)), chosen] = np.inf
        place, key = np.nonzero(scores <= (scores.min(axis=1) + 2 * bound)[:, None])
        yield chosen, place, key


def _exponent(*sets: Array) -> int:
    """Return the power of two above all entries."""
    return int(np.frexp(max(max(part.max(), -part.min()) for part in sets))[1])


def _scaled(vectors: Array, exponent: int) -> Floats:
    """Scale to float64 by a power of two if squares might overflow or underflow."""
    wide = vectors.astype(np.float64)
    return wide if abs(exponent) < 200 else np.asarray(np.ldexp(wide, -exponent))


def _slices(count: int, d: int) -> Iterator[slice]:
    """Yield slices of so many vectors, whose copies stay small."""
    step = max(1, _ENTRIES // d)
    return (slice(start, start + step) for start in range(0, count, step))


def _halves(vectors: Floats) -> Floats:
    """|v|^2 / 2 of all."""
    return np.asarray(np.einsum("nd,nd->n", vectors, vectors) / 2)


def _scores(queries: Floats, keys: Array, exponent: int) -> tuple[Floats, float]:
    """Compute q.k - |k|^2 / 2 for all (less is further), and the largest |k|^2 / 2."""
    scores = np.empty((len(queries), len(keys)))
    largest = 0.0
    for block in _slices(*keys.shape):
        part = _scaled(keys[block], exponent)
        half = _halves(part)
        scores[:, block] = queries @ part.T
        scores[:, block] -= half
        largest = max(largest, float(half.max()))
    return scores, largest


def furthest_of(
    queries: Array, keys: Array, rows: Indices, place: Indices, key: Indices
) -> Indices:
    """Find the furthest of some candidates for some queries; ties to the least index.

    The candidates of ``rows[place]`` are `key`, in order and at least one for each. O(d) a
    candidate in whole numbers; far more where entries differ in size by more than 2^59.
    """
    answers = key[np.searchsorted(place, np.arange(len(rows)))]
    several = np.bincount(place, minlength=len(rows))[place] > 1
    place, key = place[several], key[several]
    if len(place):
        used_rows, row = np.unique(rows[place], return_inverse=True)
        used_keys, column = np.unique(key, return_inverse=True)
        left, right = queries[used_rows], keys[used_keys]
        choose = _by_whole_numbers if _are_whole(left, right) else _by_fractions
        answers[place] = used_keys[choose(left, right, row, column)][row]
    return answers


def _shift(*sets: Array) -> int:
    """Return the power of two that brings all entries below 2^`_BITS`."""
    return _BITS - _exponent(*sets)


def _are_whole(*sets: Array) -> bool:
    """Return whether all entries times that power are whole numbers."""
    shift = _shift(*sets)
    with np.errstate(over="ignore"):
        return all(
            np.array_equal(np.ldexp(np.rint(np.ldexp(wide, shift)), -shift), wide)
            for wide in (vectors.astype(np.float64) for vectors in sets)
        )


def _by_whole_numbers(left: Array, right: Array, row: Indices, column: Indices) -> Indices:
    """Return the furthest of each row's candidates, compared in whole numbers of any size."""
    shift = _shift(left, right)
    a, b = (np.ldexp(part.astype(np.float64), shift).astype(np.int64) for part in (left, right))
    bits = int(np.bitwise_or.reduce(np.concatenate((a, b)), axis=None))
    zeros = max(0, (bits & -bits).bit_length() - 1)  # at the end of all numbers
    a, b = a >> zeros, b >> zeros
    step = max(1, _DIFFERENCES // left.shape[1])
    parts = [slice(start, start + step) for start in range(0, len(row), step)]
    squares = np.concatenate([_squares(a[row[part]] - b[column[part]]) for part in parts], axis=1)
    starts = np.flatnonzero(np.diff(row, prepend=-1))
    candidates = np.diff(starts, append=len(row))
    furthest = np.ones(len(row), dtype=np.bool_)
    for digit in squares[::-1]:
        known = np.where(furthest, digit, -1)
        furthest &= digit == np.repeat(np.maximum.reduceat(known, starts), candidates)
    places = np.flatnonzero(furthest)
    _, first = np.unique(row[places], return_index=True)
    return np.asarray(column[places[first]])


def _squares(differences: Whole) -> Whole:
    """Sum the squares of each row, in digits of 20 bits; the last digit takes what remains.

    Differences are below 2^60 and have up to three digits. For fewer than 2^20 coordinates, sums of
    products of two digits, three times over and with what is carried, stay below 2^63.
    """
    sizes = np.abs(differences)
    count = max(1, -(-int(sizes.max()).bit_length() // _DIGIT))
    parts = [sizes >> place * _DIGIT & _MASK for place in range(count)]
    digits = np.zeros((5, len(sizes)), dtype=np.int64)
    for one, other in product(range(count), repeat=2):
        digits[one + other] += np.einsum("nd,nd->n", parts[one], parts[other])
    for place in range(4):
        digits[place + 1] += digits[place] >> _DIGIT
        digits[place] &= _MASK
    return digits


def _by_fractions(left: Array, right: Array, row: Indices, column: Indices) -> Indices:
    """Return the same for entries of very different sizes, which is slow unless keys are equal."""
    chosen: dict[int, int] = {}
    greatest: dict[int, Fraction] = {}
    for i, j in zip(row.tolist(), column.tolist(), strict=True):
        if i not in chosen:
            chosen[i] = j
        elif not np.array_equal(right[j], right[chosen[i]]):
            if i not in greatest:
                greatest[i] = _squared_distance(left[i], right[chosen[i]])
            distance = _squared_distance(left[i], right[j])
            if distance > greatest[i]:
                chosen[i], greatest[i] = j, distance
    return np.array([chosen[i] for i in range(len(left))])


def _squared_distance(query: Array, key: Array) -> Fraction:
    pairs = zip(query.tolist(), key.tolist(), strict=True)
    return sum(((Fraction(a) - Fraction(b)) ** 2 for a, b in pairs), Fraction())
