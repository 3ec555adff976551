"""Who is furthest among keys that rounding cannot tell apart: the exact last word."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["furthest_exactly", "rounding_bound"]

Numbers = NDArray[Any]
Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_ENTRIES = 1 << 21  # of a matrix in memory at once
_LIMB = 20
_LIMBS = 3
"""Differences below 2^60 as three limbs of 20 bits: sums of their products stay within int64."""


def rounding_bound(half: Floats, largest: float, d: int, kind: type[np.floating[Any]]) -> Floats:
    """How far computed scores can be from the true ones, whatever the order of summation.

    Parameters
    ----------
    half : ndarray of float64, shape (m,)
        |q|^2 / 2 of every query.
    largest : float
        The greatest |k|^2 / 2 of a key.
    d : int
        At most `samapprox.vectors.MOST_COORDINATES`.
    kind : type
        np.float32 or np.float64: what is computed in.

    Notes
    -----
    A score is a sum of d + 2 terms, rounded or not: it is off by at most g(d + 2) times the sum of
    their sizes, |q|^2 / 2 + |k|^2 / 2 + sum |q_i k_i|, at most |q|^2 + |k|^2; here g(r) is
    r u / (1 - r u). The halves are computed in float64: off by two units of float32 at most, or by
    g(d) of float64. Products too small to be normal numbers add one of the smallest each.

    References
    ----------
    N. Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1.

    Examples
    --------
    >>> float(rounding_bound(np.array([0.5]), 0.5, 64, np.float32)[0])
    7.98...e-06
    """
    limits = np.finfo(kind)
    unit, smallest = float(limits.eps) / 2, float(limits.smallest_subnormal)

    def g(roundings: int) -> float:
        return roundings * unit / (1 - roundings * unit)

    halves = 2 * unit if kind is np.float32 else g(d)
    share = 2 * g(d + 2) + halves
    return np.asarray(1.001 * (share * (half + largest) + 8 * (d + 4) * smallest))


def furthest_exactly(queries: Numbers, keys: Numbers, rows: Indices, own: bool) -> Indices:
    """The furthest keys of some queries, as if computed with real numbers; ties to the least index.

    Parameters
    ----------
    queries, keys : ndarray of float, shapes (m, d), (n, d)
    rows : ndarray of int64
        The queries in question.
    own : bool
        Queries and keys are the same, and none is an answer to itself.

    Notes
    -----
    O(n d) a query for scores in float64, and O(d) more for every key whose score comes within the
    rounding error of the least; O(n) memory beside a copy of some keys.
    """
    d = keys.shape[1]
    exponent = _exponent(queries, keys)
    step = max(1, _ENTRIES // len(keys))
    answers = np.empty(len(rows), dtype=np.int64)
    for start in range(0, len(rows), step):
        chosen = rows[start : start + step]
        left = _scaled(queries[chosen], exponent)
        scores, largest = _scores(left, keys, exponent)
        bound = rounding_bound(_halves(left), largest, d, np.float64)
        if own:
            scores[np.arange(len(chosen)), chosen] = np.inf
        within = scores <= (scores.min(axis=1) + 2 * bound)[:, None]
        place, key = np.nonzero(within)
        answers[start : start + step] = _furthest_of(queries, keys, chosen, place, key)
    return answers


def _exponent(*sets: Numbers) -> int:
    """The power of two above all entries."""
    return int(np.frexp(max(float(np.abs(vectors).max()) for vectors in sets))[1])


def _scaled(vectors: Numbers, exponent: int) -> Floats:
    """In float64, over a power of two where their squares might leave the range."""
    wide = vectors.astype(np.float64)
    return wide if abs(exponent) < 200 else np.asarray(np.ldexp(wide, -exponent))


def _slices(count: int, d: int) -> Iterator[slice]:
    """So many vectors, some at a time: their copies stay small."""
    step = max(1, _ENTRIES // d)
    return (slice(start, start + step) for start in range(0, count, step))


def _halves(vectors: Floats) -> Floats:
    """|v|^2 / 2 of all."""
    return np.asarray(np.einsum("nd,nd->n", vectors, vectors) / 2)


def _scores(queries: Floats, keys: Numbers, exponent: int) -> tuple[Floats, float]:
    """q.k - |k|^2 / 2 for all (the less, the further), and the largest |k|^2 / 2."""
    scores = np.empty((len(queries), len(keys)))
    largest = 0.0
    for block in _slices(*keys.shape):
        part = _scaled(keys[block], exponent)
        half = _halves(part)
        scores[:, block] = queries @ part.T
        scores[:, block] -= half
        largest = max(largest, float(half.max()))
    return scores, largest


def _furthest_of(
    queries: Numbers, keys: Numbers, rows: Indices, place: Indices, key: Indices
) -> Indices:
    """Among candidates ``(place, key)``, in order, the furthest key of each row."""
    first = np.searchsorted(place, np.arange(len(rows)))
    answers = key[first]
    apart = np.concatenate(
        [
            (keys[key[part]] != keys[answers[place[part]]]).any(axis=1)
            for part in _slices(len(key), keys.shape[1])
        ]
    )
    contested = np.isin(place, place[apart])
    apart[first] = True  # of equal keys the first will do
    place, key = place[apart & contested], key[apart & contested]
    if len(place):
        distances = _squared_distances(queries, keys, rows[place], key)
        order = np.lexsort((key, *(-distances), place))
        winners = order[np.flatnonzero(np.diff(place[order], prepend=-1))]
        answers[place[winners]] = key[winners]
    return answers


def _squared_distances(queries: Numbers, keys: Numbers, row: Indices, key: Indices) -> Indices:
    """|q - k|^2 of pairs, in units that are not said, as digits of which the last counts most."""
    used = np.unique(row), np.unique(key)
    exponent = _exponent(queries[used[0]], keys[used[1]])
    parts = []
    for part in _slices(len(key), keys.shape[1]):
        left, right = _whole(queries[row[part]], exponent), _whole(keys[key[part]], exponent)
        if left is None or right is None:
            return _ranks([_fraction(queries[i], keys[j]) for i, j in zip(row, key, strict=True)])
        parts.append(_sum_of_squares(np.abs(left - right)))
    return np.concatenate(parts, axis=1)


def _whole(vectors: Numbers, exponent: int) -> Indices | None:
    """The vectors as whole numbers below 2^59, if they are such multiples of a power of two."""
    shift = _LIMB * _LIMBS - 1 - exponent
    with np.errstate(over="ignore"):
        whole = np.rint(np.ldexp(vectors.astype(np.float64), shift))
        back = np.ldexp(whole, -shift)
    return whole.astype(np.int64) if np.array_equal(back, vectors) else None


def _sum_of_squares(numbers: Indices) -> Indices:
    """Row by row, exactly, as digits of 20 bits, the least first; numbers in 0 .. 2^60 - 1."""
    limbs = [numbers >> _LIMB * i & (1 << _LIMB) - 1 for i in range(_LIMBS)]
    digits = np.zeros((2 * _LIMBS + 1, len(numbers)), dtype=np.int64)
    for i, j in product(range(_LIMBS), repeat=2):
        digits[i + j] += np.einsum("nd,nd->n", limbs[i], limbs[j])
    for i in range(2 * _LIMBS):  # sums of at most 3 * 2^60, and what is carried
        digits[i + 1] += digits[i] >> _LIMB
        digits[i] &= (1 << _LIMB) - 1
    return digits


def _fraction(query: Numbers, key: Numbers) -> Fraction:
    """|q - k|^2 as what it is."""
    pairs = zip(query.tolist(), key.tolist(), strict=True)
    return sum(((Fraction(a) - Fraction(b)) ** 2 for a, b in pairs), Fraction())


def _ranks(values: list[Fraction]) -> Indices:
    """The place of each value among all, as a single digit."""
    rank = {value: place for place, value in enumerate(sorted(set(values)))}
    return np.array([[rank[value] for value in values]])
