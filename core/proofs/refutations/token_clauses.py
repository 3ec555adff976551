"""The clauses that hold where queries and keys share X.

Let W_Q and W_K be h x d, d <= h < 2d. They may be moved a little, until both have rank d and share
s = 2d - h directions: tokens are then x = (p, u, v), p in R^s, u and v in R^(h - d), with queries
(p, u), keys (p, v) and logits (p_i, u_i) C (p_j, v_j) for some d x d matrix C. For thresholds t_i
there are two configurations in R^(d+1):

* the *keys* c_j = (p_j, v_j, 1), the origin c_0 = (0, 0, 1), and e_1, .., e_(h-d), the unit vectors
  of v. Row i is the covector of ((p_i, u_i) C, -t_i): S_ij on c_j, and on c_0 the sign s_i of -t_i,
  which is unknown, as are those on the e_k. That of (0, 0, 1) is + on the c_j and 0 on the e_k;
* the *queries* a_i = (p_i, u_i, -t_i), a_0 = (0, 0, 1), and the unit vectors f_k of u. Column j is
  the covector of (C (p_j, v_j), 1): S_ij on a_i, + on a_0. That of (0, 0, 1) is s_i on a_i, + on
  a_0, 0 on the f_k. And (C e_k, 0) has on a_i the sign that row i has on e_k, and 0 on a_0; so has
  the covector of f_l C on the c_j those of the columns on f_l.

Both chirotopes are, up to the same sign, det(p_j : j in T) on 0, all e_k or f_k, and T: there they
agree. All signs are strict, so X, C and t may be moved to general position; and a reflection of p
turns both chirotopes round. With d = h there are no e and f, and C may have any rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED
from samapprox.proofs.refutations.orientation_clauses import (
    Clauses,
    kind_clauses,
    relation_clauses,
    subset_ranks,
    subsets_of,
)

NO_LINE = -1
"""The mark for no line of the core in `TokenClauses.lines`."""

Signs = NDArray[np.int64]
"""A covector's sign: 1 or -1; `_ZERO`; `_STAR`; or `_OPEN` plus the variable of an unknown one."""

_ZERO, _STAR, _OPEN = 0, 2, 3


@dataclass(frozen=True, slots=True, eq=False)
class TokenClauses:
    """Clauses of one length, and the lines of the core that each of them is about.

    `lines` (shape (count, lines)): rows 0..m - 1, columns m..m + n - 1, or `NO_LINE`.
    """

    clauses: Clauses
    lines: NDArray[np.int64]


def token_variables(rows: Sequence[int], columns: Sequence[int], d: int, d_hid: int) -> int:
    """Return the number of variables: orientations of keys and of queries, then signs."""
    names = _Names.of(len(rows), len(columns), d, d_hid)
    return names.last


def most_token_clauses(rows: int, columns: int, d: int, d_hid: int, *, relations: bool) -> int:
    """Bound the number of clauses before any is built."""
    rank, extra = d + 1, d_hid - d

    def forbidden(known: int, unknown: int) -> int:
        """Return the clauses: two for each r + 1 elements and each choice of the unknown signs."""
        size = rank + 1
        return sum(2 * comb(unknown, k) * 2**k * comb(known, size - k) for k in range(size + 1))

    most = forbidden(columns + 1 + extra, 0) + rows * forbidden(columns, 1 + extra)
    most += columns * forbidden(rows + 1, extra) + forbidden(1 + extra, rows)
    most += extra * (forbidden(1, columns + extra) + forbidden(1, rows + extra))
    if relations:
        for size in (rows + 1 + extra, columns + 1 + extra):
            most += 16 * comb(size, rank + 2) * comb(rank + 2, 4)
    return most


def token_clauses(
    entries: NDArray[np.int8],
    rows: Sequence[int],
    columns: Sequence[int],
    d: int,
    d_hid: int,
    *,
    relations: bool,
) -> Iterator[TokenClauses]:
    """Yield the clauses of a core, in blocks.

    `entries` (shape (m, n)): the core: 1, 0 and -1 for *. `rows` and `columns`: the tokens that its
    rows and columns are, ascending: a token that is both ties the two chirotopes together. `d` and
    `d_hid`: d <= d_hid < 2d. `relations`: whether to add the Grassmann-Pluecker relations of both
    chirotopes, which are about no line of the core.

    O(m N^(d+2) + n M^(d+2)) clauses for N = n + d_hid - d and M = m + d_hid - d, two for each
    covector and d + 2 elements; twice as many for each of its unknown signs.
    """
    known = np.where(entries == UNSPECIFIED, _STAR, 2 * (entries == 1) - 1).astype(np.int64)
    m, n = known.shape
    rank, extra = d + 1, d_hid - d
    names = _Names.of(m, n, d, d_hid)
    of_row, of_column = np.arange(m), m + np.arange(n)
    no_line = np.full(1 + extra, NO_LINE)
    keys, queries = np.append(no_line, of_column), np.append(no_line, of_row)
    variable = _query_variables(rows, columns, rank, extra)
    plus, nought = np.ones(1, dtype=np.int64), np.full(extra, _ZERO)
    nothing = np.full(1, _ZERO)

    def of_keys(covector: Signs, line: int) -> Iterator[TokenClauses]:
        yield from _forbidden(covector, line, keys, rank)

    def of_queries(covector: Signs, line: int) -> Iterator[TokenClauses]:
        for block in _forbidden(covector, line, queries, rank):
            yield TokenClauses(_renamed(block.clauses, variable), block.lines)

    yield from of_keys(np.concatenate([plus, nought, np.ones(n, dtype=np.int64)]), NO_LINE)
    for row in range(m):
        covector = [_OPEN + names.threshold[[row]], _OPEN + names.row[row], known[row]]
        yield from of_keys(np.concatenate(covector), int(of_row[row]))
    for k in range(extra):
        covector = [nothing, _OPEN + names.both[k], _OPEN + names.column[:, k]]
        yield from of_keys(np.concatenate(covector), NO_LINE)
    for column in range(n):
        covector = [plus, _OPEN + names.column[column], known[:, column]]
        yield from of_queries(np.concatenate(covector), int(of_column[column]))
    yield from of_queries(np.concatenate([plus, nought, _OPEN + names.threshold]), NO_LINE)
    for k in range(extra):
        covector = [nothing, _OPEN + names.both[:, k], _OPEN + names.row[:, k]]
        yield from of_queries(np.concatenate(covector), NO_LINE)
    if relations:
        for size, renaming in ((n + 1 + extra, None), (m + 1 + extra, variable)):
            if size >= rank + 2:
                clauses = relation_clauses(size, rank)
                clauses = clauses if renaming is None else _renamed(clauses, renaming)
                yield TokenClauses(clauses, np.full((len(clauses), 1), NO_LINE))


