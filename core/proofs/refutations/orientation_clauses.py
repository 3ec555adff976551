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

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED
from samapprox.support.arrays import Signs

CLAUSES_A_RELATION = 16
"""See `relation_clauses`."""

MOST_RANK = 32
"""Up to which codes of covectors stay far from the ends of 64 bits."""

_MOST_KINDS = 1 << 29  # a byte each

_SIGNS_AT_ONCE = 1 << 18  # of several covectors on all subsets


Clauses = NDArray[np.int32]
"""One clause a row, as DIMACS literals: chi(T) is variable 1 + rank of T, true for +."""


def sign_matrix(entries: NDArray[np.int8], elements: str) -> Signs:
    """Return the covectors of a pattern with the query that is positive on all keys, one a row.

    `entries` (shape (m, n)): 1, 0 and -1 for *. `elements`: the elements of the covectors: the n
    keys, or the extra query and the m queries.

    +1, -1, and 0 for *; shape (m + 1, n) or (n, m + 1).
    """
    signs = np.ones((len(entries) + 1, entries.shape[1]), dtype=np.int8)
    signs[1:] = entries == 1  # written out in bytes alone: patterns may have 10^8 entries
    signs[1:] *= 2
    signs[1:] -= 1
    signs[1:][entries == UNSPECIFIED] = 0
    return signs if elements == "columns" else np.ascontiguousarray(signs.T)


