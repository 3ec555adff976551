"""The clauses that every realization of a sign matrix satisfies.

Let a_0, .., a_m and b_1, .., b_n be vectors in R^r with sign(a_i . b_j) prescribed. Take the b_j
as *elements* (or, by symmetry, the a_i) and move them to general position, which strict signs
survive. Then chi(T) = sign det(b_j : j in T) is + or - for every r-subset T of the elements. For an
(r+1)-subset I = {i_0 < .. < i_r} the one linear dependence has the signs c_t = (-1)^t chi(I - i_t),
so no *covector* (the signs of some a_i on I) can equal c or -c: the dependence, applied to a_i,
would be a sum of numbers of one sign that is zero. Determinants also satisfy the three-term
Grassmann-Pluecker relations. Both are clauses in the variables chi(T).
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED

__all__ = [
    "Clauses",
    "circuit_clauses",
    "most_clauses",
    "relation_clauses",
    "sign_matrix",
    "subset_ranks",
]

Signs = NDArray[np.int8]
Clauses = NDArray[np.int32]
"""One clause a row, as DIMACS literals: chi(T) is variable 1 + rank of T, true for +."""


def sign_matrix(entries: NDArray[np.int8], elements: str) -> Signs:
    """Covectors of a pattern with the query that is positive on all keys, one a row.

    Parameters
    ----------
    entries : ndarray of int8, shape (m, n)
        1, 0 and -1 for *.
    elements : {"columns", "rows"}
        What the covectors are sign vectors on: the n keys, or the extra query and the m queries.

    Returns
    -------
    ndarray of int8
        +1, -1, and 0 for *; shape (m + 1, n) or (n, m + 1).

    Examples
    --------
    >>> sign_matrix(np.array([[1, 0]], dtype=np.int8), "columns").tolist()
    [[1, 1], [1, -1]]
    """
    signs = np.where(entries == UNSPECIFIED, 0, 2 * (entries == 1) - 1).astype(np.int8)
    signs = np.vstack([np.ones((1, signs.shape[1]), dtype=np.int8), signs])
    return signs if elements == "columns" else np.ascontiguousarray(signs.T)


def subset_ranks(subsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rank of ascending subsets in colexicographic order: sum over t of C(s_t, t + 1).

    Examples
    --------
    >>> subset_ranks(np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3]])).tolist()
    [0, 1, 2]
    """
    size = subsets.shape[1]
    largest = int(subsets.max(initial=0)) + 1
    table = np.array([[comb(s, t + 1) for s in range(largest)] for t in range(size)])
    return np.asarray(sum(table[t][subsets[:, t]] for t in range(size)), dtype=np.int64)


def _subsets(count: int, size: int) -> NDArray[np.int64]:
    flat = [element for subset in combinations(range(count), size) for element in subset]
    return np.array(flat, dtype=np.int64).reshape(-1, size)


def circuit_clauses(signs: Signs, rank: int) -> Clauses:
    """What the covectors forbid: two clauses for every r + 1 elements and kind of covector on them.

    Parameters
    ----------
    signs : ndarray of int8, shape (covectors, elements)
        A covector counts on those subsets where it has no 0.
    rank : int
        r.

    Returns
    -------
    Clauses, shape (number of clauses, r + 1)

    Notes
    -----
    O(C(elements, r + 1) (covectors r + 2^r)) time.

    Examples
    --------
    Three elements of rank 2; the covectors ++- and +-+ and +++ leave them no order.

    >>> circuit_clauses(np.array([[1, 1, 1], [1, 1, -1], [1, -1, 1]], dtype=np.int8), 2).shape
    (6, 3)
    """
    subsets = _subsets(signs.shape[1], rank + 1)
    present = np.zeros((len(subsets), 1 << rank), dtype=np.bool_)
    places = np.arange(len(subsets))
    weights = 1 << np.arange(rank)
    for covector in signs:
        values = covector[subsets]
        known = (values != 0).all(axis=1)
        # Up to sign: the first sign is +, the others are the bits of a code.
        codes = ((values[:, 1:] != values[:, :1]) * weights).sum(axis=1)
        present[places[known], codes[known]] = True
    which, codes = np.nonzero(present)
    others = np.array([[i for i in range(rank + 1) if i != t] for t in range(rank + 1)])
    variables = np.stack([1 + subset_ranks(subsets[:, rest]) for rest in others], axis=1)[which]
    minus = np.concatenate(
        [np.zeros((len(codes), 1), dtype=np.int64), codes[:, None] >> np.arange(rank) & 1], axis=1
    )
    # c_t = covector_t for all t is forbidden: some chi(I - i_t) differs from (-1)^t covector_t.
    wanted = np.where((minus + np.arange(rank + 1)) % 2 == 0, 1, -1)
    clauses = (-wanted * variables).astype(np.int32)
    return np.concatenate([clauses, -clauses])


def relation_clauses(elements: int, rank: int) -> Clauses:
    """The three-term Grassmann-Pluecker relations, 16 clauses of 6 literals each.

    For an (r-2)-subset A and b < c < d < e outside it,
    [A b c][A d e] - [A b d][A c e] + [A b e][A c d] = 0, so the three terms cannot have one sign.
    The signs from sorting the brackets are the same in all terms and cancel.

    Parameters
    ----------
    elements : int
    rank : int
        r >= 2.

    Returns
    -------
    Clauses, shape (16 C(elements, r + 2) C(r + 2, 4), 6)

    Examples
    --------
    >>> relation_clauses(5, 3).shape
    (80, 6)
    """
    union = _subsets(elements, rank + 2)
    fours = np.array(list(combinations(range(rank + 2), 4)))
    brackets = []
    for b, c, d, e in fours:
        fixed = [i for i in range(rank + 2) if i not in (b, c, d, e)]
        pairs = [(b, c), (d, e), (b, d), (c, e), (b, e), (c, d)]
        brackets.append(
            np.stack(
                [1 + subset_ranks(union[:, sorted([*fixed, *pair])]) for pair in pairs], axis=1
            )
        )
    variables = np.concatenate(brackets)
    clauses = []
    for term in (1, -1):
        for p, q, s in np.ndindex(2, 2, 2):
            first, second, third = 1 - 2 * p, 1 - 2 * q, 1 - 2 * s
            # All of +[..][..], -[..][..], +[..][..] have the sign `term`.
            values = np.array([first, first * term, second, -second * term, third, third * term])
            clauses.append(-values * variables)
    return np.concatenate(clauses).astype(np.int32)


def most_clauses(elements: int, covectors: int, rank: int, *, relations: bool) -> int:
    """How many clauses there can be at most, before any is built.

    Parameters
    ----------
    elements, covectors : int
    rank : int
        r.
    relations : bool
        Whether the Grassmann-Pluecker relations are among them.

    Examples
    --------
    >>> most_clauses(5, 3, 3, relations=False), most_clauses(5, 3, 3, relations=True)
    (30, 110)
    """
    most = 2 * comb(elements, rank + 1) * min(1 << rank, covectors)
    if relations:
        most += 16 * comb(elements, rank + 2) * comb(rank + 2, 4)
    return most
