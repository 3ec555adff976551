"""Keys or queries on the moment curve: orders in which every line changes few times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.checker import Proof
from samapprox.embedding import Embedding
from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.solvers.search import Search

__all__ = ["NAME", "applies", "changes", "embed_columns", "embed_rows", "find_proof"]

NAME = "orders"

_MOST_DEGREE = 40

Signs = NDArray[np.int8]
Order = NDArray[np.int64]


def applies(problem: Problem) -> str | None:
    """Why this strategy has nothing to say about the problem; None when it applies."""
    if problem.coupled:
        return "queries and keys share X"
    if problem.d > _MOST_DEGREE:
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
    for d = 2k, and a circular order with at most d changes does for even d. The orders tried are
    the given one, a spectral one, and what improves them by moving and reversing segments.

    References
    ----------
    Gale (1963), "Neighborly and cyclic polytopes"; Alon, Frankl, Rödl (1985) for sign changes.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("1000\n0100\n0010\n0001\n1010"), 4)
    >>> find_proof(problem, Search()).dimension
    4
    """
    entries = problem.pattern.to_array()
    signs = np.where(entries == UNSPECIFIED, 0, 2 * (entries == 1) - 1).astype(np.int8)
    fewest = signs.shape[1]
    for order in _orders(signs):
        order = _improved(signs, order, problem.d, search)
        fewest = min(fewest, int(changes(signs[:, order]).max()))
        if fewest <= problem.d:
            return embed_columns(signs, order, problem.d)
    with_extra = np.vstack([signs, np.ones((1, signs.shape[1]), dtype=np.int8)])
    for flip in (1, -1):
        twin = with_extra.T * np.append(np.full(len(signs), flip), 1).astype(np.int8)
        for order in _orders(twin[:, :-1]):
            order = np.append(order, len(signs))
            fewest = min(fewest, int(changes(twin[:, order]).max()))
            if fewest <= problem.d:
                return embed_rows(signs, order[:-1], flip, problem.d)
    return f"some line changes {fewest} times in the best order found"


def changes(signs: Signs) -> NDArray[np.int64]:
    """How often each row changes its sign from left to right; zeros take their left neighbour's.

    Examples
    --------
    >>> changes(np.array([[1, -1, -1, 1], [1, 0, 1, 0]], dtype=np.int8)).tolist()
    [2, 0]
    """
    return np.asarray((_filled(signs)[:, 1:] != _filled(signs)[:, :-1]).sum(axis=1))


def _filled(signs: Signs) -> Signs:
    """Zeros replaced by the last sign to the left, or the first one at all."""
    if signs.all():
        return signs
    places = np.where(signs != 0, np.arange(signs.shape[1]), -1)
    last = np.maximum.accumulate(places, axis=1)
    first = (signs != 0).argmax(axis=1)
    return np.take_along_axis(signs, np.where(last < 0, first[:, None], last), axis=1)


def embed_columns(signs: Signs, order: Order, d: int) -> Embedding:
    """Keys on the moment curve in this order, queries the polynomials that change as the rows do.

    Parameters
    ----------
    signs : ndarray of int8, shape (m, n)
        Each row with at most d changes in the order.
    order : ndarray of int64, shape (n,)
    d : int
    """
    count = signs.shape[1]
    filled = _filled(signs[:, order])
    t = np.empty(count, dtype=object)
    t[order] = [2 * place - count + 1 for place in range(count)]
    keys = np.stack([t**power for power in range(1, d + 1)], axis=1)
    queries, thresholds = [], []
    for row in filled:
        roots = [2 * place - count + 2 for place in np.flatnonzero(row[1:] != row[:-1]).tolist()]
        polynomial = [int(row[-1]) * c for c in _expand(roots)]  # constant term first
        polynomial += [0] * (d + 1 - len(polynomial))
        queries.append(polynomial[1:])
        thresholds.append(-polynomial[0])
    return Embedding(queries, keys, thresholds)


def embed_rows(signs: Signs, order: Order, flip: int, d: int) -> Embedding:
    """Queries on the moment curve in this order, keys monic polynomials of degree d.

    The extra query, positive on all keys, stands at the far end, where a polynomial has the sign of
    its leading coefficient; roots beyond the first query fill the degree up.

    Parameters
    ----------
    signs : ndarray of int8, shape (m, n)
        Each column, all signs times `flip` and followed by a +, with at most d changes.
    order : ndarray of int64, shape (m,)
    flip : {1, -1}
    d : int
    """
    count = len(signs)
    last = np.ones((signs.shape[1], 1), dtype=np.int8)
    filled = _filled(np.hstack([signs.T[:, order] * np.int8(flip), last]))
    t = np.empty(count, dtype=object)
    t[order] = [2 * place - count + 1 for place in range(count)]
    queries = np.stack([flip * t**power for power in range(d)], axis=1)
    keys = []
    for column in filled:
        places = np.flatnonzero(column[1:] != column[:-1]).tolist()
        roots = [2 * place - count + 2 for place in places]
        keys.append(_expand(roots + [-count - 1] * (d - len(roots)))[:-1])
    return Embedding(queries, keys, -flip * t**d)


def _expand(roots: list[int]) -> list[int]:
    """Coefficients of the monic polynomial with these roots, constant term first."""
    coefficients = [1]
    for root in roots:
        shifted = [0, *coefficients]
        coefficients = [a - root * b for a, b in zip(shifted, [*coefficients, 0], strict=True)]
    return coefficients


# ---------------------------------------------------------------- finding orders


def _orders(signs: Signs) -> list[Order]:
    """Orders of the columns to begin with: as given, and by the leading singular vectors."""
    count = signs.shape[1]
    orders = [np.arange(count)]
    if min(signs.shape) > 1 and signs.size <= _MOST_SPECTRAL:
        centred = signs - signs.mean(axis=1, keepdims=True)
        _, _, right = np.linalg.svd(centred, full_matrices=False)
        orders += [np.argsort(vector, kind="stable") for vector in right[:2]]
        if len(right) > 1:
            orders.append(np.argsort(np.arctan2(right[1], right[0]), kind="stable"))
    return orders


_MOST_SPECTRAL = 400_000
"""Entries of the largest pattern whose singular vectors are asked for."""

_MOST_IMPROVED = 60
"""Columns up to which an order is improved step by step."""


def _improved(signs: Signs, order: Order, d: int, search: Search) -> Order:
    """Move and reverse segments while that lowers the excess of changes over d."""
    if len(order) > _MOST_IMPROVED or not signs.all():
        return order

    def excess(candidate: Order) -> int:
        return int(np.maximum(changes(signs[:, candidate]) - d, 0).sum())

    best, rng = excess(order), np.random.RandomState(search.seed % (1 << 32))
    stale = 0
    while best and stale < 20 * len(order) and not search.out_of_time:
        low, high = sorted(rng.randint(0, len(order) + 1, size=2))
        if rng.randint(2):
            candidate = np.concatenate([order[:low], order[low:high][::-1], order[high:]])
        else:
            rest = np.concatenate([order[:low], order[high:]])
            place = rng.randint(0, len(rest) + 1)
            candidate = np.insert(rest, place, order[low:high])
        value = excess(candidate)
        stale = 0 if value < best else stale + 1
        if value <= best:
            order, best = candidate, value
    return order
