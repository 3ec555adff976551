"""The check of caps of the sphere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.checks.above import positive_products
from samapprox.proofs.checks.embedding import first_difference
from samapprox.proofs.checks.similarities.geometry import find_fault_of_size, name_difference
from samapprox.proofs.exact import ExactArray, largest, squared_norms
from samapprox.proofs.kinds.similarities.caps import Caps

__all__ = ["above_caps", "find_fault"]

_LARGEST = 1 << 500  # squares of norms, too, stay clear of float64's overflow
_BLOCK = 1 << 18  # numbers whose products are computed at once in integers
_IN_INT64 = 1 << 62


def find_fault(problem: Problem, caps: Caps) -> str | None:
    r"""Return the reason why the caps do not represent the pattern in d, or None.

    Parameters
    ----------
    problem : Problem
    caps : Caps

    Notes
    -----
    2 m n (d + 1) operations in float64, and exact ones for the entries that are too near to a
    boundary.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("10\n01"), 2, similarity="cosine")
    >>> find_fault(problem, Caps([[1, 0], [0, 1]], [[5, 0], [0, 2]], [0, 0])) is None
    True
    >>> find_fault(problem, Caps([[1, 0], [0, 1]], [[5, 0], [1, 2]], [0, 0]))
    'row 0 and column 1: the entry is 0, but the key lies inside the cap'
    """
    if fault := find_fault_of_size(problem, caps, len(caps.queries), len(caps.keys)):
        return fault
    difference = first_difference(problem.pattern, above_caps(caps))
    return None if difference is None else name_difference(problem.pattern, difference, "cap")


def above_caps(caps: Caps) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    r"""Say of each key whether it lies inside each cap, exactly, block by block.

    Parameters
    ----------
    caps : Caps

    Yields
    ------
    first row : int
    above : ndarray of bool, shape (rows of the block, n)
        Entry (i, j) says whether q_i . k_j > t_i |k_j|.

    Notes
    -----
    The signs are those of a . b with a = (q_i, -t_i) and b = (k_j, |k_j|), of D = d + 1 numbers.
    In float64 every entry has a relative error of at most u = 2^-53, the norm (two roundings, the
    first one halved by the root) of at most 2 u. The bound of `samapprox.proofs.checks.above` grows
    by u: the sign is right beyond (D + 4) u / (1 - (D + 4) u) sum_l |a_l| |b_l|, and E_i =
    (D + 4) 2^-52 sum_l |a_l| B_l is more than this.

    The other signs: q . k - t |k| has the sign of q . k and -t where these agree, else that of
    (q . k)^2 - t^2 |k|^2 times the sign of q . k.

    Examples
    --------
    >>> touching = Caps([[3, 4]], [[3, 4], [4, 3], [6, 8]], [5])
    >>> [(start, above.tolist()) for start, above in above_caps(touching)]
    [(0, [[False, False, False]])]
    """
    queries, keys, thresholds = caps.queries, caps.keys, caps.thresholds
    norms = squared_norms(keys)
    longest = queries.shape[1] * largest(queries) * largest(keys)
    is_short = max(longest, largest(thresholds)) ** 2 * max(1, largest(norms)) < _IN_INT64

    def settle(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.bool_]:
        positive = np.empty(len(rows), dtype=np.bool_)
        step = max(1, _BLOCK // queries.shape[1])
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            own, other = rows[part], columns[part]
            products = (queries[own] if is_short else queries[own].astype(object)) * keys[other]
            positive[part] = _exceeds(
                products.sum(axis=1),
                thresholds[own] if is_short else thresholds[own].astype(object),
                norms[other],
            )
        return positive

    if max(largest(queries), largest(keys), largest(thresholds)) >= _LARGEST:
        step = max(1, _BLOCK // len(keys))
        for start in range(0, len(queries), step):
            own = slice(start, start + step)
            products = queries[own].astype(object) @ keys.astype(object).T
            yield start, _exceeds(products, thresholds[own, None].astype(object), norms[None])
        return
    left = np.column_stack([queries, -thresholds]).astype(np.float64)
    right = np.column_stack([keys.astype(np.float64), np.sqrt(norms.astype(np.float64))])
    depth = left.shape[1]
    slack = (depth + 4) * 2.0**-52 * (np.abs(left) @ np.abs(right).max(axis=0))
    yield from positive_products(left, right.T.copy(), slack, settle)


def _exceeds(products: ExactArray, thresholds: ExactArray, norms: ExactArray) -> NDArray[np.bool_]:
    """Compare integers p with t sqrt(n), where n > 0: p > t sqrt(n)."""
    squares = products * products - thresholds * thresholds * norms
    inside = np.where(
        products > 0, (thresholds < 0) | (squares > 0), (thresholds < 0) & (squares < 0)
    )
    return np.asarray(inside, dtype=np.bool_)
