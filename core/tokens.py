"""The clauses that hold where queries and keys share X.

Let x_1, .., x_n in R^h be tokens, B an h x h matrix of any rank and t_i thresholds, with x_i B x_j
above t_i where S_ij = 1 and below where S_ij = 0. In R^(h+1) there are two configurations:

* the *keys* c_j = (x_j, 1) and the origin c_0 = (0, 1). Row i is the covector of (x_i B, -t_i):
  S_ij on c_j, and on c_0 the sign s_i of -t_i, which nobody knows. That of (0, 1) is all +;
* the *queries* a_i = (x_i, -t_i) and a_0 = (0, 1). Column j is the covector of (B x_j, 1): S_ij on
  a_i, + on a_0. That of (0, 1) is s_i on a_i, + on a_0.

Both chirotopes are (-1)^h det(x_j : j in T) on 0 and T: there they agree. All signs are strict, so
X and t may be moved to general position; and a reflection of X turns both round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.chirotope import (
    Clauses,
    Signs,
    circuit_kinds,
    kind_clauses,
    relation_clauses,
    subset_ranks,
    subsets_of,
)
from samapprox.pattern import UNSPECIFIED

__all__ = ["NOBODY", "TokenClauses", "most_token_clauses", "token_clauses", "token_variables"]

NOBODY = -1
"""In `TokenClauses.lines`: no line of the core."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenClauses:
    """Clauses of one length, and the lines of the core that each of them is about.

    Attributes
    ----------
    clauses : ndarray of int32, shape (count, length)
    lines : ndarray of int64, shape (count, lines)
        Rows 0..m - 1, columns m..m + n - 1, or `NOBODY`.
    """

    clauses: Clauses
    lines: NDArray[np.int64]


def token_variables(rows: Sequence[int], columns: Sequence[int], rank: int) -> int:
    """How many numbers variables may have: orientations of keys and of queries, then the s_i.

    Examples
    --------
    >>> token_variables([0, 1, 2], [0, 1, 2], 3)
    11
    """
    return comb(len(columns) + 1, rank) + comb(len(rows) + 1, rank) + len(rows)


def most_token_clauses(rows: int, columns: int, rank: int, *, relations: bool) -> int:
    """How many clauses there can be at most, before any is built.

    Examples
    --------
    >>> most_token_clauses(5, 5, 3, relations=False)
    880
    """
    most = 2 * (rows + 1) * comb(columns + 1, rank + 1) + 4 * rows * comb(columns, rank)
    most += 2 * (columns + 1) * comb(rows + 1, rank + 1)
    most += (2 << rank) * (2 * comb(rows, rank + 1) + comb(rows, rank))
    if relations:
        for size in (rows + 1, columns + 1):
            most += 16 * comb(size, rank + 2) * comb(rank + 2, 4)
    return most


