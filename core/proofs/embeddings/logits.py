"""Exact comparison of logits with thresholds: float64 products if rounding cannot change a sign."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from math import frexp
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.exact import EXACT_IN_FLOAT, ExactArray, largest

if TYPE_CHECKING:
    from samapprox.proofs.embeddings.embedding import Embedding


Settle = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
"""Exact answers for entries, by their rows and columns."""

_LARGEST = 1 << 250  # numbers up to this are rounded as they are

_UNDERFLOW = 2.0**-700  # more than is lost by factors and products that are too small for float64

_BLOCK_WORK = 1 << 18  # multiplications of a block: it stays in cache, and BLAS in one thread

_FEW_ROWS, _MORE_ROWS = 4, 512  # for fewer rows, all keys would come from memory too often

_BLOCK_PRODUCTS = 1 << 20  # products in a block of several rows, at most

_MOST_BITS = 318
"""The most bits of results in five words; for longer ones, Python's integers are as fast."""

_MOST_PLAIN = 1 << 22
"""Products of Python's integers that take a second, in one check."""

_WORD = (1 << 64) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Rounded:
    """Rows of integers in float64, each over a power of two.

    `floats` (shape (m, D)): each is nearest to its integer over 2^shift.
    """

    floats: NDArray[np.float64]
    shifts: NDArray[np.int64]


def round_rows(matrix: ExactArray) -> Rounded:
    """Round integers of any size to float64, row by row.

    >>> rounded = round_rows(np.array([[3 << 2000, 0], [1, 2]], dtype=object))
    >>> rounded.floats.tolist(), rounded.shifts.tolist()
    ([[0.75, 0.0], [0.25, 0.5]], [2002, 2])
    """
    shifts = np.zeros(len(matrix), dtype=np.int64)
    if largest(matrix) < _LARGEST:
        return Rounded(matrix.astype(np.float64), shifts)
    shifts[:] = [largest(row).bit_length() for row in matrix]
    scales = np.array([1 << shift for shift in shifts.tolist()], dtype=object)
    return Rounded((matrix / scales[:, None]).astype(np.float64), shifts)