def subset_ranks(subsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rank ascending subsets (last axis) in colexicographic order: sum of C(s_t, t + 1).

    >>> subset_ranks(np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3]])).tolist()
    [0, 1, 2]
    """
    size = subsets.shape[-1]
    table = binomials(int(subsets.max(initial=0)) + 1, size)
    return np.asarray(table[np.arange(size), subsets].sum(axis=-1), dtype=np.int64)


@lru_cache(maxsize=16)
def subsets_of(count: int, size: int) -> NDArray[np.int64]:
    """Return all subsets of 0..count - 1 of this size, ascending, one a row; read-only."""
    flat = [element for subset in combinations(range(count), size) for element in subset]
    subsets = np.array(flat, dtype=np.int64).reshape(-1, size)
    subsets.flags.writeable = False
    return subsets


def circuit_kinds(signs: Signs, rank: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the kinds of covectors, up to sign, on every r + 1 elements.

    `signs` (shape (covectors, elements)): a covector counts on those subsets where it has no 0.
    `rank`: r; see `kinds_fit`. `subsets`: ascending elements. `codes`: bit t - 1 says whether the
    covector differs on elements 0 and t of the subset.

    O(C(elements, r + 1) (covectors r + 2^r)) time.
    """
    subsets = subsets_of(signs.shape[1], rank + 1)
    present = np.zeros((len(subsets), 1 << rank), dtype=np.bool_)
    weights = 1 << np.arange(rank)
    block = max(1, _SIGNS_AT_ONCE // max(1, subsets.size))
    for start in range(0, len(signs), block):
        values = signs[start : start + block, subsets]
        known = (values != 0).all(axis=2)
        codes = (values[:, :, 1:] != values[:, :, :1]) @ weights
        present[np.nonzero(known)[1], codes[known]] = True
    which, codes = np.nonzero(present)
    return subsets[which], codes


def kinds_fit(elements: int, rank: int) -> bool:
    """Return whether all kinds of covectors can be distinguished: 2^r on every r + 1 elements."""
    return rank <= MOST_RANK and comb(elements, rank + 1) << rank <= _MOST_KINDS


def kind_clauses(subsets: NDArray[np.int64], codes: NDArray[np.int64]) -> Clauses:
    """Forbid, for each kind of covector, that it or its opposite is the subset's circuit.

    The first half forbids the covectors, and the second half, in the same order, their opposites.
    """
    size = subsets.shape[1]
    others = np.array([[i for i in range(size) if i != t] for t in range(size)])
    variables = 1 + subset_ranks(subsets[:, others])
    minus = np.zeros_like(subsets)
    minus[:, 1:] = codes[:, None] >> np.arange(size - 1) & 1
    # c_t = covector_t for all t is forbidden: some chi(I - i_t) differs from (-1)^t covector_t.
    wanted = np.where((minus + np.arange(size)) % 2 == 0, 1, -1)
    clauses = (-wanted * variables).astype(np.int32)
    return np.concatenate([clauses, -clauses])


def circuit_clauses(signs: Signs, rank: int) -> Clauses:
    """Build two clauses for every r + 1 elements and kind of covector on them.

    `rank`: r.

    As `circuit_kinds`.
    """
    return kind_clauses(*circuit_kinds(signs, rank))


@dataclass(frozen=True, slots=True, eq=False)
class Relations:
    """The three-term Grassmann-Pluecker relations, one a row.

    For an (r-2)-subset A and b < c < d < e outside it,
    [A b c][A d e] - [A b d][A c e] + [A b e][A c d] = 0. The signs from sorting the brackets are
    the same in all terms and cancel.

    `fixed` (shape (relations, r - 2)): A. `fours` (shape (relations, 4)): b, c, d and e.
    `variables` (shape (relations, 6)): the brackets of the terms, two after two.
    """

    fixed: NDArray[np.int64]
    fours: NDArray[np.int64]
    variables: NDArray[np.int64]


def count_relations(elements: int, rank: int) -> int:
    """Count the three-term relations."""
    return comb(elements, rank + 2) * comb(rank + 2, 4)


def three_term_relations(
    elements: int, rank: int, numbers: Sequence[int] | None = None
) -> Relations:
    """Return all C(elements, r + 2) C(r + 2, 4) relations, or some of them.

    `rank`: r >= 2. `numbers`: the places of some among all.
    """
    union = subsets_of(elements, rank + 2)
    fours = list(combinations(range(rank + 2), 4))
    others = [[i for i in range(rank + 2) if i not in four] for four in fours]
    brackets = [
        [sorted([*fixed, *pair]) for pair in ((b, c), (d, e), (b, d), (c, e), (b, e), (c, d))]
        for fixed, (b, c, d, e) in zip(others, fours, strict=True)
    ]
    count = len(union) * len(fours)
    places = np.arange(count) if numbers is None else np.array(numbers, dtype=np.int64)
    which, four = np.divmod(places, len(fours))
    union = union[which]
    places_of = (np.array(part, dtype=np.int64) for part in (others, fours, brackets))
    fixed, four_of, bracket = (part[four] for part in places_of)
    return Relations(
        np.take_along_axis(union, fixed, axis=1),
        np.take_along_axis(union, four_of, axis=1),
        1 + subset_ranks(np.take_along_axis(union[:, None, :], bracket, axis=2)),
    )


def relation_clauses(elements: int, rank: int, numbers: Sequence[int] | None = None) -> Clauses:
    """Forbid that the three terms of a relation have one sign: 16 clauses of 6 literals each.

    `rank`: r >= 2. `numbers`: places of relations in `three_term_relations`: of these alone.

    They are the first clauses of all relations, then their second ones, and so on.
    """
    variables = three_term_relations(elements, rank, numbers).variables
    clauses = []
    for term in (1, -1):
        for p, q, s in np.ndindex(2, 2, 2):
            first, second, third = 1 - 2 * p, 1 - 2 * q, 1 - 2 * s
            # All of +[..][..], -[..][..], +[..][..] have the sign `term`.
            values = np.array([first, first * term, second, -second * term, third, third * term])
            clauses.append(-values * variables)
    return np.concatenate(clauses).astype(np.int32)


def most_clauses(elements: int, covectors: int, rank: int, *, relations: bool) -> int:
    """Bound the number of clauses before any is built.

    `rank`: r. `relations`: whether the Grassmann-Pluecker relations are among them.
    """
    most = 2 * comb(elements, rank + 1) * min(1 << rank, covectors)
    if relations:
        most += CLAUSES_A_RELATION * count_relations(elements, rank)
    return most


@lru_cache(maxsize=16)
def binomials(most: int, size: int) -> NDArray[np.int64]:
    """Return C(s, t + 1) for s < most and t < size, one t a row."""
    return np.array([[comb(s, t + 1) for s in range(most)] for t in range(size)], dtype=np.int64)


def unrank_subsets(ranks: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return the ascending subsets of these ranks, one a row: the inverse of `subset_ranks`."""
    most = size
    while comb(most, size) <= ranks.max(initial=0):
        most += 1
    table = binomials(most, size)
    subsets = np.empty((len(ranks), size), dtype=np.int64)
    for t in reversed(range(size)):
        subsets[:, t] = np.searchsorted(table[t], ranks, side="right") - 1
        ranks = ranks - table[t, subsets[:, t]]
    return subsets
