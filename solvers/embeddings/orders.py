"""Keys or queries on the moment curve: orders along which every line changes few times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.covectors import Covectors
from samapprox.proofs.kinds.moment_curve import MomentCurve
from samapprox.solvers.embeddings.candidate_orders import candidate_orders, is_small
from samapprox.solvers.engine.search import Search, shared_tokens
from samapprox.storage.sparse import SparseMatrix
from samapprox.support.plural import plural

__all__ = ["NAME", "any_order", "applies", "find_proof"]

NAME = "orders"

Signs = NDArray[np.int8]
Order = NDArray[np.int64]

_SECONDS_A_ONE, _SECONDS_AN_ENTRY = 1.5e-7, 4e-8
"""For one order of a sparse pattern, and of one that is written out, with all its signs."""

_ORDERS = 3
"""Orders that are tried even where that takes longer than a turn."""


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    return shared_tokens(problem)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Look for an order of the keys (or queries) in which no row (column) changes over d times.

    A row with k ones changes at most 2k times in any order, so k ones a row (or zeros) always do
    for d = 2k. For the orders that are tried see `candidate_orders`; that of the circular-ones
    property decides d >= 2 for orders without signs. The signs are all +; opposite to row 0; and
    such that most lines stay the same from one element to the next.

    Each order costs O(k log k + m + n) for a sparse pattern of k ones, O(m n) else. As many as fit
    into the turn are tried; where it is too short for the first few, they take what they need; and
    where there is no time for one, any order is the answer for d = 2k, which its check confirms.
    """
    pattern = problem.pattern
    least = _ORDERS if _by_ones(pattern) else 1  # searches do better where the ones are many
    if (seconds := _seconds_an_order(pattern)) > search.remaining / least:
        search = search.extend(least * seconds)
    rows, columns = pattern.shape
    if seconds > search.remaining:
        certain = any_order(pattern)
        if certain.d < min(rows, columns - 1):
            return certain
        return f"one order of {rows} x {columns} would take {seconds:.1f} s"
    best: MomentCurve | None = None
    for side in _sides(pattern):
        covectors = Covectors(pattern, side)
        for order in candidate_orders(covectors, search):
            for flips in _signs(covectors, order):
                most = max(1, int(covectors.count_changes(order, flips).max()))
                if best is None or most < best.d:
                    best = MomentCurve(most, side, order, np.flatnonzero(flips < 0))
                    if most <= problem.d:
                        return best
                if search.remaining < seconds:  # for other signs
                    break
            if search.out_of_time:
                break
        if search.out_of_time:
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
    in_row, in_column = _most_ones(pattern)
    if in_row <= in_column:
        return MomentCurve(2 * in_row, "columns", np.arange(columns))
    # Row 0 is flipped: what is + there would add a change.
    return MomentCurve(2 * in_column, "rows", np.arange(rows + 1), [0])


def _by_ones(pattern: Pattern) -> bool:
    """Return whether changes are counted by the ones alone."""
    return isinstance(pattern.ones, SparseMatrix) and pattern.is_specified


def _seconds_an_order(pattern: Pattern) -> float:
    if _by_ones(pattern):
        return _SECONDS_A_ONE * (pattern.count + sum(pattern.shape))
    return _SECONDS_AN_ENTRY * pattern.shape[0] * pattern.shape[1]


def _sides(pattern: Pattern) -> list[Side]:
    """Return both sides to order, the one with fewer certain changes first."""
    in_row, in_column = _most_ones(pattern)
    return ["columns", "rows"] if 2 * in_row <= 2 * in_column + 1 else ["rows", "columns"]


def _most_ones(pattern: Pattern) -> tuple[int, int]:
    """Count the ones of the fullest row and of the fullest column."""
    ones, in_column = pattern.ones, np.zeros(pattern.shape[1], dtype=np.int64)
    if isinstance(ones, SparseMatrix):
        for indices in ones.indices():
            in_column += np.bincount(indices, minlength=len(in_column))
    else:
        for _, block in ones.blocks():
            in_column += np.count_nonzero(block, axis=0)
    return int(ones.row_counts.max()), int(in_column.max())


def _signs(covectors: Covectors, order: Order) -> Iterator[Signs]:
    """Signs of the elements: all +, opposite to row 0, and those with the fewest changes in all."""
    plain = np.ones(covectors.size, dtype=np.int8)
    yield plain
    opposite = -plain
    if covectors.has_extra_element:
        opposite[0] = 1
        yield opposite
    if is_small(covectors):
        return
    turns = np.where(covectors.agreements(order) < 0, -1, 1)
    cheapest = np.empty(covectors.size, dtype=np.int8)
    cheapest[order] = np.cumprod(np.concatenate(([1], turns)))
    cheapest *= cheapest[0]
    if not (cheapest == plain).all() and not (cheapest == opposite).all():
        yield cheapest
