"""Columns that the rows split in too many ways, or rows with all kinds of columns.

Points of R^d can be split by halfspaces in fewer ways than there are subsets: see `room`. So d + 2
columns that are split in every way refute d (Radon's theorem), and so do more columns with more
splits than R^d allows. By duality, d + 1 rows with columns of all 2^(d + 1) kinds do, too.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.refutations.counting import Counting
from samapprox.proofs.refutations.radon import Radon
from samapprox.proofs.refutations.shattering import Shattering
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.dense_blocks import on_excerpt

__all__ = ["NAME", "applies", "find_proof", "room"]

NAME = "counting"

Entries = NDArray[np.int8]
Codes = NDArray[np.int64]

_STARTS = 12  # sets that grow on each side, from different elements
_WIDEST = 6  # columns beyond d + 2 that one attempt may take
_MOST_DIMENSIONS = 24  # in more dimensions there are too many splits to count
_MOST_ENTRIES = 1_000_000  # larger patterns are not looked at as a whole


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d > _MOST_DIMENSIONS:
        return f"there are too many ways to split {problem.d + 2} columns"
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Grow sets of columns, then of rows, with more splits than dimension d allows.

    Greedy: each step adds the column that raises the number of splits most, O(m n log m). A row
    with a don't-care on the chosen columns does not count.
    """
    return on_excerpt(problem, search, _MOST_ENTRIES, _find)


def _find(problem: Problem, search: Search) -> Proof | str:
    entries = problem.pattern.to_array()
    rng = np.random.RandomState(search.seed % (1 << 32))
    sides: tuple[Side, ...] = ("columns", "rows")
    for start in range(_STARTS):
        for of in sides:
            matrix = entries if of == "columns" else entries.T
            chosen = _grow(matrix, problem.d, of, rng, search, first=start == 0)
            if chosen is not None:
                return _build_proof(matrix, problem.d, chosen, of)
            if search.out_of_time:
                return "no time left"
    return "no set of columns or rows that it tried is split in too many ways"


def room(count: int, d: int) -> int:
    """Return the most ways to split `count` points of R^d, the trivial split included."""
    return sum(comb(count - 1, i) for i in range(d + 1))


def _count_wanted(count: int, d: int, of: Side) -> int:
    """Return the number of splits (kinds of columns) on `count` lines that is too many for R^d."""
    return room(count, d) + 1 if of == "columns" else 1 << count


def _list_sizes(d: int, of: Side) -> range:
    """Return the numbers of columns, or of rows, that may have too many kinds."""
    return range(d + 2, d + 3 + _WIDEST) if of == "columns" else range(d + 1, d + 2)


def _grow(
    matrix: Entries,
    d: int,
    of: Side,
    rng: np.random.RandomState,
    search: Search,
    *,
    first: bool,
) -> list[int] | None:
    """Grow columns of the matrix on which its rows make too many splits."""
    count, sizes = matrix.shape[1], _list_sizes(d, of)
    if count < sizes[0]:
        return None
    chosen = [int((matrix == 1).sum(axis=0).argmax()) if first else int(rng.randint(count))]
    rest = [j for j in rng.permutation(count).tolist() if j != chosen[0]]
    codes = _encode(matrix, chosen, of)
    while rest and len(chosen) < sizes[-1] and not search.out_of_time:
        options = _extend(codes[:, None], matrix, chosen[0], rest, of)
        shown = _count_shown(options, of)
        best = int(shown.argmax())
        codes = options[:, best]
        chosen.append(rest.pop(best))
        if len(chosen) in sizes and shown[best] >= _count_wanted(len(chosen), d, of):
            return chosen
    return None


def _encode(matrix: Entries, chosen: list[int], of: Side) -> Codes:
    """Return a number for what each row shows on the chosen columns; -1 where it holds a *.

    What counts of a column is the entry itself, or for splits whether it equals the first one.
    """
    head = matrix[:, chosen[0]].astype(np.int64)
    codes = np.where(head == UNSPECIFIED, -1, 0 if of == "columns" else head)
    for column in chosen[1:]:
        codes = _extend(codes[:, None], matrix, chosen[0], [column], of)[:, 0]
    return codes


def _extend(codes: Codes, matrix: Entries, head: int, columns: list[int], of: Side) -> Codes:
    """Return the codes with each of some columns added, one option a column."""
    entries = matrix[:, columns]
    bits = entries != matrix[:, [head]] if of == "columns" else entries == 1
    return np.where((codes < 0) | (entries == UNSPECIFIED), -1, 2 * codes + bits)


def _count_shown(codes: Codes, of: Side) -> NDArray[np.int64]:
    """Count the kinds of each option; for splits, the trivial one (code 0) always counts."""
    ascending = np.sort(codes, axis=0)
    first = np.ones(ascending.shape, dtype=np.bool_)
    first[1:] = ascending[1:] != ascending[:-1]
    kinds = (first & (ascending >= (1 if of == "columns" else 0))).sum(axis=0)
    return np.asarray(kinds + (of == "columns"))


def _build_proof(matrix: Entries, d: int, chosen: list[int], of: Side) -> Proof:
    """Return the fewest columns of the found ones, and one row for each kind that is needed."""
    for candidate in list(chosen):
        fewer = [j for j in chosen if j != candidate]
        if len(fewer) not in _list_sizes(d, of):
            continue
        shown = _count_shown(_encode(matrix, fewer, of)[:, None], of)[0]
        if shown >= _count_wanted(len(fewer), d, of):
            chosen = fewer
    kinds, where = np.unique(_encode(matrix, chosen, of), return_index=True)
    where = where[kinds >= (1 if of == "columns" else 0)]
    needed = _count_wanted(len(chosen), d, of) - (of == "columns")
    others, chosen = np.sort(where[:needed]).tolist(), sorted(chosen)
    if of == "rows":
        return Shattering(chosen, others)
    return Radon(others, chosen) if len(chosen) == d + 2 else Counting(d, others, chosen)
