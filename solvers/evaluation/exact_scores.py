"""Scores of queries and keys in exact arithmetic."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Similarity

__all__ = ["ExactScores"]

Integers = tuple[list[int], int]

_VECTORS = 1024  # kept as whole numbers


class ExactScores:
    """Scores of given floats as fractions.

    Parameters
    ----------
    queries, keys : ndarray of float32 or float64, shapes (m, d), (n, d)
    similarity : {"dot", "cosine", "l2"}

    Examples
    --------
    >>> import numpy as np
    >>> scores = ExactScores(np.array([[1.0, 2.0]]), np.array([[0.5, 1.0], [2.0, 0.0]]), "cosine")
    >>> scores.score(0, 0), scores.score(0, 1)
    (Fraction(5, 1), Fraction(1, 1))
    >>> round(scores.gap(0, 0, 1), 6)
    -0.552786
    """

    def __init__(self, queries: NDArray[Any], keys: NDArray[Any], similarity: Similarity) -> None:
        self._similarity = similarity
        self._query = lru_cache(_VECTORS)(lambda i: _integers(queries[i]))
        self._key = lru_cache(_VECTORS)(lambda j: _integers(keys[j]))

    def score(self, query: int, key: int) -> Fraction:
        """Return a number that grows with the similarity, for one query and all keys.

        The dot product; for cosines (q . k) |q . k| / |k|^2, the square with the sign of the
        cosine, times |q|^2; for distances 2 q . k - |k|^2, which is |q|^2 - |q - k|^2.
        """
        left, right = self._query(query), self._key(key)
        product = _dot(left, right)
        if self._similarity == "dot":
            return product
        square = _dot(right, right)
        return (
            product * abs(product) / square
            if self._similarity == "cosine"
            else (2 * product - square)
        )

    def gap(self, query: int, one: int, zero: int) -> float:
        """Return the similarity of the zero minus that of the one, rounded, with the exact sign.

        Notes
        -----
        Differences of roots are computed as x^(1/2) - y^(1/2) = (x - y) / (x^(1/2) + y^(1/2)), with
        x - y exact. Values beyond the range of float64 become the nearest of the same sign.
        """
        least, best = self.score(query, one), self.score(query, zero)
        difference = best - least
        if self._similarity == "dot" or not difference:
            return _nearest(difference)
        square = _dot(self._query(query), self._query(query))
        if self._similarity == "l2":
            return _nearest(difference / (_root(square - least) + _root(square - best)))
        low, high = _root(abs(least) / square), _root(abs(best) / square)
        if (least < 0) != (best < 0):
            return _nearest(high + low if least < 0 else -high - low)
        return _nearest(difference / square / (low + high))


def _integers(vector: NDArray[Any]) -> Integers:
    """Return whole numbers and an exponent e, so that the vector is 2^e times them."""
    mantissas, exponents = np.frexp(vector.astype(np.float64))
    held = mantissas != 0
    least = int(exponents[held].min(initial=1 << 20))
    whole = (mantissas * (1 << 53)).astype(np.int64).tolist()
    shifts = np.where(held, exponents - least, 0).tolist()
    return [number << shift for number, shift in zip(whole, shifts, strict=True)], least - 53


def _dot(left: Integers, right: Integers) -> Fraction:
    total = sum(a * b for a, b in zip(left[0], right[0], strict=True))
    exponent = left[1] + right[1]
    return (
        Fraction(total)
        if not total
        else (Fraction(total << exponent) if exponent >= 0 else Fraction(total, 1 << -exponent))
    )


def _root(square: Fraction) -> Fraction:
    """Return the root of a fraction to 60 bits at least."""
    if not square:
        return Fraction(0)
    shift = 128 + max(0, square.denominator.bit_length() - square.numerator.bit_length())
    shift += shift % 2
    return Fraction(math.isqrt((square.numerator << shift) // square.denominator), 1 << shift // 2)


def _nearest(value: Fraction) -> float:
    """Round a fraction; one that is not zero does not become zero or infinite."""
    if not value:
        return 0.0
    try:
        rounded = abs(float(value))
    except OverflowError:
        rounded = sys.float_info.max
    return math.copysign(max(rounded, math.ulp(0.0)), 1 if value > 0 else -1)
