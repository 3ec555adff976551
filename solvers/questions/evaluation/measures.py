"""The similarities as evaluations compute them: exactly, and in floating point with bounds."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.similarities import Similarity
from samapprox.support.arrays import Floats, Indices

if TYPE_CHECKING:
    from samapprox.solvers.questions.evaluation.scores import QueryBlock, ScaledVectors


Pairs = tuple[Indices, Indices, Indices]
"""Rows, and for each a one and a zero."""

Square = Callable[[], Fraction]
"""The squared length of a vector, computed when it is needed."""

Coefficients = tuple[Floats, Floats, int]
"""alpha, beta and exponent of a `samapprox.solvers.questions.evaluation.scores.Formula`."""


class Measure:
    """A similarity of given floats. Products are those of a query with a key."""

    NEEDS_DIRECTIONS = False
    """Whether vectors of zeros are refused, since only their directions count."""

    TAKES_SQUARES = False
    """Whether the square of a key's length is taken from twice its product."""

    @staticmethod
    def score(product: Fraction, square: Square) -> Fraction:
        """Return a number that grows with the similarity, from the product and |key|^2."""
        raise NotImplementedError

    @staticmethod
    def gap(least: Fraction, best: Fraction, square: Square) -> float:
        """Return the similarity with the score `best` minus that with `least`, by |query|^2.

        The sign is exact. Differences of roots are computed as
        x^(1/2) - y^(1/2) = (x - y) / (x^(1/2) + y^(1/2)), with x - y exact. Values beyond the range
        of float64 become the nearest of the same sign.
        """
        raise NotImplementedError

    @staticmethod
    def coefficients(keys: ScaledVectors, query_exponent: int) -> Coefficients:
        """Return scores as linear functions of products, of queries scaled by 2^-exponent."""
        raise NotImplementedError

    @staticmethod
    def scale_gaps(
        block: QueryBlock, exponent: int, pairs: Pairs, differences: Floats
    ) -> tuple[Floats, int, NDArray[np.bool_] | bool]:
        """Turn differences of scores into those of similarities, 2^exponent times smaller.

        Returns the exponent, and which of the divisors are far from underflow.
        """
        raise NotImplementedError


class DotProduct(Measure):
    """q . k."""

    @staticmethod
    def score(product: Fraction, _square: Square) -> Fraction:
        """Return the product."""
        return product

    @staticmethod
    def gap(least: Fraction, best: Fraction, _square: Square) -> float:
        """Return the difference."""
        return _nearest(best - least)

    @staticmethod
    def coefficients(keys: ScaledVectors, query_exponent: int) -> Coefficients:
        """Undo the scaling."""
        alpha = np.ldexp(1.0, keys.exponents - keys.greatest)
        return alpha, np.zeros(len(keys.exponents)), query_exponent + keys.greatest

    @staticmethod
    def scale_gaps(
        _block: QueryBlock, exponent: int, _pairs: Pairs, differences: Floats
    ) -> tuple[Floats, int, bool]:
        """Return them as they are."""
        return differences, exponent, True


class Cosine(Measure):
    """q . k / (|q| |k|)."""

    NEEDS_DIRECTIONS = True

    @staticmethod
    def score(product: Fraction, square: Square) -> Fraction:
        """Return (q . k) |q . k| / |k|^2: the square of the cosine, with its sign, times |q|^2."""
        return product * abs(product) / square()

    @staticmethod
    def gap(least: Fraction, best: Fraction, square: Square) -> float:
        """Take roots, which add up where the signs differ."""
        if best == least:
            return 0.0
        low, high = _root(abs(least) / square()), _root(abs(best) / square())
        if (least < 0) != (best < 0):
            return _nearest(high + low if least < 0 else -high - low)
        return _nearest((best - least) / square() / (low + high))

    @staticmethod
    def coefficients(keys: ScaledVectors, _query_exponent: int) -> Coefficients:
        """Divide by the length of the key."""
        return 1 / keys.norms, np.zeros(len(keys.exponents)), 0

    @staticmethod
    def scale_gaps(
        block: QueryBlock, exponent: int, pairs: Pairs, differences: Floats
    ) -> tuple[Floats, int, NDArray[np.bool_]]:
        """Divide by the length of the query."""
        queries = block.scaled[pairs[0]]
        norms = np.sqrt(np.einsum("pd,pd->p", queries, queries))
        are_good = norms > 2.0**-400
        return differences / np.where(are_good, norms, 1), exponent, are_good


class Distance(Measure):
    """-|q - k|."""

    TAKES_SQUARES = True

    @staticmethod
    def score(product: Fraction, square: Square) -> Fraction:
        """Return 2 q . k - |k|^2, which is |q|^2 - |q - k|^2."""
        return 2 * product - square()

    @staticmethod
    def gap(least: Fraction, best: Fraction, square: Square) -> float:
        """Return the difference of the distances."""
        if best == least:
            return 0.0
        return _nearest((best - least) / (_root(square() - least) + _root(square() - best)))

    @staticmethod
    def coefficients(keys: ScaledVectors, query_exponent: int) -> Coefficients:
        """Subtract |k|^2 / 2."""
        unit = max(keys.greatest, query_exponent)
        alpha = np.ldexp(1.0, keys.exponents + (query_exponent - 2 * unit))
        return alpha, np.ldexp(-(keys.norms**2) / 2, 2 * (keys.exponents - unit)), 2 * unit

    @staticmethod
    def scale_gaps(
        block: QueryBlock, exponent: int, pairs: Pairs, differences: Floats
    ) -> tuple[Floats, int, NDArray[np.bool_]]:
        """Divide by half the sum of both distances."""
        rows, ones, zeros = pairs
        unit = exponent // 2
        both = _distances(block, unit, rows, ones) + _distances(block, unit, rows, zeros)
        are_good = both > 2.0**-400
        return differences * (2 / np.where(are_good, both, 1)), unit, are_good


def _distances(block: QueryBlock, unit: int, rows: Indices, columns: Indices) -> Floats:
    """Return distances of pairs, 2^unit times smaller."""
    keys = block.keys
    right = np.ldexp(keys.take(columns), (keys.exponents[columns] - unit)[:, None])
    left = np.ldexp(block.scaled[rows], block.exponent - unit)
    return np.asarray(np.sqrt(np.einsum("pd,pd->p", left - right, left - right)))


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


def load_measure(similarity: Similarity) -> Measure:
    """Return the measure of a similarity, if given embeddings can be evaluated under it."""
    measure: Measure | None = similarity.load("measure")
    if measure is None:
        raise InputError(f"embeddings cannot be evaluated under the similarity {similarity}")
    return measure
