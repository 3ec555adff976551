"""Keys or queries on the moment curve: orders along which every line changes few times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.embeddings.covectors import Covectors
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.solvers.embeddings.circular_ones import circular_order
from samapprox.solvers.engine.backends import one_numpy_thread
from samapprox.solvers.engine.search import Search, shared_tokens
from samapprox.support.arrays import Floats, Order, Signs
from samapprox.support.text import plural

if TYPE_CHECKING:
    import scipy.sparse


NAME = "orders"


# Seconds of one order and its check for each one of a sparse pattern, and for each entry of a dense
# one, measured.
_SECONDS_A_ONE, _SECONDS_AN_ENTRY = 1.5e-7, 4e-8

_ORDERS = 3  # orders that are tried even if that takes longer than a turn
_SHARE = 0.75  # of the time that is left, which one order may take


_FEW = 10_000  # patterns with at most so many entries are small: numeric searches are quick there

# Up to so many entries, all singular vectors are computed; beyond, power iteration is faster.
_MOST_DENSE = 400_000

# Larger patterns are not tested for the circular-ones property, which takes plain Python.
_MOST_CIRCULAR = 2_000_000

# Seconds of reverse Cuthill-McKee for each one, measured; it cannot be interrupted.
_SECONDS_TO_NUMBER = 1e-6

_STEPS = 40  # power iterations: they separate distant elements; neighbours may come in either order


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    return shared_tokens(problem)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Look for an order of the keys (or queries) in which no row (column) changes over d times.

    A row with k ones changes at most 2k times in any order, so any order shows YES for d = 2k. For
    the orders that are tried, see `candidate_orders`. The signs are all +; opposite to row 0; and
    such that most lines stay the same from one element to the next.

    Each order costs O(k log k + m + n) for a sparse pattern of k ones, and O(m n) otherwise. As
    many as fit into the turn are tried. If it is too short for the first few, they take what they
    need; if there is no time for one, any order is returned.
    """
    pattern = problem.pattern
    least = _ORDERS if _counts_ones(pattern) else 1  # for many ones, searches find more
    rows, columns = pattern.shape
    seconds, whole = _seconds_an_order(pattern), search.extend(float("inf"))
    if seconds > search.remaining / least:
        search = search.extend(least * seconds)
    if seconds > _SHARE * whole.remaining:
        certain = any_order(pattern)
        if certain.d < min(rows, columns - 1):
            return certain
        return f"one order of {rows} x {columns} would take {seconds:.1f} s"
    best: MomentCurve | None = None
    for side in _order_sides(pattern):
        covectors = Covectors(pattern, side)
        for order in candidate_orders(covectors, search):
            for flips in _choose_signs(covectors, order):
                most = max(1, int(covectors.count_changes(order, flips).max()))
                if best is None or most < best.d:
                    best = MomentCurve(most, side, order, np.flatnonzero(flips < 0))
                    if most <= problem.d:
                        return best
                if search.remaining < seconds:  # for other signs, or another order
                    break
            if search.remaining < seconds:
                break
        if search.remaining < seconds:
            break
    assert best is not None
    if best.d < min(rows, columns - 1):
        return best
    return f"in the best order found, some line changes value {plural(best.d, 'time')}"


def any_order(pattern: Pattern) -> MomentCurve:
    """Return the elements as given, for as many changes as two ends of each 1 make.

    O(k + n) for k ones. A * takes the sign of its left neighbour and makes no change.
    """
    rows, columns = pattern.shape
    in_row, in_column = _count_most_ones(pattern)
    if in_row <= in_column:
        return MomentCurve(2 * in_row, "columns", np.arange(columns))
    # Row 0 is flipped: what is + there would add a change.
    return MomentCurve(2 * in_column, "rows", np.arange(rows + 1), [0])


def _counts_ones(pattern: Pattern) -> bool:
    """Return whether changes are counted by the ones alone."""
    return pattern.ones.is_sparse and pattern.is_specified


def _seconds_an_order(pattern: Pattern) -> float:
    if _counts_ones(pattern):
        return _SECONDS_A_ONE * (pattern.count + sum(pattern.shape))
    return _SECONDS_AN_ENTRY * pattern.size


def _order_sides(pattern: Pattern) -> list[Side]:
    """Return both sides to order, the one with fewer certain changes first."""
    in_row, in_column = _count_most_ones(pattern)
    return ["columns", "rows"] if 2 * in_row <= 2 * in_column + 1 else ["rows", "columns"]


def _count_most_ones(pattern: Pattern) -> tuple[int, int]:
    """Count the ones of the fullest row and of the fullest column."""
    ones, in_column = pattern.ones, np.zeros(pattern.shape[1], dtype=np.int64)
    if ones.is_sparse:
        for indices in ones.indices():
            in_column += np.bincount(indices, minlength=len(in_column))
    else:
        for _, block in ones.blocks():
            in_column += np.count_nonzero(block, axis=0)
    return int(ones.row_counts.max()), int(in_column.max())


