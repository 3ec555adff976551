"""Exact embeddings from orders: one side on the moment curve, the other as polynomials.

In homogeneous form a pattern is a matrix of signs with a row 0 of +, and an embedding gives each
row and each column a vector in R^(d+1). Put the elements (columns, or rows with row 0) at
w_e = s_e (1, t_e, .., t_e^d), the t_e ascending in some order, each s_e = +1 or -1. A covector (a
row, or a column) is then a polynomial of degree d with the sign s_e A_ce at t_e: there is one iff
these signs change at most d times along the order. Row 0 is a covector like the others, or an
element like the others.

Moving the last element to the front, its sign multiplied by (-1)^d, changes nothing: the order is
circular.
"""

from __future__ import annotations

from itertools import count

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.base import Side
from samapprox.proofs.exact import ExactArray, exact_matmul
from samapprox.proofs.kinds.embedding import Embedding

__all__ = ["MOST_DEGREE", "changes", "embed"]

MOST_DEGREE = 40
"""Polynomials of larger degree have too large numbers."""

Signs = NDArray[np.int8]
Order = NDArray[np.int64]


def changes(signs: Signs) -> NDArray[np.int64]:
    """How often each row changes its sign from left to right; zeros take their left neighbour's.

    Examples
    --------
    >>> changes(np.array([[1, -1, -1, 1], [1, 0, 1, 0]], dtype=np.int8)).tolist()
    [2, 0]
    """
    filled = _filled(signs)
    return np.asarray((filled[:, 1:] != filled[:, :-1]).sum(axis=1))


def _filled(signs: Signs) -> Signs:
    """Zeros replaced by the last sign to the left, or the first one at all; + if there is none."""
    if signs.all():
        return signs
    places = np.where(signs != 0, np.arange(signs.shape[1]), -1)
    last = np.maximum.accumulate(places, axis=1)
    first = (signs != 0).argmax(axis=1)
    filled = np.take_along_axis(signs, np.where(last < 0, first[:, None], last), axis=1)
    return np.where(filled == 0, np.int8(1), filled)


def embed(signs: Signs, elements: Side, order: Order, flips: Signs) -> Embedding:
    r"""The embedding that an order of the elements and their signs on the moment curve give.

    Parameters
    ----------
    signs : ndarray of int8, shape (covectors, elements)
        `samapprox.proofs.checks.orientation_clauses.sign_matrix` of the pattern and the side.
    elements : {"columns", "rows"}
    order : ndarray of int64, shape (elements,)
        The elements as they stand along the curve.
    flips : ndarray of int8, shape (elements,)
        s_e, +1 or -1.

    Returns
    -------
    Embedding
        Of the dimension that the covectors' sign changes along the order ask for, at least 1.

    Notes
    -----
    Numbers of O(d log N) bits for N elements. Only columns of both signs need more: their keys
    are rational and get rounded, with the fewest bits in powers of two that keep all signs.

    References
    ----------
    Gale (1963), "Neighborly and cyclic polytopes"; Alon, Frankl, Rödl (1985), "Geometrical
    realization of set systems and probabilistic communication complexity", for sign changes.

    Examples
    --------
    >>> from samapprox.proofs.checks.orientation_clauses import sign_matrix
    >>> signs = sign_matrix(np.array([[0, 1, 0]], dtype=np.int8), "columns")
    >>> embedding = embed(signs, "columns", np.arange(3), np.ones(3, dtype=np.int8))
    >>> embedding.keys.tolist(), embedding.queries.tolist(), embedding.thresholds.tolist()
    ([[-2, 4], [0, 0], [2, 4]], [[0, -1]], [-1])
    """
    degree = max(1, int(changes(signs[:, order] * flips[order]).max()))
    if elements == "rows":
        order, flips = _row_0_last(order, flips, degree)
    size = len(order)
    ordered = _filled(signs[:, order] * flips[order])
    curve = np.empty((size, degree + 1), dtype=object)
    for place, element in enumerate(order.tolist()):
        t = 2 * place - size + 1
        curve[element] = [int(flips[element]) * t**power for power in range(degree + 1)]
    if elements == "columns":
        return _affine(np.array([_polynomial(row, degree) for row in ordered], dtype=object), curve)
    # Row 0 is at infinity, where a polynomial has the sign of its leading coefficient; roots before
    # the first element make all of them monic of full degree.
    curve[0] = [0] * degree + [1]
    return _affine(curve, np.array([_monic(row, degree) for row in ordered], dtype=object))


def _row_0_last(order: Order, flips: Signs, degree: int) -> tuple[Order, Signs]:
    """The same circular order, read so that row 0 comes last, and its sign is +."""
    after = int(np.flatnonzero(order == 0)[0]) + 1
    flips = flips.copy()
    flips[order[:after]] *= (-1) ** degree
    return np.roll(order, -after), flips * flips[0]


def _roots(signs: Signs) -> list[int]:
    """Halfway between the neighbours of unlike signs."""
    size = len(signs)
    return [2 * place - size + 2 for place in np.flatnonzero(signs[1:] != signs[:-1]).tolist()]


def _polynomial(signs: Signs, degree: int) -> list[int]:
    """Coefficients with these signs along the curve, constant term first, leading one 1 or -1."""
    coefficients = [int(signs[-1]) * c for c in _expand(_roots(signs))]
    return coefficients + [0] * (degree + 1 - len(coefficients))


def _monic(signs: Signs, degree: int) -> list[int]:
    """Coefficients of full degree with these signs along the curve, the last one +."""
    roots = _roots(signs)
    return _expand(roots + [-len(signs)] * (degree - len(roots)))


def _expand(roots: list[int]) -> list[int]:
    """Coefficients of the monic polynomial with these roots, constant term first."""
    coefficients = [1]
    for root in roots:
        shifted = [0, *coefficients]
        coefficients = [a - root * b for a, b in zip(shifted, [*coefficients, 0], strict=True)]
    return coefficients


def _affine(U: ExactArray, V: ExactArray) -> Embedding:
    """Queries, keys and thresholds with the signs of U V^T, whose row 0 is positive.

    The last coordinate in which row 0 is not 0, there 1 or -1, gives way to the product with row 0;
    then every key is scaled to have a 1 in it.
    """
    axis = int(np.flatnonzero(U[0])[-1])
    heights = V @ U[0]
    slopes = U[1:, axis] * U[0, axis]
    queries = np.delete(U[1:] - slopes[:, None] * U[0], axis, axis=1)
    keys = np.delete(V, axis, axis=1)
    if (heights == 1).all():
        return Embedding(queries, keys, -slopes)
    wanted = exact_matmul(U[1:], V.T) > 0
    for exponent in count(1):
        scale = 1 << (1 << exponent)
        rounded = (2 * scale * keys + heights[:, None]) // (2 * heights[:, None])
        if ((exact_matmul(queries, rounded.T) > -scale * slopes[:, None]) == wanted).all():
            break
    return Embedding(queries, rounded, -scale * slopes)