def token_clauses(
    entries: NDArray[np.int8],
    rows: Sequence[int],
    columns: Sequence[int],
    rank: int,
    *,
    relations: bool,
) -> Iterator[TokenClauses]:
    """The clauses of a core, in blocks.

    Parameters
    ----------
    entries : ndarray of int8, shape (m, n)
        The core: 1, 0 and -1 for *.
    rows, columns : sequence of int
        The tokens that its rows and columns are, ascending: a token that is both ties the two
        chirotopes together.
    rank : int
        d_hid + 1.
    relations : bool
        Whether to add the Grassmann-Pluecker relations of both chirotopes; they are about nobody.

    Notes
    -----
    O(m n^(r+1) + n m^(r+1)) clauses for rank r, two for each covector and r + 1 elements; 2^r times
    as many for the signs that nobody knows.

    Examples
    --------
    One dimension, three tokens: each alone prefers itself.

    >>> blocks = token_clauses(np.eye(3, dtype=np.int8), [0, 1, 2], [0, 1, 2], 2, relations=False)
    >>> sum(len(block.clauses) for block in blocks)
    114
    """
    signs = np.where(entries == UNSPECIFIED, 0, 2 * (entries == 1) - 1).astype(np.int8)
    m, n = signs.shape
    of_row, of_column = np.arange(m), m + np.arange(n)
    variable = _query_variables(rows, columns, rank)
    unknown = comb(n + 1, rank) + comb(m + 1, rank) + 1 + of_row
    keys, queries = np.append(NOBODY, of_column), np.append(NOBODY, of_row)

    yield _known(np.ones(n + 1, dtype=np.int8), NOBODY, keys, rank)
    for row in range(m):
        yield _known(np.append(np.int8(0), signs[row]), int(of_row[row]), keys, rank)
        for sign in (1, -1):
            block = _known(np.append(np.int8(sign), signs[row]), int(of_row[row]), keys, rank)
            origin = block.lines[:, 1] == NOBODY  # element 0 comes first
            given = np.full((int(origin.sum()), 1), -sign * unknown[row], dtype=np.int32)
            yield TokenClauses(np.hstack([block.clauses[origin], given]), block.lines[origin])
    for column in range(n):
        covector = np.append(np.int8(1), signs[:, column])
        block = _known(covector, int(of_column[column]), queries, rank)
        yield TokenClauses(_renamed(block.clauses, variable), block.lines)
    for block in _of_the_origin(queries, unknown, rank):
        yield TokenClauses(_renamed(block.clauses, variable), block.lines)
    if relations:
        for size, names in ((n + 1, None), (m + 1, variable)):
            if size >= rank + 2:
                clauses = relation_clauses(size, rank)
                clauses = clauses if names is None else _renamed(clauses, names)
                yield TokenClauses(clauses, np.full((len(clauses), 1), NOBODY))


def _known(covector: Signs, line: int, elements: NDArray[np.int64], rank: int) -> TokenClauses:
    """What one covector forbids; its own line stands first, then those of the elements."""
    subsets, codes = circuit_kinds(covector[None, :], rank)
    lines = np.column_stack([np.full(len(subsets), line), elements[subsets]])
    return TokenClauses(kind_clauses(subsets, codes), np.vstack([lines, lines]))


def _of_the_origin(
    elements: NDArray[np.int64], unknown: NDArray[np.int64], rank: int
) -> Iterator[TokenClauses]:
    """What the key at the origin forbids: + on element 0, else the signs that nobody knows."""
    subsets = subsets_of(len(elements), rank + 1)
    for first in (0, 1):  # element 0 in the subset, or not
        chosen = subsets[(subsets[:, 0] == 0) == (first == 0)]
        guessed = chosen[:, 1 - first :] - 1
        for guess in product((1, -1), repeat=guessed.shape[1]):
            signs = np.array(guess) if first else np.array([1, *guess])
            codes = np.full(len(chosen), (signs[1:] != signs[0]) @ (1 << np.arange(rank)))
            given = -np.array(guess) * unknown[guessed]
            clauses = np.hstack([kind_clauses(chosen, codes), np.vstack([given, given])])
            lines = elements[chosen]
            yield TokenClauses(clauses.astype(np.int32), np.vstack([lines, lines]))


def _query_variables(rows: Sequence[int], columns: Sequence[int], rank: int) -> NDArray[np.int64]:
    """The variable of each orientation of queries; the keys' where it is one of keys too."""
    subsets = subsets_of(len(rows) + 1, rank)
    own = subset_ranks(subsets)
    offset = comb(len(columns) + 1, rank) + 1
    variable = np.zeros(len(subsets) + 1, dtype=np.int64)
    variable[1 + own] = offset + own
    place = {token: 1 + at for at, token in enumerate(columns)}
    at_column = np.array([0, *(place.get(token, NOBODY) for token in rows)])
    shared = at_column[subsets]
    tied = (subsets[:, 0] == 0) & (shared != NOBODY).all(axis=1)
    if tied.any():
        variable[1 + own[tied]] = 1 + subset_ranks(shared[tied])
    return variable


def _renamed(clauses: Clauses, variable: NDArray[np.int64]) -> Clauses:
    """The same in other variables; those beyond the list keep their names."""
    names = np.abs(clauses)
    inside = names < len(variable)
    renamed = np.where(inside, variable[np.where(inside, names, 0)], names)
    return (np.sign(clauses) * renamed).astype(np.int32)
