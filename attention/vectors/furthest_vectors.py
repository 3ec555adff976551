"""Task 1: the furthest vector of each, exactly, in time n^2 d / 2 and memory O(n) beside a copy.

A compiled kernel finds, in the precision of the input, the block of keys with the least score of
each query, and how close the other blocks come. One block is computed again to see which of its
keys it was. Where rounding could have misled, all keys of the query are looked at in float64, and
in whole numbers where that does not tell either. So the answer is that of real numbers: it depends
neither on the order of summation nor on the processor or the number of threads.

Compiling the kernel takes several seconds on the first run, and loading it about one. For small
inputs numpy's matrix products take its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.attention.vectors.kernels import load_compiled
from samapprox.attention.vectors.near_ties import (
    aligned_empty,
    candidate_slices,
    furthest_exactly,
    furthest_of,
    require_keys,
    rounding_bound,
)
from samapprox.errors import InputError, require_callback, require_whole
from samapprox.support.arrays import Array, Indices
from samapprox.support.documents import document_head
from samapprox.support.packages import require_name
from samapprox.support.parallel import cores, report_parts, run_tasks
from samapprox.support.progress import OnProgress
from samapprox.vectors import VectorSet, as_vectors, require_finite, require_same_dimension

KERNELS = ("tiles", "numpy")
"""The kernels: one compiled for the vectors of this processor; one that needs no numba."""

_COMPILED = "samapprox.attention.vectors.furthest_kernel"
_LEAST_TASKS = 32  # tasks for the threads to share, so that all end at nearly the same time
_MOST_BLOCKS = 8  # blocks of keys in a task, which stay in the cache while all queries pass
_DISTANCES = 4096  # queries whose distances are computed at once: memory stays small
_PAYS = 1 << 27  # fewer multiplications take less time than starting threads
_FOR_EACH_PAIR = 32  # multiplications that take as long as comparing the score of a pair
_MOST_BITS = {4: 20, 8: 200}  # bits of norms: beyond, squares are no normal numbers
_MOST_KEYS = 32  # keys that are collected for a query; with more, float64 excludes most first


@dataclass(frozen=True, slots=True, eq=False)
class Furthest:
    """The furthest key of every query.

    Attributes
    ----------
    indices : ndarray of int64, shape (m,)
        Of several equally far keys the one with the least index.
    near_ties : int
        The number of queries that rounding left open, which were compared exactly.
    kernel : str
        The kernel that ran.

    Examples
    --------
    >>> furthest([[0.0], [1.0], [5.0]]).indices.tolist()
    [2, 2, 0]
    """

    indices: Indices
    near_ties: int
    kernel: str

    def to_json(
        self, vectors: VectorSet, *, source: str, seconds: float, threads: int | None = None
    ) -> dict[str, Any]:
        """Return the document of `furthest --json`: see `samapprox schema furthest`.

        Parameters
        ----------
        vectors : VectorSet
            Those that were searched.
        source : str
            Where they come from.
        seconds : float
            Wall-clock time of the search.
        threads : int, optional
            As in `furthest`.

        Returns
        -------
        dict
        """
        queries = len(vectors.first)
        keys = queries - 1 if vectors.second is None else len(vectors.second)
        known = vectors.furthest
        return {
            **document_head("furthest"),
            "source": source,
            "queries": queries,
            "keys": queries if vectors.second is None else keys,
            "d": vectors.first.shape[1],
            "sets": 1 if vectors.second is None else 2,
            "furthest": self.indices.tolist(),
            "near_ties": self.near_ties,
            "agrees": None if known is None else bool(np.array_equal(known, self.indices)),
            "kernel": self.kernel,
            "threads": threads or cores(),
            "seconds": seconds,
            "pairs_per_second": queries * keys / seconds,
        }


def furthest(
    queries: ArrayLike,
    keys: ArrayLike | None = None,
    *,
    threads: int | None = None,
    progress: OnProgress | None = None,
    kernel: str | None = None,
) -> Furthest:
    """Find, for every query, the key at the greatest Euclidean distance; ties to the least index.

    Parameters
    ----------
    queries : array_like of float, shape (m, d)
        Of any norms. float32 (and float16) are computed in float32, the rest in float64.
    keys : array_like of float, shape (n, d), optional
        By default the queries themselves, each compared with all others.
    threads : int, optional
        By default all cores; the answer is the same.
    progress : callable, optional
        Called with a `Progress` between the parts of the work; what it raises stops it.
    kernel : {"tiles", "numpy"}, optional
        By default that of `choose_kernel`; the answer is the same.

    Returns
    -------
    Furthest
        The index of the furthest key of every query.

    Raises
    ------
    InputError
        Not vectors (ragged, empty, NaN, infinite), different dimensions, a single vector that has
        no other, or an unknown kernel.

    Notes
    -----
    2 m n d arithmetic operations, n^2 d for one set; a copy of the vectors and O(m + n) memory.
    Queries whose two best keys differ by less than the rounding error cost O(n d) in float64.

    References
    ----------
    Zaheer et al. (2020), "Big Bird: Transformers for Longer Sequences", section 3.4, Task 1.

    Examples
    --------
    >>> furthest([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [-1.0, 0.0], [3.0, 0.0]]).indices.tolist()
    [1, 2]
    """
    own = keys is None
    left = as_vectors(queries, "vectors" if own else "queries", finite=False)
    right = left if keys is None else as_vectors(keys, "keys", finite=False)
    require_same_dimension(left, right)
    kind = np.result_type(left, right)
    left, right = left.astype(kind, copy=False), right.astype(kind, copy=False)
    if own and len(left) == 1:
        raise InputError("a single vector has no furthest vector; give at least two")
    if threads is not None:
        require_whole("threads", threads, 1)
    require_callback("progress", progress)
    name = choose_kernel(len(left), len(right), left.shape[1], kernel)
    if name == "numpy":
        answers, near_ties = _search_by_numpy(left, right, own, progress)
    else:
        compiled = import_module(_COMPILED)
        answers, near_ties = _search(compiled, left, right, own, threads or cores(), progress)
    return Furthest(answers, near_ties, name)


def distances(queries: ArrayLike, keys: ArrayLike | None, indices: Indices) -> NDArray[np.float64]:
    """Return the distance of every query from one key, in float64.

    Parameters
    ----------
    queries : array_like of float, shape (m, d)
        The first end of each distance.
    keys : array_like of float, shape (n, d), or None
        None: the queries themselves.
    indices : ndarray of int64, shape (m,)
        Which key each query is compared with.

    Returns
    -------
    ndarray of float64, shape (m,)
        Euclidean distances.

    Notes
    -----
    O(m d) time, O(m) memory.

    Examples
    --------
    >>> distances([[0.0, 0.0], [3.0, 4.0]], None, np.array([1, 0])).tolist()
    [5.0, 5.0]
    """
    left = as_vectors(queries, "queries")
    right = left if keys is None else as_vectors(keys, "keys")
    require_keys("indices", indices, len(left), len(right))
    indices = np.asarray(indices)
    away = np.empty(len(left))
    for start in range(0, len(left), _DISTANCES):
        rows = slice(start, start + _DISTANCES)
        difference = left[rows].astype(np.float64) - right[indices[rows]]
        away[rows] = np.sqrt(np.einsum("nd,nd->n", difference, difference))
    return away


def choose_kernel(m: int, n: int, d: int, wanted: str | None = None) -> str:
    """Return the kernel that should be done first, the time to compile or load it included.

    It is numpy's for small inputs, until this process has had many of them, and `wanted` in any
    case.
    """
    if wanted is not None:
        require_name("kernel", wanted, KERNELS)
        return wanted
    compiled = load_compiled("furthest", m * n * (d + _FOR_EACH_PAIR))
    return "numpy" if compiled is None else "tiles"


def _search(
    kernel: Any,
    queries: Array,
    keys: Array,
    own: bool,
    threads: int,
    progress: OnProgress | None,
) -> tuple[Indices, int]:
    """Return the furthest keys, and for how many queries they took a second look."""
    scaled, query_side, key_side = _sides(kernel, queries, keys, own)
    minima = _minima(kernel, query_side, key_side, own, threads, progress)
    best, second, where = (part[: len(queries)] for part in minima)
    half = query_side.half[: len(queries)]
    kind: Any = best.dtype.type
    bound = rounding_bound(-half.astype(np.float64), key_side.largest, queries.shape[1], kind)
    limits = np.nextafter((best + 2 * bound).astype(kind), kind(np.inf))
    answers = np.full(len(queries), -1, dtype=np.int64)
    sides = scaled, half, key_side.panels, key_side.half, own

    def collect(
        rows: Indices, first: NDArray[np.int32], last: NDArray[np.int32], most: int
    ) -> tuple[Indices, Indices]:
        """Count the keys within the limits of some queries, and list the first of them."""
        counts = np.zeros(len(rows), dtype=np.int64)
        found = np.zeros((len(rows), most), dtype=np.int64)
        kernel.candidates(*sides, rows, first, last, limits, counts, found)
        return counts, found

    clear = np.flatnonzero(second > limits)
    blocks = where[clear]
    if len(keys) < kernel.BLOCK << 16:
        blocks = blocks.astype(np.uint16)  # which numpy sorts in linear time
    order = clear[np.argsort(blocks, kind="stable")]
    counts, found = collect(order, where[order], where[order] + 1, 1)
    answers[order[counts == 1]] = found[counts == 1, 0]
    rest = np.flatnonzero(answers < 0)
    if len(rest):
        every = np.zeros_like(where[rest])
        counts, found = collect(rest, every, every + len(key_side.half) // kernel.BLOCK, _MOST_KEYS)
        few = counts <= _MOST_KEYS
        place, column = np.nonzero(np.arange(_MOST_KEYS) < counts[few, None])
        answers[rest[few]] = furthest_of(queries, keys, rest[few], place, found[few][place, column])
        if not few.all():
            answers[rest[~few]] = furthest_exactly(queries, keys, rest[~few], own)
    return answers, len(rest)


def _sides(kernel: Any, queries: Array, keys: Array, own: bool) -> tuple[Array, _Side, _Side]:
    """Scale the queries by a power of two if necessary, and pack both sides for the kernel."""
    key_side = _Side(kernel, keys)
    query_side = key_side if own else _Side(kernel, queries)
    most = _MOST_BITS[keys.itemsize]
    largest = max(key_side.largest, query_side.largest)
    if 4.0**-most < largest < 4.0**most:
        return queries, query_side, key_side
    if not np.isfinite(largest):
        require_finite(queries, "vectors" if own else "queries")
        require_finite(keys, "keys")
    exponent = int(np.frexp(max(max(part.max(), -part.min()) for part in (queries, keys)))[1])
    with np.errstate(under="ignore"):
        scaled = np.ldexp(queries, -exponent)
        key_side = _Side(kernel, scaled if own else np.ldexp(keys, -exponent))
    return scaled, key_side if own else _Side(kernel, scaled), key_side


class _Side:
    """Vectors as a kernel reads them: panels that begin at cache lines, halves that are negative.

    `panels`: Some vectors side by side, coordinate by coordinate; the last block is filled up by
    zeros.
    `half`: -|v|^2 / 2; infinite for those that fill up, so that their scores are never the least.
    `largest`: The greatest |v|^2 / 2; NaN or infinite if an entry is, or a square is too large.
    """

    def __init__(self, kernel: Any, vectors: Array) -> None:
        n, d = vectors.shape
        padded = -(-n // kernel.BLOCK) * kernel.BLOCK
        self.panels: Array = aligned_empty(padded * d, vectors.dtype)
        squares = np.empty(n)
        kernel.pack(vectors, kernel.panel_width(vectors.itemsize), self.panels, squares)
        self.largest = float(squares.max()) / 2
        self.half: Array = np.full(padded, np.inf, dtype=vectors.dtype)
        with np.errstate(over="ignore"):
            self.half[:n] = squares / -2


def _minima(
    kernel: Any, queries: _Side, keys: _Side, own: bool, threads: int, progress: OnProgress | None
) -> tuple[Array, Array, NDArray[np.int32]]:
    """Return the least of all block minima, the second least, and the block of the least."""
    count, blocks = len(queries.half), len(keys.half) // kernel.BLOCK
    if len(queries.panels) * len(keys.half) < _PAYS:
        threads = 1
    kind = keys.half.dtype
    states = [
        (np.full(count, np.inf, kind), np.full(count, np.inf, kind), np.zeros(count, np.int32))
        for _ in range(threads)
    ]
    step = max(1, min(_MOST_BLOCKS, blocks // _LEAST_TASKS))

    def work(thread: int, task: int) -> None:
        first, last = task * step, min(blocks, (task + 1) * step)
        kernel.sweep(
            queries.panels, queries.half, keys.panels, keys.half, own, first, last, *states[thread]
        )

    run_tasks(-(-blocks // step), work, threads=threads, progress=progress)
    best, second, where = states[0]
    for least, next_least, block in states[1:]:
        smaller = least < best
        second = np.minimum(np.minimum(second, next_least), np.maximum(best, least))
        where = np.where(smaller, block, where)
        best = np.minimum(best, least)
    return best, second, where


def _search_by_numpy(
    queries: Array, keys: Array, own: bool, progress: OnProgress | None = None
) -> tuple[Indices, int]:
    """The furthest keys, and for how many queries they took a second look.

    2 m n d operations in float64, O(m + n) memory beside a copy of some keys. The second look is
    `samapprox.attention.vectors.near_ties.furthest_of`, as for the compiled kernels.
    """
    require_finite(queries, "vectors" if own else "queries")
    require_finite(keys, "keys")
    count = len(queries)
    answers, near_ties = np.empty(count, dtype=np.int64), 0
    for rows, place, key in candidate_slices(queries, keys, np.arange(count), own):
        answers[rows] = furthest_of(queries, keys, rows, place, key)
        near_ties += int((np.bincount(place) > 1).sum())
        report_parts(progress, int(rows[-1]) + 1, count)
    return answers, near_ties
