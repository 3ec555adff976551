"""Exact embeddings from orders: one side on the moment curve, the other as polynomials.

Put the elements (columns, or rows with row 0; see `samapprox.proofs.embeddings.covectors`) at
w_e = s_e (1, t_e, .., t_e^d), the t_e ascending in some order, each s_e = +1 or -1. A covector is
then a polynomial of degree d with the sign s_e A_ce at t_e: there is one iff these signs change at
most d times along the order. Row 0 is a covector like the others, or an element like the others.

Moving the last element to the front, its sign multiplied by (-1)^d, changes nothing: the order is
circular.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.proofs.base import Side
from samapprox.proofs.embeddings.covectors import Changes, Covectors
from samapprox.proofs.exact import ExactArray, exact_matmul, require_writable

if TYPE_CHECKING:
    from samapprox.pattern import Pattern

__all__ = ["Numbers", "embed"]

Numbers = tuple[ExactArray, ExactArray, ExactArray]
"""Queries, keys and thresholds."""

Order = NDArray[np.int64]
Signs = NDArray[np.int8]

_MOST_ROUNDED = 1 << 22
"""Logits that are computed, mostly in long integers, to round keys of both signs."""


def embed(pattern: Pattern, elements: Side, order: Order, flips: Signs) -> Numbers:
    """Compute queries, keys and thresholds from an order of signed elements on the moment curve.

    `order` (shape (elements,)): a permutation: the elements as they stand along the curve. `flips`
    (shape (elements,)): s_e, +1 or -1. The result are queries, keys and thresholds of the dimension
    that the covectors' sign changes along the order ask for, at least 1.

    Numbers of O(d log N) bits for N elements. Only columns of both signs need more: their keys
    are rational and get rounded, with the fewest bits in powers of two that keep all signs.

    Reference: Gale (1963), "Neighborly and cyclic polytopes"; Alon, Frankl, Rödl (1985),
    "Geometrical realization of set systems and probabilistic communication complexity", for sign
    changes.
    """
    covectors = Covectors(pattern, elements)
    degree = max(1, int(covectors.count_changes(order, flips).max()))
    vectors = sum(pattern.shape) + 1
    length = degree * (len(order).bit_length() + 2)  # bits of a power or coefficient, at most
    require_writable(vectors * (degree + 1), vectors * (degree + 1) * length)
    kind = np.int64 if 2 * length < 60 else object  # products of two of them are computed below
    if elements == "rows":
        order, flips = _row_0_last(order, flips, degree)
    changes = _join(covectors.blocks_of_changes(order, flips))
    # Neighbours between which nothing changes stand at one point.
    apart = np.unique(changes.places)
    size = len(apart) + 1
    points = 2 * np.searchsorted(apart, np.arange(len(order))).astype(kind) - (size - 1)
    curve = np.empty((len(order), degree + 1), dtype=kind)
    for power in range(degree + 1):
        curve[order, power] = flips[order] * points**power
    roots = 2 * np.searchsorted(apart, changes.places) - (size - 2)
    if elements == "columns":
        polynomials = _expand(_spread(roots, changes.counts, degree, 0, kind), changes.counts)
        return _affine(polynomials * changes.last.astype(kind)[:, None], curve, pattern)
    # Row 0 is at infinity, where a polynomial has the sign of its leading coefficient; roots before
    # the first element make all of them monic of full degree.
    curve[0] = [0] * degree + [1]
    full = np.full(covectors.count, degree)
    monic = _expand(_spread(roots, changes.counts, degree, -size, kind), full)
    return _affine(curve, monic, pattern)


def _row_0_last(order: Order, flips: Signs, degree: int) -> tuple[Order, Signs]:
    """Return the same circular order, read so that row 0 comes last, and its sign is +."""
    after = int(np.flatnonzero(order == 0)[0]) + 1
    flips = flips.copy()
    flips[order[:after]] *= (-1) ** degree
    return np.roll(order, -after), flips * flips[0]


def _join(blocks: Iterable[Changes]) -> Changes:
    """Return the changes of all covectors."""
    parts = [(block.counts, block.places, block.last) for block in blocks]
    return Changes(*map(np.concatenate, zip(*parts, strict=True)))


def _spread(
    roots: NDArray[np.int64], counts: NDArray[np.int64], degree: int, outside: int, kind: type
) -> ExactArray:
    """Return the roots of each polynomial as a row of `degree` numbers, padded by `outside`."""
    spread: ExactArray = np.full((len(counts), degree), outside, dtype=kind)
    spread[np.arange(degree) < counts[:, None]] = roots
    return spread


def _expand(roots: ExactArray, counts: NDArray[np.int64]) -> ExactArray:
    """Expand monic polynomials from the first so many roots, constant term first."""
    coefficients = np.zeros((len(roots), roots.shape[1] + 1), dtype=roots.dtype)
    coefficients[:, 0] = 1
    for number, root in enumerate(roots.T):
        times = coefficients * -root[:, None]
        times[:, 1:] += coefficients[:, :-1]
        coefficients = np.where((number < counts)[:, None], times, coefficients)
    return coefficients


def _affine(U: ExactArray, V: ExactArray, pattern: Pattern) -> Numbers:
    """Return queries, keys and thresholds with the signs of U V^T, whose row 0 is positive.

    The last coordinate in which row 0 is not 0, there 1 or -1, gives way to the product with row 0;
    then every key is scaled to have a 1 in it.
    """
    axis = int(np.flatnonzero(U[0])[-1])
    heights = exact_matmul(V, U[0])
    slopes = U[1:, axis] * U[0, axis]
    queries = np.delete(U[1:] - slopes[:, None] * U[0], axis, axis=1)
    keys = np.delete(V, axis, axis=1)
    if (heights == 1).all():
        return queries, keys, -slopes
    rows, columns = pattern.shape
    if rows * columns > _MOST_ROUNDED:
        raise InputError(
            f"keys of both signs have to be rounded, which {rows} x {columns} logits are too many "
            "for; the certificate proves the answer without numbers"
        )
    wanted = exact_matmul(U[1:], V.T) > 0
    for exponent in count(1):
        scale = 1 << (1 << exponent)
        rounded = (2 * scale * keys.astype(object) + heights[:, None]) // (2 * heights[:, None])
        if ((exact_matmul(queries, rounded.T) > -scale * slopes[:, None]) == wanted).all():
            break
    return queries, rounded, -scale * slopes.astype(object)