def above_thresholds(embedding: Embedding) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Compare each logit with its row's threshold, exactly, block by block.

    Entry (i, j) says whether q_i . k_j > t_i. A block comes with its first row. Queries and keys
    have dimension d.

    The signs are those of x = a . b with a = (q_i, -t_i) and b = (k_j, 1), of D = d + 1 whole
    numbers. BLAS computes them in float64; with D max|a| max|b| below 2^53 nothing is rounded: all
    products and partial sums are whole numbers of at most 53 bits, in whatever order they are
    added, fused or not.

    Larger numbers are rounded to float64 first. Then the computed product differs from x by at
    most c sum_l |a_l| |b_l| with c = (D + 2) u / (1 - (D + 2) u) and u = 2^-53, in any order of
    summation (Higham, section 3.1). Its absolute value beyond E_i = (D + 3) 2^-52 sum_l |a_l| B_l,
    B_l the largest |b_l| of all keys, proves the sign: E_i is twice that bound, which covers its
    own rounding. Rows with numbers beyond 2^250 are first divided by powers of two, which changes
    no sign.

    The other signs are computed exactly: |x| is at most 2 E_i times these powers, so few bits that
    x modulo 2^64, or some higher power of two, mostly tells its sign; else in Python integers.

    2 m n D operations; memory for one block.

    Reference: Higham (2002), "Accuracy and Stability of Numerical Algorithms".
    """
    left = _append_column(embedding.queries, -embedding.thresholds)
    right = _append_column(embedding.keys, np.ones(len(embedding.keys), dtype=np.int64))
    depth = left.shape[1]
    bound = depth * max(1, largest(left)) * largest(right)  # keys may be huge where left is 0
    if bound < EXACT_IN_FLOAT:
        step = _block_height(depth, len(right))
        left_floats, right_floats = left.astype(np.float64), right.astype(np.float64).T.copy()
        for start in range(0, len(left), step):
            yield start, left_floats[start : start + step] @ right_floats > 0
        return
    yield from positive_products(
        round_rows(left), round_rows(right), 3, lambda bits: _settle(left, right, bits)
    )


def positive_products(
    left: Rounded, right: Rounded, extra: int, prepare: Callable[[int], Settle]
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Find the positive products of rows, whose rounded values float64 holds.

    `left` and `right`: m and n rows of D numbers. `extra`: a computed product has the right sign
    beyond (D + extra) 2^-52 sum_l |a_l| B_l, where B_l is the largest absolute value of column l on
    the right, and differs from the exact one by at most as much. `prepare`: from a number of bits
    to the exact answers for the other entries, by their rows and columns: their absolute values are
    at most 2^bits.
    """
    depth, columns = left.floats.shape[1], len(right.floats)
    others = right.floats.T.copy()
    slack = np.abs(left.floats) @ np.abs(others).max(axis=1, initial=0.0)
    slack = (depth + extra) * 2.0**-52 * slack + _UNDERFLOW
    settle = prepare(_count_bits(slack, left.shifts, right.shifts))
    step = _block_height(depth, columns)
    at_once = max(1, _BLOCK_WORK // max(1, depth))
    for start in range(0, len(left.floats), step):
        products = left.floats[start : start + step] @ others
        positive = products > 0
        rows, places = np.nonzero(np.abs(products) <= slack[start : start + step, None])
        for first in range(0, len(rows), at_once):
            part = rows[first : first + at_once], places[first : first + at_once]
            positive[part] = settle(start + part[0], part[1])
        yield start, positive


def _block_height(depth: int, columns: int) -> int:
    """Return the number of rows whose products are computed together."""
    cached = _BLOCK_WORK // max(1, columns * depth)
    more = min(_MORE_ROWS, _BLOCK_PRODUCTS // max(1, columns))
    return max(1, cached, more if cached < _FEW_ROWS else 0)


def _count_bits(
    slack: NDArray[np.float64], shifts: NDArray[np.int64], other_shifts: NDArray[np.int64]
) -> int:
    """Bound the bits of products whose computed values are at most the slack."""
    exponents = [
        frexp(size)[1] + shift for size, shift in zip(slack.tolist(), shifts.tolist(), strict=True)
    ]
    return max(1, max(exponents, default=0) + int(other_shifts.max(initial=0)) + 1)


def _settle(left: ExactArray, right: ExactArray, bits: int) -> Settle:
    """Return the exact signs of products of at most 2^bits."""
    own, other = as_integers(bits, left, right)
    choice = Settling(bits)

    @cache
    def write() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        return to_words(left, bits), to_words(right, bits)

    def settle(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.bool_]:
        if own.dtype == object and (kernel := choice.load_kernel(len(rows) * left.shape[1])):
            columns = np.ascontiguousarray(columns)
            return np.asarray(kernel.are_positive(*write(), left.shape[1], rows, columns))
        return np.asarray((own[rows] * other[columns]).sum(axis=1) > 0, dtype=np.bool_)

    return settle


def _append_column(matrix: ExactArray, column: ExactArray) -> ExactArray:
    """Return the matrix with one more column; of Python integers where either has them."""
    return np.concatenate([matrix, column[:, None]], axis=1)


class Settling:
    """The choice between Python's integers and compiled code, which pays for much work.

    `bits`: the absolute values of all results are at most 2^bits.

    >>> Settling(1000).load_kernel(1 << 40) is None
    True
    """

    def __init__(self, bits: int) -> None:
        self._is_short = bits <= _MOST_BITS
        self._products = 0

    def load_kernel(self, products: int) -> Any | None:
        """Import the compiled functions if the products so far, and these, are many.

        `products`: to be computed next.

        None also where the results are long, or numba is not installed.
        """
        self._products += products
        if not self._is_short or self._products < _MOST_PLAIN:
            return None
        try:
            from samapprox.proofs.embeddings import logits_kernel
        except ImportError:  # numba is not installed, or does not fit this numpy
            return None
        return logits_kernel


def gaps(entries: NDArray[Any], logits: ExactArray) -> tuple[ExactArray, ExactArray]:
    """Return, for each row, the greatest logit of a zero and the least logit of a one.

    `entries` (shape (m, n)): 1, 0 and -1 for *; or true and false. `zeros, ones`: where a row has
    no zero or no one, its own least or greatest logit with one taken off or added.
    """
    lowest = logits.min(axis=1) - 1
    highest = logits.max(axis=1) + 1
    zeros = np.where(entries == 0, logits, lowest[:, None]).max(axis=1)
    ones = np.where(entries == 1, logits, highest[:, None]).min(axis=1)
    return zeros, ones


def as_integers(bits: int, *arrays: ExactArray) -> tuple[ExactArray, ...]:
    """Return arrays in which results of so many bits are right, whatever overflows before.

    `bits`: the absolute values of all results are at most 2^bits.

    Of int64, where sums and products are right modulo 2^64; or of Python integers.
    """
    if bits < 63 and all(array.dtype == np.int64 for array in arrays):
        return arrays
    return tuple(array.astype(object) for array in arrays)


def to_words(numbers: ExactArray, bits: int) -> NDArray[np.uint64]:
    """Write integers modulo a power of two that tells results of so many bits apart.

    `numbers`: of any size; N in all. `bits`: the absolute values of all results are at most 2^bits.

    A row for each number, the lowest words first, for the least W with bits < 64 W - 1.
    """
    words = (bits + 1) // 64 + 1
    numbers = numbers.reshape(-1)
    written = np.empty((len(numbers), words), dtype=np.uint64)
    for place in range(words):
        if numbers.dtype == object:
            written[:, place] = numbers >> 64 * place & _WORD
        else:  # all words above the first repeat the sign
            written[:, place] = (numbers >> 63 if place else numbers).astype(np.uint64)
    return written
