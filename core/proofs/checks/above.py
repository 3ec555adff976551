"""Exact comparison of logits with thresholds: float64 products if rounding cannot change a sign."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.exact import EXACT_IN_FLOAT, ExactArray, largest
from samapprox.proofs.kinds.embedding import Embedding

__all__ = ["above_thresholds", "positive_products"]

_LARGEST = 1 << 1000  # products up to this stay clear of float64's overflow
_BLOCK_WORK = 1 << 18  # multiplications of a block: it stays in cache, and BLAS in one thread
_FEW_ROWS, _MORE_ROWS = 4, 32  # for fewer rows, all keys would come from memory too often
_BLOCK_PRODUCTS = 1 << 20  # of a block of more rows, at most


def above_thresholds(embedding: Embedding) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    r"""Compare each logit with its row's threshold, exactly, block by block.

    Parameters
    ----------
    embedding : Embedding
        m queries and n keys of dimension d.

    Yields
    ------
    first row : int
    above : ndarray of bool, shape (rows of the block, n)
        Entry (i, j) says whether q_i . k_j > t_i.

    Notes
    -----
    The signs are those of x = a . b with a = (q_i, -t_i) and b = (k_j, 1), of D = d + 1 whole
    numbers. BLAS computes them in float64; with D max|a| max|b| below 2^53 nothing is rounded: all
    products and partial sums are whole numbers of at most 53 bits, in whatever order they are
    added, fused or not.

    Larger numbers are rounded to float64 first. Then the computed product differs from x by at
    most c sum_l |a_l| |b_l| with c = (D + 2) u / (1 - (D + 2) u) and u = 2^-53, in any order of
    summation (Higham, section 3.1). Its absolute value beyond E_i = (D + 3) 2^-52 sum_l |a_l| B_l,
    B_l the largest |b_l| of all keys, proves the sign: E_i is twice that bound, which covers its
    own rounding. The other signs are computed in Python integers.

    2 m n D operations; memory for one block.

    References
    ----------
    Higham (2002), "Accuracy and Stability of Numerical Algorithms".

    Examples
    --------
    >>> embedding = Embedding([[2**70]], [[2**70], [2**70 + 1]], [2**140])
    >>> [(start, above.tolist()) for start, above in above_thresholds(embedding)]
    [(0, [[False, True]])]
    """
    left = _append_column(embedding.queries, -embedding.thresholds)
    right = _append_column(embedding.keys, np.ones(len(embedding.keys), dtype=np.int64))
    rows, depth = left.shape
    step = _block_height(depth, len(right))
    starts = range(0, rows, step)
    bound = depth * max(1, largest(left)) * largest(right)  # keys may be huge where left is 0
    if bound >= _LARGEST:
        for start in starts:
            yield start, _product_in_integers(left[start : start + step], right)
        return
    left_floats = left.astype(np.float64)
    right_floats = right.astype(np.float64).T.copy()
    if bound < EXACT_IN_FLOAT:
        for start in starts:
            yield start, left_floats[start : start + step] @ right_floats > 0
        return
    columns_largest = np.abs(right_floats).max(axis=1, initial=0.0)
    slack = (depth + 3) * 2.0**-52 * (np.abs(left_floats) @ columns_largest)
    yield from positive_products(
        left_floats,
        right_floats,
        slack,
        lambda rows, columns: _pairs_in_integers(left[rows], right[columns]),
    )


def positive_products(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    slack: NDArray[np.float64],
    settle: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]],
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Find the positive entries of a matrix of which float64 holds an approximation.

    Parameters
    ----------
    left, right : ndarray of float64, shapes (m, D) and (D, n)
        Their product is the approximation.
    slack : ndarray of float64, shape (m,)
        A computed product beyond the slack of its row has the right sign.
    settle : callable
        The exact answers for the other entries, by their rows and columns.

    Yields
    ------
    first row : int
    positive : ndarray of bool, shape (rows of the block, n)

    Examples
    --------
    >>> one = np.ones((1, 1))
    >>> list(positive_products(one, one, np.array([2.0]), lambda rows, columns: columns > 0))
    [(0, array([[False]]))]
    """
    depth, columns = right.shape
    step = _block_height(depth, columns)
    for start in range(0, len(left), step):
        products = left[start : start + step] @ right
        positive = products > 0
        doubtful = np.nonzero(np.abs(products) <= slack[start : start + step, None])
        positive[doubtful] = settle(start + doubtful[0], doubtful[1])
        yield start, positive


def _block_height(depth: int, columns: int) -> int:
    """Return the number of rows whose products are computed together."""
    cached = _BLOCK_WORK // max(1, columns * depth)
    more = min(_MORE_ROWS, _BLOCK_PRODUCTS // max(1, columns))
    return max(1, cached, more if cached < _FEW_ROWS else 0)


def _append_column(matrix: ExactArray, column: ExactArray) -> ExactArray:
    """Return the matrix with one more column; of Python integers where either has them."""
    return np.concatenate([matrix, column[:, None]], axis=1)


def _product_in_integers(left: ExactArray, right: ExactArray) -> NDArray[np.bool_]:
    """Compute the signs of all products of rows, shape (rows of left, rows of right)."""
    return np.asarray(left.astype(object) @ right.astype(object).T > 0, dtype=np.bool_)


def _pairs_in_integers(left: ExactArray, right: ExactArray) -> NDArray[np.bool_]:
    """Compute the signs of products of each row of one matrix with the same row of the other."""
    return np.asarray((left.astype(object) * right.astype(object)).sum(axis=1) > 0, dtype=np.bool_)
