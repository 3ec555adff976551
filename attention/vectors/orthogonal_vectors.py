"""Orthogonal vectors: search for and counting of pairs of Boolean vectors without a common 1.

Two ways, both exact. *Pairs*: vectors packed to words of 64 dimensions, all pairs met. *Subsets*: a
vector is a set S of dimensions, orthogonal to those inside its complement; a transform over all 2^d
sets computes for each of them what lies inside (whether, how many, how little it overlaps).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.attention.vectors.kernels import load_kernel
from samapprox.errors import InputError, require_callback, require_whole
from samapprox.support.arrays import Bits, Words
from samapprox.support.packages import require_name
from samapprox.support.parallel import cores, run_tasks
from samapprox.support.progress import OnProgress
from samapprox.vectors import as_bits, require_same_dimension

METHODS = ("pairs", "subsets")
"""The methods: all pairs, or a table of all subsets of coordinates."""

_TASK_ROWS = 128  # vectors of a task: short enough for progress, long enough to be worth a call
_TASK_COST = 8000.0  # nanoseconds that a task takes beside its pairs
_FIRST_ROWS = 8  # vectors that are tried before anything else: if pairs abound, one is among them
_MOST_BYTES = 1 << 30  # bytes of a table of all subsets; larger sets are compared in pairs
_PAYS = 1 << 24  # fewer pairs take less time than starting threads


@dataclass(frozen=True, slots=True)
class _Costs:
    """Nanoseconds, measured on one core by `python benchmarks papers.orthogonal costs`."""

    word: float  # A pair of words, eight rows at a time (d <= 64)
    wide: float  # A pair of words of longer vectors
    dimension: float  # One dimension of one set in the transform
    vector: float  # Entering a vector in the table and looking it up
    bits: int  # Of a table's entry


_COSTS = {
    "find": _Costs(0.075, 0.17, 0.003, 1.0, 1),
    "count": _Costs(0.075, 0.17, 0.27, 8.0, 32),
    "least": _Costs(0.14, 0.19, 0.13, 8.0, 8),
}


@dataclass(frozen=True, slots=True)
class LeastProduct:
    """The least inner product, and the first pair that has it.

    Attributes
    ----------
    value : int
        The number of common ones of the pair.
    pair : tuple of int
        Indices into the first and the second set, the least in this order.

    Examples
    --------
    >>> least_inner_product([[1, 1, 0], [0, 1, 1], [1, 1, 1]])
    LeastProduct(value=1, pair=(0, 1))
    """

    value: int
    pair: tuple[int, int]


def orthogonal_pair(
    first: ArrayLike,
    second: ArrayLike | None = None,
    *,
    method: str | None = None,
    threads: int | None = None,
    progress: OnProgress | None = None,
) -> tuple[int, int] | None:
    """Find the first pair of orthogonal vectors, or None.

    Parameters
    ----------
    first : array_like of 0 and 1, shape (m, d)
        The vectors, or the first set of them.
    second : array_like of 0 and 1, shape (n, d), optional
        By default pairs within the first set are meant, i < j.
    method : {"pairs", "subsets"}, optional
        By default the one that should be faster (`choose_method`); the answer is the same.
    threads : int, optional
        By default all cores; the answer is the same.
    progress : callable, optional
        Called with a `Progress` between the parts of the work; what it raises stops it.

    Returns
    -------
    (int, int) or None
        The least i that has a partner, and its least partner j. A zero vector is orthogonal to all.

    Raises
    ------
    InputError
        Entries other than 0 and 1, ragged or empty sets, different dimensions, a single vector
        without a second set, or a method whose table would be too large.

    Notes
    -----
    Pairs: O(m n d / 64). Subsets: O(d 2^d / 64 + (m + n) d), 2^d / 8 bytes.

    Examples
    --------
    >>> orthogonal_pair([[1, 1, 0], [0, 1, 1], [1, 0, 0]])
    (1, 2)
    >>> orthogonal_pair([[1, 1, 0]], [[0, 1, 1]]) is None
    True
    """
    require_callback("progress", progress)
    sets = _Sets(first, second)
    method = sets.method(method, "find", threads)
    kernel = sets.kernel(method)
    row = _first_hit(kernel, sets, 0, min(_FIRST_ROWS, sets.m))
    if row < 0 and method == "subsets":
        table = np.zeros(1 << max(0, sets.d - 6), dtype=np.uint64)
        kernel.mark(sets.right[0], table)
        kernel.close_upwards(table)
        row = int(kernel.first_with_marked_complement(sets.left[0], table, sets.d))
    elif row < 0:
        row = _search(kernel, sets, threads, progress)
    return None if row < 0 else (row, sets.partner(row, 0))


def count_orthogonal(
    first: ArrayLike,
    second: ArrayLike | None = None,
    *,
    method: str | None = None,
    threads: int | None = None,
    progress: OnProgress | None = None,
) -> int:
    """Count orthogonal pairs: i < j within one set, or one vector of each of two.

    Parameters
    ----------
    first, second, method, threads, progress
        As for `orthogonal_pair`.

    Returns
    -------
    int
        The number of pairs.

    Raises
    ------
    InputError
        As from `orthogonal_pair`.

    Notes
    -----
    Costs are those of `orthogonal_pair`, but the table has 2^(d+2) bytes and takes O(d 2^d).

    Examples
    --------
    >>> count_orthogonal([[1, 0], [0, 1], [0, 0]])
    3
    """
    require_callback("progress", progress)
    sets = _Sets(first, second)
    method = sets.method(method, "count", threads)
    kernel = sets.kernel(method)
    if method == "subsets":
        table = np.zeros(1 << sets.d, dtype=np.int32)
        kernel.tally(sets.right[0], table)
        kernel.count_subsets(table)
        total = int(kernel.sum_at_complements(sets.left[0], table))
        if not sets.own:
            return total
        return (total - int((sets.left[0] == 0).sum())) // 2  # only 0 is orthogonal to itself
    return int(sets.count(kernel.count_pairs, threads, progress).sum())


def least_inner_product(
    first: ArrayLike,
    second: ArrayLike | None = None,
    *,
    method: str | None = None,
    threads: int | None = None,
    progress: OnProgress | None = None,
) -> LeastProduct:
    """Find the least inner product of a pair, and the first pair that has it.

    Parameters
    ----------
    first, second, method, threads, progress
        As for `orthogonal_pair`.

    Returns
    -------
    LeastProduct
        The value, and the pair with the least first and then the least second index.

    Raises
    ------
    InputError
        As from `orthogonal_pair`.

    Notes
    -----
    Costs are those of `orthogonal_pair`, but the table has 2^d bytes and takes O(d 2^d).

    Examples
    --------
    >>> least_inner_product([[1, 1, 1]], [[1, 1, 0], [0, 1, 0]])
    LeastProduct(value=1, pair=(0, 1))
    """
    require_callback("progress", progress)
    sets = _Sets(first, second)
    method = sets.method(method, "least", threads)
    kernel = sets.kernel(method)
    if method == "subsets":
        table = np.full(1 << sets.d, kernel.ABSENT, dtype=np.uint8)
        table[sets.right[0]] = 0
        kernel.least_overlaps(table)
        # A set's overlap with itself counts too; but it is the least only if all others contain it.
        overlaps = table[sets.left[0]]
        row = int(overlaps.argmin())
        value = int(overlaps[row])
        return LeastProduct(value, (row, sets.partner(row, value)))
    least = sets.count(kernel.least_product, threads, progress)
    value = int(least.min())
    start, stop = sets.rows_of(int(least.argmin()))
    own = sets.own
    row = next(
        row
        for row in range(start, stop)
        if kernel.least_product(sets.left, sets.right, row, row + 1, own) == value
    )
    return LeastProduct(value, (row, sets.partner(row, value)))


def choose_method(m: int, n: int | None, d: int, task: str, threads: int = 1) -> str:
    """Choose the faster method for a task ("find", "count" or "least").

    Pairs cost so much for each pair of words, subsets so much for each dimension of each set and
    for each vector; the constants are measured.
    """
    costs = _COSTS[task]
    if _table_bytes(d, task) > _MOST_BYTES:
        return "pairs"
    words = -(-d // 64)
    meetings = m * m / 2 if n is None else m * n
    pairs = meetings * (costs.word if words == 1 else costs.wide * words)
    pairs = (pairs + m / _TASK_ROWS * _TASK_COST) / threads
    subsets = (1 << d) * d * costs.dimension + (m + (n or m)) / 2 * costs.vector
    return "pairs" if pairs <= subsets else "subsets"


def _table_bytes(d: int, task: str) -> int:
    """Return the memory of a table of all sets."""
    return (1 << d) * _COSTS[task].bits // 8


class _Sets:
    """One set of vectors or two, as words: row k holds word k of all vectors."""

    def __init__(self, first: ArrayLike, second: ArrayLike | None) -> None:
        self.own = second is None
        left = as_bits(first, "vectors" if self.own else "first set")
        right = left if second is None else as_bits(second, "second set")
        require_same_dimension(left, right)
        if self.own and len(left) == 1:
            raise InputError("a single vector makes no pair; give at least two")
        self.m, self.n, self.d = len(left), len(right), left.shape[1]
        self.left = _packed(left)
        self.right = self.left if self.own else _packed(right)
        self.tasks = -(-self.m // _TASK_ROWS)

    def rows_of(self, task: int) -> tuple[int, int]:
        """Return the vectors of the first set that a task takes."""
        return task * _TASK_ROWS, min(self.m, (task + 1) * _TASK_ROWS)

    def count(
        self, in_rows: Callable[..., int], threads: int | None, progress: OnProgress | None
    ) -> NDArray[np.int64]:
        """Count in the rows of each task by a function of the kernel."""
        found = np.zeros(self.tasks, dtype=np.int64)

        def work(_thread: int, task: int) -> None:
            found[task] = in_rows(self.left, self.right, *self.rows_of(task), self.own)

        run_tasks(self.tasks, work, threads=self.threads(threads), progress=progress)
        return found

    def threads(self, wanted: int | None) -> int:
        """Choose a worthwhile number of threads."""
        if wanted is not None:
            require_whole("threads", wanted, 1)
        return (wanted or cores()) if self.m * self.n >= _PAYS else 1

    def method(self, wanted: str | None, task: str, threads: int | None) -> str:
        """Return the wanted method, or the one that should be faster."""
        if wanted is None:
            n = None if self.own else self.n
            return choose_method(self.m, n, self.d, task, self.threads(threads))
        require_name("method", wanted, METHODS)
        if wanted == "subsets" and _table_bytes(self.d, task) > _MOST_BYTES:
            raise InputError(f"a table of all 2^{self.d} subsets is too large; use 'pairs'")
        return wanted

    def kernel(self, method: str) -> Any:
        """The module that does the work: compiled where that pays."""
        work = self.d << self.d if method == "subsets" else self.m * self.n * len(self.left)
        return load_kernel("orthogonal", work)

    def partner(self, row: int, value: int) -> int:
        """Return the least partner with this inner product."""
        common = np.bitwise_count(self.right & self.left[:, row, None])
        found = common.sum(axis=0, dtype=np.int64) == value
        if self.own:
            found[row] = False
        return int(found.argmax())


def _packed(bits: Bits) -> Words:
    """Pack 64 dimensions into each word."""
    width = -(-bits.shape[1] // 64)
    packed = np.zeros((len(bits), 8 * width), dtype=np.uint8)
    packed[:, : -(-bits.shape[1] // 8)] = np.packbits(bits, axis=1, bitorder="little")
    return np.ascontiguousarray(packed.view("<u8").astype(np.uint64, copy=False).T)


def _search(kernel: Any, sets: _Sets, threads: int | None, progress: OnProgress | None) -> int:
    """Return the first vector with an orthogonal one, among all pairs; -1 if there is none."""
    hits: list[int] = []

    def work(_thread: int, task: int) -> None:
        if hits and min(hits) < task:
            return
        start, stop = sets.rows_of(task)
        if kernel.count_pairs(sets.left, sets.right, start, stop, sets.own):
            hits.append(task)

    run_tasks(sets.tasks, work, threads=sets.threads(threads), progress=progress)
    return _first_hit(kernel, sets, *sets.rows_of(min(hits))) if hits else -1


def _first_hit(kernel: Any, sets: _Sets, start: int, stop: int) -> int:
    """Find the first of some vectors with an orthogonal partner (later, within one set), or -1."""
    count_pairs = kernel.count_pairs
    if not count_pairs(sets.left, sets.right, start, stop, sets.own):
        return -1
    return next(
        row
        for row in range(start, stop)
        if count_pairs(sets.left, sets.right, row, row + 1, sets.own)
    )
