"""The check of caps of the sphere."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.checks.above import Rounded, Settle, positive_products, round_rows
from samapprox.proofs.checks.embedding import first_difference
from samapprox.proofs.checks.near_ties import Settling, as_integers, to_words
from samapprox.proofs.checks.similarities.geometry import find_fault_of_size, name_difference
from samapprox.proofs.exact import ExactArray, largest, squared_norms
from samapprox.proofs.kinds.similarities.caps import Caps

__all__ = ["above_caps", "find_fault"]


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
    (q . k)^2 - t^2 |k|^2 times the sign of q . k. The latter is (q . k - t |k|) (q . k + t |k|),
    where the first factor is small: mostly, it can be found modulo 2^64 or a higher power of two.

    Examples
    --------
    >>> touching = Caps([[3, 4]], [[3, 4], [4, 3], [6, 8]], [5])
    >>> [(start, above.tolist()) for start, above in above_caps(touching)]
    [(0, [[False, False, False]])]
    """
    norms = squared_norms(caps.keys)
    left = round_rows(np.concatenate([caps.queries, -caps.thresholds[:, None]], axis=1))
    right = _append_lengths(round_rows(caps.keys), norms)
    yield from positive_products(left, right, 4, lambda bits: _settle(caps, norms, bits))


def _append_lengths(keys: Rounded, norms: ExactArray) -> Rounded:
    """Return the keys with one more column, their lengths."""
    shifts = keys.shifts
    if shifts.any():
        norms = norms / np.array([1 << 2 * shift for shift in shifts.tolist()], dtype=object)
    lengths = np.sqrt(norms.astype(np.float64))
    return Rounded(np.column_stack([keys.floats, lengths]), shifts)


def _settle(caps: Caps, norms: ExactArray, bits: int) -> Settle:
    """Return the exact answers for entries with |q . k - t |k|| of at most 2^bits."""
    queries, keys, thresholds = caps.queries, caps.keys, caps.thresholds
    most = (queries.shape[1] * largest(queries) * largest(keys)).bit_length()
    # The difference of the squares is that of the numbers times their sum.
    bits += max(bits, most + 1) + 1

    own, other, limits, squares = as_integers(bits, queries, keys, thresholds, norms)
    choice = Settling(bits)

    @cache
    def write() -> tuple[NDArray[Any], ...]:
        numbers = (to_words(each, bits) for each in (queries, keys, -(limits**2), norms))
        return (*numbers, np.asarray(thresholds < 0, dtype=np.bool_))

    def settle(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.bool_]:
        if own.dtype == object and (kernel := choice.load_kernel(len(rows) * keys.shape[1])):
            return np.asarray(kernel.are_in_caps(*write(), keys.shape[1], rows, columns))
        products = (own[rows] * other[columns]).sum(axis=1)
        return _exceeds(products, limits[rows], squares[columns])

    return settle


def _exceeds(products: ExactArray, thresholds: ExactArray, norms: ExactArray) -> NDArray[np.bool_]:
    """Compare integers p with t sqrt(n), where n > 0: p > t sqrt(n)."""
    squares = products * products - thresholds * thresholds * norms
    inside = np.where(
        products > 0, (thresholds < 0) | (squares > 0), (thresholds < 0) & (squares < 0)
    )
    return np.asarray(inside, dtype=np.bool_)
