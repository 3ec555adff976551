"""Orders of keys or queries along which lines may change seldom, cheapest first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.covectors import Covectors
from samapprox.solvers.backends.blas import one_numpy_thread
from samapprox.solvers.embeddings.circular_ones import circular_order
from samapprox.solvers.engine.search import Search

if TYPE_CHECKING:
    import scipy.sparse

__all__ = ["candidate_orders", "is_small"]

Order = NDArray[np.int64]
Floats = NDArray[np.float64]

_FEW = 10_000
"""Entries of patterns that are small."""

_MOST_DENSE = 400_000
"""Entries of the largest patterns of which all singular vectors are computed."""

_MOST_CIRCULAR = 2_000_000
"""Entries of the largest patterns that are tested for the circular-ones property."""

_SECONDS_A_ONE = 1e-6
"""For reverse Cuthill-McKee, which cannot be interrupted; measured."""

_STEPS = 40
"""Power iterations: they separate distant elements; neighbours may come in either order."""


def candidate_orders(covectors: Covectors, search: Search) -> Iterator[Order]:
    """Yield orders of the elements: as given, by the covectors that contain them, by structure.

    Small patterns are tried as given, for the circular-ones property, and by singular vectors.

    Each costs O(k log k + m + n) for k ones, except the last two. The elements stand as given; by
    the mean, first and last covector with a 1; as reverse Cuthill-McKee numbers the bipartite graph
    of ones; by singular vectors of the signs, or for large patterns of the ones, divided by the
    roots of row and column sums, by power iteration; and in the order of the circular-ones
    property, which for fully specified patterns is found whenever there is one.

    Cuthill and McKee (1969), "Reducing the bandwidth of sparse symmetric matrices"; Hill (1974),
    "Correspondence analysis: a neglected multivariate method".
    """
    yield np.arange(covectors.size)
    if is_small(covectors):
        yield from _circular(covectors)
        if min(covectors.count, covectors.size) >= 2:
            yield from _spectral(covectors.signs())
        return
    ones = _ones(covectors)
    yield from _by_covectors(ones)
    if search.remaining > _SECONDS_A_ONE * ones.nnz:
        yield _cuthill_mckee(ones)
    if search.out_of_time:
        return
    if min(ones.shape) >= 3:
        if covectors.count * covectors.size <= _MOST_DENSE:
            yield from _spectral(covectors.signs())
        else:
            yield from _by_power_iteration(ones, search)
    if covectors.count * covectors.size <= _MOST_CIRCULAR and not search.out_of_time:
        yield from _circular(covectors)


def is_small(covectors: Covectors) -> bool:
    """Return whether numeric searches are quick: then only the most promising orders are tried."""
    return covectors.count * covectors.size <= _FEW


def _circular(covectors: Covectors) -> Iterator[Order]:
    """Yield an order in which no covector changes more than twice, if one exists."""
    if covectors.unspecified is None:
        order = circular_order(covectors.signs() > 0)
        if order is not None:
            yield order


def _ones(covectors: Covectors) -> scipy.sparse.csr_array:
    """Return the ones of the covectors on all elements, row 0 too where it is one."""
    import scipy.sparse

    matrix, extra = covectors.ones, int(covectors.has_extra_element)
    indices = np.concatenate([*matrix.indices()])
    indptr = np.concatenate(([0], np.cumsum(matrix.row_counts)))
    data = np.ones(len(indices), dtype=np.float32)
    shape = matrix.shape[0], covectors.size
    return scipy.sparse.csr_array((data, indices + extra, indptr), shape=shape)


def _by_covectors(ones: scipy.sparse.csr_array) -> Iterator[Order]:
    """Yield orders by the mean, the first and the last covector of each element."""
    rows, size = ones.shape
    columns = ones.tocsc()
    held = np.diff(columns.indptr) > 0
    total, first, last = (np.full(size, float(rows)) for _ in range(3))
    starts = columns.indptr[:-1][held]
    first[held] = np.minimum.reduceat(columns.indices, starts) if held.any() else 0
    last[held] = np.maximum.reduceat(columns.indices, starts) if held.any() else 0
    sums = np.bincount(
        np.repeat(np.arange(size), np.diff(columns.indptr)), columns.indices, minlength=size
    )
    total[held] = sums[held] / np.diff(columns.indptr)[held]
    yield np.argsort(total, kind="stable")
    yield np.lexsort((last, first))
    yield np.lexsort((first, last))


def _cuthill_mckee(ones: scipy.sparse.csr_array) -> Order:
    """Return the elements as reverse Cuthill-McKee numbers them in the bipartite graph of ones."""
    import scipy.sparse
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    graph = scipy.sparse.block_array([[None, ones], [ones.T, None]], format="csr")
    numbers = reverse_cuthill_mckee(graph, symmetric_mode=True).astype(np.int64)
    return np.asarray(numbers[numbers >= ones.shape[0]] - ones.shape[0])


def _spectral(signs: NDArray[np.int8]) -> Iterator[Order]:
    """Yield orders by each leading singular vector, and by the angle of two."""
    centred = signs - signs.mean(axis=1, keepdims=True)
    with one_numpy_thread():  # small products: threads wait for each other
        vectors = np.linalg.svd(centred, full_matrices=False)[2]
    yield from _by_coordinates(vectors[0], vectors[1])


def _by_power_iteration(ones: scipy.sparse.csr_array, search: Search) -> Iterator[Order]:
    """Yield the same for the ones divided by the roots of row and column sums.

    The leading singular vector, the roots of the column sums, says nothing and is projected out.
    """
    heights, widths = ones.sum(axis=1), ones.sum(axis=0)
    left = 1 / np.sqrt(np.maximum(heights, 1))
    right = 1 / np.sqrt(np.maximum(widths, 1))
    known = np.sqrt(widths)
    known /= np.linalg.norm(known)
    vectors = np.random.RandomState(search.seed % (1 << 32)).standard_normal((len(widths), 3))
    transposed: Any = ones.T.tocsr()
    for _ in range(_STEPS):
        vectors -= np.outer(known, known @ vectors)
        vectors, _ = np.linalg.qr(vectors)
        if search.out_of_time:
            break
        covectors = left[:, None] * (ones @ (right[:, None] * vectors))
        vectors = right[:, None] * (transposed @ (left[:, None] * covectors))
    yield from _by_coordinates(right * vectors[:, 0], right * vectors[:, 1])


def _by_coordinates(first: Floats, second: Floats) -> Iterator[Order]:
    """Yield orders along each axis, and around the origin."""
    for key in (first, second, np.arctan2(second, first)):
        yield np.argsort(key, kind="stable")
