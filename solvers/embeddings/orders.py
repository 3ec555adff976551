"""Keys or queries on the moment curve: orders in which every line changes few times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.checks.orientation_clauses import sign_matrix
from samapprox.solvers.embeddings.circular_ones import circular_order
from samapprox.solvers.embeddings.moment_curve import MOST_DEGREE, changes, embed
from samapprox.solvers.scope import shared_tokens
from samapprox.solvers.search import Search
from samapprox.support.plural import plural

__all__ = ["NAME", "applies", "find_proof"]

NAME = "orders"

Signs = NDArray[np.int8]
Order = NDArray[np.int64]

_MOST_CIRCULAR = 2_000_000
_MOST_SPECTRAL = 400_000
"""Entries of the largest patterns for which such an order is computed."""


def applies(problem: Problem) -> str | None:
    """The reason why the strategy does not apply; None when it applies."""
    if problem.d > MOST_DEGREE:
        return f"polynomials of degree {problem.d} have too large numbers"
    return shared_tokens(problem)


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
    for d = 2k. The orders tried are the given one; for fully specified patterns that of the
    circular-ones property, which is found whenever there is one, and decides d >= 2; and spectral
    ones. Queries are taken as given, and all flipped. The cost is that of the singular vectors.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("1000\n0100\n0010\n0001\n1010"), 4)
    >>> find_proof(problem, Search()).dimension
    3
    """
    entries = problem.pattern.to_array()
    fewest = max(entries.shape)
    for orders in (_given, _circular, _spectral):
        for elements, turned in _SIDES:
            signs = sign_matrix(entries, elements)
            flips = np.full(signs.shape[1], turned, dtype=np.int8)
            flips[0] = 1  # row 0 is what the rows are turned against
            for order in orders(signs * flips):
                most = int(changes(signs[:, order] * flips[order]).max())
                if most <= problem.d:
                    return embed(signs, elements, order, flips)
                fewest = min(fewest, most)
            if search.out_of_time:
                return "no time left"
    return f"some line changes {plural(fewest, 'time')} in the best order found"


_SIDES: list[tuple[Side, int]] = [("columns", 1), ("rows", 1), ("rows", -1)]
"""Whose order, and the sign of all but the first."""


def _given(signs: Signs) -> list[Order]:
    """As it is."""
    return [np.arange(signs.shape[1])]


def _circular(signs: Signs) -> list[Order]:
    """An order in which no row changes more than twice, if there is one."""
    if signs.size > _MOST_CIRCULAR or not signs.all():
        return []
    order = circular_order(signs > 0)
    return [] if order is None else [order]


def _spectral(signs: Signs) -> list[Order]:
    """By each of the leading singular vectors, and by the angle that both give."""
    from threadpoolctl import threadpool_limits

    if min(signs.shape) < 2 or signs.size > _MOST_SPECTRAL:
        return []
    centred = signs - signs.mean(axis=1, keepdims=True)
    with threadpool_limits(1, user_api="blas"):  # small products: threads wait for each other
        _, _, (first, second, *_) = np.linalg.svd(centred, full_matrices=False)
    keys = (first, second, np.arctan2(second, first))
    return [np.argsort(key, kind="stable") for key in keys]