def _choose_signs(covectors: Covectors, order: Order) -> Iterator[Signs]:
    """Signs of the elements: all +, opposite to row 0, and those with the fewest changes in all."""
    plain = np.ones(covectors.size, dtype=np.int8)
    yield plain
    opposite = -plain
    if covectors.has_extra_element:
        opposite[0] = 1
        yield opposite
    if is_small(covectors):
        return
    cheapest = cheapest_signs(covectors, order)
    cheapest *= cheapest[0]
    if not (cheapest == plain).all() and not (cheapest == opposite).all():
        yield cheapest


def cheapest_signs(covectors: Covectors, order: Order) -> Signs:
    """Return the signs for which most covectors stay the same from one element to the next."""
    turns = np.where(covectors.agreements(order) < 0, -1, 1)
    signs = np.empty(covectors.size, dtype=np.int8)
    signs[order] = np.cumprod(np.concatenate(([1], turns)))
    return signs


# ---------------------------------------------------------------- candidate orders


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
        yield from _order_circularly(covectors)
        if min(covectors.count, covectors.size) >= 2:
            yield from _order_by_singular_vectors(covectors.signs())
        return
    ones = _build_ones(covectors)
    yield from _order_by_covectors(ones)
    if search.remaining > _SECONDS_TO_NUMBER * ones.nnz:
        yield _number_cuthill_mckee(ones)
    if search.out_of_time:
        return
    if min(ones.shape) >= 3:
        if covectors.count * covectors.size <= _MOST_DENSE:
            yield from _order_by_singular_vectors(covectors.signs())
        else:
            yield from _order_by_power_iteration(ones, search)
    if covectors.count * covectors.size <= _MOST_CIRCULAR and not search.out_of_time:
        yield from _order_circularly(covectors)


def is_small(covectors: Covectors) -> bool:
    """Return whether numeric searches are quick: then only the most promising orders are tried."""
    return covectors.count * covectors.size <= _FEW


def _order_circularly(covectors: Covectors) -> Iterator[Order]:
    """Yield an order in which no covector changes more than twice, if one exists."""
    if covectors.unspecified is None:
        order = circular_order(covectors.signs() > 0)
        if order is not None:
            yield order


def _build_ones(covectors: Covectors) -> scipy.sparse.csr_array:
    """Return the ones of the covectors on all elements, row 0 too where it is one."""
    import scipy.sparse

    matrix, extra = covectors.ones, int(covectors.has_extra_element)
    indices = np.concatenate([*matrix.indices()])
    indptr = np.concatenate(([0], np.cumsum(matrix.row_counts)))
    data = np.ones(len(indices), dtype=np.float32)
    shape = matrix.shape[0], covectors.size
    return scipy.sparse.csr_array((data, indices + extra, indptr), shape=shape)


def _order_by_covectors(ones: scipy.sparse.csr_array) -> Iterator[Order]:
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


def _number_cuthill_mckee(ones: scipy.sparse.csr_array) -> Order:
    """Return the elements as reverse Cuthill-McKee numbers them in the bipartite graph of ones."""
    import scipy.sparse
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    graph = scipy.sparse.block_array([[None, ones], [ones.T, None]], format="csr")
    numbers = reverse_cuthill_mckee(graph, symmetric_mode=True).astype(np.int64)
    return np.asarray(numbers[numbers >= ones.shape[0]] - ones.shape[0])


def _order_by_singular_vectors(signs: NDArray[np.int8]) -> Iterator[Order]:
    """Yield orders by each leading singular vector, and by the angle of two."""
    centred = signs - signs.mean(axis=1, keepdims=True)
    with one_numpy_thread():  # small products: threads wait for each other
        vectors = np.linalg.svd(centred, full_matrices=False)[2]
    yield from _order_by_coordinates(vectors[0], vectors[1])


def _order_by_power_iteration(ones: scipy.sparse.csr_array, search: Search) -> Iterator[Order]:
    """Yield the same for the ones divided by the roots of row and column sums.

    The leading singular vector, the roots of the column sums, is the same for all patterns with
    these sums, and is projected out.
    """
    heights, widths = ones.sum(axis=1), ones.sum(axis=0)
    left = 1 / np.sqrt(np.maximum(heights, 1))
    right = 1 / np.sqrt(np.maximum(widths, 1))
    known = np.sqrt(widths)
    known /= np.linalg.norm(known)
    vectors = np.random.RandomState(search.seed).standard_normal((len(widths), 3))
    transposed: Any = ones.T.tocsr()
    for _ in range(_STEPS):
        vectors -= np.outer(known, known @ vectors)
        vectors, _ = np.linalg.qr(vectors)
        if search.out_of_time:
            break
        covectors = left[:, None] * (ones @ (right[:, None] * vectors))
        vectors = right[:, None] * (transposed @ (left[:, None] * covectors))
    yield from _order_by_coordinates(right * vectors[:, 0], right * vectors[:, 1])


def _order_by_coordinates(first: Floats, second: Floats) -> Iterator[Order]:
    """Yield orders along each axis, and around the origin."""
    for key in (first, second, np.arctan2(second, first)):
        yield np.argsort(key, kind="stable")
