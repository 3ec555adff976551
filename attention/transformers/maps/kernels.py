"""Rows of probability maps: compiled without sorting, and on exact numbers.

The exact versions (`_row`) take the gaps below a row's greatest score, in Python's arithmetic.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.transformers.maps.base import Scores
from samapprox.support.jit import compiled


def softmax_row(gaps: list[Any]) -> list[Any]:
    """Return the softmax of minus the gaps, in mpmath at its working precision."""
    import mpmath

    weights = [mpmath.exp(-mpmath.mpmathify(gap)) for gap in gaps]
    total = mpmath.fsum(weights)
    return [weight / total for weight in weights]


def projected_row(gaps: list[Any]) -> list[Any]:
    """Return p_j = max(0, u - g_j) with sum 1: the projection on to the probabilities.

    Integers and fractions give fractions; mpmath's numbers stay such.

    O(keys log keys): u is the mean of the k least gaps plus 1 / k, for the greatest k for which the
    k-th gap is below it.
    """
    import mpmath

    # mpmath 1.3 neither compares nor subtracts fractions
    exact = all(isinstance(gap, int | Fraction) for gap in gaps)
    total: Any = Fraction(1) if exact else mpmath.mpf(1)
    zero, threshold = 0 * total, total
    for count, gap in enumerate(sorted(gaps), 1):
        total = gap + total
        if count > 1 and not gap < total / count:
            break
        threshold = total / count
    return [max(zero, threshold - gap) for gap in gaps]


def squared_row(gaps: list[Any]) -> list[Any]:
    """Return p_j = max(0, u - g_j)^2 with sum 1, in mpmath at its working precision.

    O(keys log keys): u solves a quadratic equation on the k least gaps, for the greatest k for
    which the k-th gap is below it.
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


_NEAR = 16 * 2.0**-52
"""Relative width at which a bracket is tight."""

_MOST_ROUNDS = 400  # of Newton steps and halvings, against loops without end


@compiled
def softmax_rows(scores: Scores, tops: Scores, out: Scores) -> None:
    """Write the softmax of each row, given its greatest score."""
    rows, keys = scores.shape
    for i in range(rows):
        top = tops[i]
        total = 0.0
        for j in range(keys):
            score = scores[i, j]
            # Equal ones first: infinite scores have no difference.
            weight = 1.0 if score == top else math.exp(float(score) - float(top))
            out[i, j] = weight
            total += weight
        for j in range(keys):
            out[i, j] /= total


@compiled
def _select(numbers: Scores, place: int) -> None:
    """Put a number in its place of the ascending order, after all that are less.

    As `numpy.partition` does, which takes numba seconds to compile. Hoare (1961), "Algorithm 65".
    """
    low, high = 0, len(numbers) - 1
    while low < high:
        pivot = numbers[(low + high) >> 1]
        left, right = low, high
        while left <= right:
            while numbers[left] < pivot:
                left += 1
            while pivot < numbers[right]:
                right -= 1
            if left <= right:
                numbers[left], numbers[right] = numbers[right], numbers[left]
                left += 1
                right -= 1
        if place <= right:
            high = right
        elif place >= left:
            low = left
        else:
            return


@compiled
def topk_rows(scores: Scores, tops: Scores, out: Scores, k: int) -> None:
    """Write the softmax of the k greatest scores of each row, of equal ones the first."""
    rows, keys = scores.shape
    numbers = np.empty(keys, scores.dtype)
    for i in range(rows):
        top = tops[i]
        for j in range(keys):
            numbers[j] = scores[i, j]
        _select(numbers, keys - k)
        last = numbers[keys - k]
        above = 0
        for j in range(keys):
            if scores[i, j] > last:
                above += 1
        equal = k - above  # of those like the last one that are kept
        total = 0.0
        for j in range(keys):
            score = scores[i, j]
            kept = score > last
            if score == last and equal > 0:
                equal -= 1
                kept = True
            weight = 0.0
            if kept:
                weight = 1.0 if score == top else math.exp(float(score) - float(top))
            out[i, j] = weight
            total += weight
        for j in range(keys):
            out[i, j] /= total


@compiled
def projected_rows(scores: Scores, tops: Scores, out: Scores, scale: float) -> None:
    """Write each row's scores times `scale`, projected on the probabilities.

    With gaps g_j = scale (top - v_j) it is p_j = max(0, u - g_j): the threshold u is the mean of
    the gaps below it, plus 1 over their number. Starting with all below 1, as u is at most 1, those
    that are not below u are dropped until none is (Michelot 1986).
    """
    rows, keys = scores.shape
    gaps = np.empty(keys, dtype=np.float64)
    places = np.empty(keys, dtype=np.int64)
    for i in range(rows):
        top = tops[i]
        kept, total = 0, 0.0
        for j in range(keys):
            out[i, j] = 0
            score = scores[i, j]
            gap = 0.0 if score == top else scale * (float(top) - float(score))
            gaps[kept] = gap  # overwritten by the next where it is not kept
            places[kept] = j
            if gap < 1.0:
                kept += 1
                total += gap
        while True:
            u = (1.0 + total) / kept
            still, total = 0, 0.0
            for at in range(kept):
                gap = gaps[at]
                gaps[still] = gap
                places[still] = places[at]
                if gap < u:
                    still += 1
                    total += gap
            if still == kept:
                break
            kept = still
        for at in range(kept):
            out[i, places[at]] = u - gaps[at]