@dataclass(frozen=True, slots=True, eq=False)
class _Names:
    """Variables of signs: -t_i; rows on the e_k; columns on the f_k; the f_l C e_k."""

    threshold: NDArray[np.int64]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    both: NDArray[np.int64]
    last: int

    @classmethod
    def of(cls, m: int, n: int, d: int, d_hid: int) -> _Names:
        extra = d_hid - d
        first = comb(n + 1 + extra, d + 1) + comb(m + 1 + extra, d + 1) + 1
        shapes = (m, 1), (m, extra), (n, extra), (extra, extra)
        ends = first + np.cumsum([0, *(rows * width for rows, width in shapes)])
        threshold, row, column, both = (
            np.arange(start, stop, dtype=np.int64).reshape(shape)
            for start, stop, shape in zip(ends[:-1], ends[1:], shapes, strict=True)
        )
        return cls(threshold.ravel(), row, column, both, int(ends[-1]) - 1)


def _forbidden(
    covector: Signs, line: int, elements: NDArray[np.int64], rank: int
) -> Iterator[TokenClauses]:
    """Forbid that a circuit has the covector's signs, whatever the unknown ones are.

    A zero of the covector says nothing about the circuit there: its literal is left out. Lines are
    the covector's own, then those of the elements.
    """
    subsets = subsets_of(len(elements), rank + 1)
    values = covector[subsets]
    subsets, values = (part[(values != _STAR).all(axis=1)] for part in (subsets, values))
    kinds = np.where(values >= _OPEN, 2, (values == _ZERO).astype(np.int64))
    codes = kinds @ 3 ** np.arange(rank + 1)
    for code in np.unique(codes).tolist():
        chosen = np.flatnonzero(codes == code)
        kind = kinds[chosen[0]]
        unknown, given = np.flatnonzero(kind == 2), np.flatnonzero(kind != 1)
        lines = np.column_stack([np.full(len(chosen), line), elements[subsets[chosen]]])
        for guess in product((1, -1), repeat=len(unknown)):
            signs = np.where(kind == 1, 1, values[chosen])
            signs[:, unknown] = guess
            bits = (signs[:, 1:] != signs[:, :1]) @ (1 << np.arange(rank))
            clauses = kind_clauses(subsets[chosen], bits)[:, given]
            guards = -np.array(guess, dtype=np.int64) * (values[chosen][:, unknown] - _OPEN)
            yield TokenClauses(
                np.hstack([clauses, np.vstack([guards, guards])]).astype(np.int32),
                np.vstack([lines, lines]),
            )


def _query_variables(
    rows: Sequence[int], columns: Sequence[int], rank: int, extra: int
) -> NDArray[np.int64]:
    """Return the variable of each orientation of queries; the keys' where it is one of keys too."""
    first = 1 + extra  # element 0 and the f_k
    subsets = subsets_of(len(rows) + first, rank)
    own = subset_ranks(subsets)
    offset = comb(len(columns) + first, rank) + 1
    variable = np.zeros(len(subsets) + 1, dtype=np.int64)
    variable[1 + own] = offset + own
    place = {token: first + at for at, token in enumerate(columns)}
    at_column = np.array([*range(first), *(place.get(token, NO_LINE) for token in rows)])
    shared = at_column[subsets]
    tied = (subsets[:, :first] == np.arange(first)).all(axis=1) & (shared != NO_LINE).all(axis=1)
    if tied.any():
        variable[1 + own[tied]] = 1 + subset_ranks(shared[tied])
    return variable


def _renamed(clauses: Clauses, variable: NDArray[np.int64]) -> Clauses:
    """Return the same in other variables; those beyond the list keep their names."""
    names = np.abs(clauses)
    inside = names < len(variable)
    renamed = np.where(inside, variable[np.where(inside, names, 0)], names)
    return (np.sign(clauses) * renamed).astype(np.int32)
