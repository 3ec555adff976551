"""Probabilities of exact numbers: rows of gaps below the greatest score, in Python's arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

__all__ = ["projected_row", "softmax_row", "squared_row"]


def softmax_row(gaps: list[Any]) -> list[Any]:
    """Return the softmax of minus the gaps, in mpmath at its working precision.

    Examples
    --------
    >>> [float(p) for p in softmax_row([0, 0])]
    [0.5, 0.5]
    """
    import mpmath

    weights = [mpmath.exp(-mpmath.mpmathify(gap)) for gap in gaps]
    total = mpmath.fsum(weights)
    return [weight / total for weight in weights]


def projected_row(gaps: list[Any]) -> list[Any]:
    """Return p_j = max(0, u - g_j) with sum 1: the projection on to the probabilities.

    Integers and fractions give fractions; mpmath's numbers stay such.

    Notes
    -----
    O(keys log keys): u is the mean of the k least gaps plus 1 / k, for the greatest k for which the
    k-th gap is below it.

    Examples
    --------
    >>> [str(p) for p in projected_row([0, Fraction(1, 3), 2])]
    ['2/3', '1/3', '0']
    """
    total: Any = Fraction(1)
    threshold: Any = total
    for count, gap in enumerate(sorted(gaps), 1):
        total = gap + total
        if count > 1 and not gap < total / count:
            break
        threshold = total / count
    return [max(Fraction(0), threshold - gap) for gap in gaps]


def squared_row(gaps: list[Any]) -> list[Any]:
    """Return p_j = max(0, u - g_j)^2 with sum 1, in mpmath at its working precision.

    Notes
    -----
    O(keys log keys): u solves a quadratic equation on the k least gaps, for the greatest k for
    which the k-th gap is below it.

    Examples
    --------
    >>> [round(float(p), 9) for p in squared_row([0, 0, 1])]
    [0.5, 0.5, 0.0]
    """
    import mpmath

    numbers = [mpmath.mpmathify(gap) for gap in gaps]
    threshold, total, squares = mpmath.mpf(1), mpmath.mpf(0), mpmath.mpf(0)
    for count, gap in enumerate(sorted(numbers), 1):
        total, squares = total + gap, squares + gap * gap
        mean = total / count
        room = (1 - (squares - mean * total)) / count
        if room < 0 or not gap < mean + mpmath.sqrt(room):
            break
        threshold = mean + mpmath.sqrt(room)
    return [max(mpmath.mpf(0), threshold - gap) ** 2 for gap in numbers]