@compiled
def squared_rows(scores: Scores, tops: Scores, out: Scores) -> None:
    """Write the 1.5-entmax of each row: p_j = max(0, u - g_j)^2, with gaps g_j = (top - v_j) / 2.

    The sum of the p_j is convex in u and at least 1 at u = 1: Newton's steps from there fall to the
    threshold and never below, so that what is not below u can be dropped. When no more is dropped,
    u solves a quadratic equation.
    """
    rows, keys = scores.shape
    gaps = np.empty(keys, dtype=np.float64)
    places = np.empty(keys, dtype=np.int64)
    for i in range(rows):
        top = tops[i]
        kept = 0
        for j in range(keys):
            out[i, j] = 0
            score = scores[i, j]
            gap = 0.0 if score == top else 0.5 * (float(top) - float(score))
            gaps[kept] = gap
            places[kept] = j
            if gap < 1.0:
                kept += 1
        u = 1.0
        while True:
            still, slope, mass = 0, 0.0, 0.0
            for at in range(kept):
                gap = gaps[at]
                gaps[still] = gap
                places[still] = places[at]
                if gap < u:
                    still += 1
                    slope += u - gap
                    mass += (u - gap) * (u - gap)
            kept = still
            lower = u - 0.5 * (mass - 1.0) / slope
            if not lower < u - 1e-9 * u:
                break
            u = lower
        mean = u - slope / kept
        spread = 0.0
        for at in range(kept):
            spread += (gaps[at] - mean) * (gaps[at] - mean)
        u = mean + math.sqrt(max(0.0, 1.0 - spread) / kept)
        for at in range(kept):
            out[i, places[at]] = max(0.0, u - gaps[at]) ** 2


@compiled
def entmax_rows(scores: Scores, tops: Scores, out: Scores, a: float) -> None:
    """Write the (1 + a)-entmax of each row: p_j = (1 - a (c + g_j))^(1/a), gaps g_j = top - v_j.

    The sum of the p_j falls as c grows: from 1 at least at c = 0 to 1 at most where the greatest is
    1 / keys. Newton's steps on the a-th power of the sum, which is linear where all gaps are equal;
    halvings of the bracket where these leave it or are slow. In the end p is read off between the
    two sides, so that it sums up to 1 even where the sum is steep.
    """
    rows, keys = scores.shape
    gaps = np.empty(keys, dtype=np.float64)
    places = np.empty(keys, dtype=np.int64)
    for i in range(rows):
        top = tops[i]
        kept = 0
        for j in range(keys):
            out[i, j] = 0
            score = scores[i, j]
            gap = 0.0 if score == top else float(top) - float(score)
            gaps[kept] = gap
            places[kept] = j
            if a * gap < 1.0:
                kept += 1
        low, high = 0.0, -math.expm1(-a * math.log(kept)) / a
        above, slope = _excess(gaps, kept, low, a)
        below, _ = _excess(gaps, kept, high, a)
        c, excess = low, above
        for turn in range(_MOST_ROUNDS):
            if high - low <= _NEAR * high or above <= 0.0 or below >= 0.0:
                break
            mass = 1.0 + excess
            c -= mass * math.expm1(-a * math.log(mass)) / (a * slope) if mass > 0.0 else math.inf
            margin = 0.25 * _NEAR * high  # to come to the other side, too
            c = c + margin if excess > 0.0 else c - margin
            if turn % 4 == 3 or not low < c < high:
                c = 0.5 * (low + high)
                if not low < c < high:
                    break
            excess, slope = _excess(gaps, kept, c, a)
            if excess >= 0.0:
                low, above = c, excess
            if excess <= 0.0:
                high, below = c, excess
        share = 0.0 if above <= 0.0 else above / (above - below)
        for at in range(kept):
            near, far = _weight(low + gaps[at], a), _weight(high + gaps[at], a)
            out[i, places[at]] = near + share * (far - near)


@compiled
def _weight(depth: float, a: float) -> float:
    """Compute (1 - a depth)^(1/a), 0 from depth 1/a on."""
    return math.exp(math.log1p(-a * depth) / a) if a * depth < 1.0 else 0.0


@compiled
def _excess(gaps: NDArray[np.float64], kept: int, c: float, a: float) -> tuple[float, float]:
    """Return the excess of the sum of the p_j over 1, and the rate of its fall in c."""
    total, slope = 0.0, 0.0
    for at in range(kept):
        weight = _weight(c + gaps[at], a)
        if weight > 0.0:
            total += weight
            slope += weight / (1.0 - a * (c + gaps[at]))
    return total - 1.0, slope
