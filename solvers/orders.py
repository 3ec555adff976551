"""Keys or queries on the moment curve: orders in which every line changes few times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.checker import Proof
from samapprox.chirotope import sign_matrix
from samapprox.obstruction import Side
from samapprox.problem import Problem
from samapprox.solvers.circular_ones import circular_order
from samapprox.solvers.moment_curve import MOST_DEGREE, changes, embed
from samapprox.solvers.search import Search

__all__ = ["NAME", "applies", "find_proof"]

NAME = "orders"

Signs = NDArray[np.int8]
Order = NDArray[np.int64]

_MOST_CIRCULAR = 2_000_000
_MOST_SPECTRAL = 400_000
"""Entries of the largest patterns for which such an order is computed."""


def applies(problem: Problem) -> str | None:
    """Why this strategy has nothing to say about the problem; None when it applies."""
    if problem.coupled:
        return "queries and keys share X"
    if problem.d > MOST_DEGREE:
        return f"polynomials of degree {problem.d} have too large numbers"
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Look for an order of the keys (or queries) in which no row (column) changes over d times.

    Parameters
    ----------
    problem : Problem
    search : Search

    Returns
    -------
    Proof or str
        Keys (t, t^2, .., t^d) and polynomials with a root at every change; or the like on queries.

    Notes
    -----
    A row with k ones changes at most 2k times in any order, so k ones a row (or zeros) always do
    for d = 2k. The orders tried are the given one; spectral ones; and, for fully specified patterns
    and d >= 2, the circular one of the circular-ones property, which is found whenever there is
    one. Queries are taken as given, and all flipped. The cost is that of the singular vectors.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("1000\n0100\n0010\n0001\n1010"), 4)
    >>> find_proof(problem, Search()).dimension
    3
    """
    entries = problem.pattern.to_array()
    fewest = max(entries.shape)
    tries: list[tuple[Side, int]] = [("columns", 1), ("rows", 1), ("rows", -1)]
    for elements, turned in tries:
        signs = sign_matrix(entries, elements)
        flips = np.full(signs.shape[1], turned, dtype=np.int8)
        flips[0] = 1  # row 0 is what the rows are turned against
        for order in _orders(signs * flips, problem.d):
            most = int(changes(signs[:, order] * flips[order]).max())
            if most <= problem.d:
                return embed(signs, elements, order, flips)
            fewest = min(fewest, most)
            if search.out_of_time:
                break
    return f"some line changes {fewest} times in the best order found"


def _orders(signs: Signs, d: int) -> Iterator[Order]:
    """Orders of the columns: as given, by the leading singular vectors, the circular one."""
    yield np.arange(signs.shape[1])
    if d >= 2 and signs.size <= _MOST_CIRCULAR and signs.all():
        circular = circular_order(signs > 0)
        if circular is not None:
            yield circular
    if min(signs.shape) > 1 and signs.size <= _MOST_SPECTRAL:
        centred = signs - signs.mean(axis=1, keepdims=True)
        _, _, right = np.linalg.svd(centred, full_matrices=False)
        yield from (np.argsort(vector, kind="stable") for vector in right[:2])
        yield np.argsort(np.arctan2(right[1], right[0]), kind="stable")
