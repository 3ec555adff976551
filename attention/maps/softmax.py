"""Softmax."""

from __future__ import annotations

import math
from dataclasses import dataclass

from samapprox.attention.maps.base import ProbabilityMap, Scores, softmax_gap
from samapprox.jit import compiled

__all__ = ["Softmax", "softmax_rows"]


@dataclass(frozen=True, slots=True)
class Softmax(ProbabilityMap):
    """p_j = exp(v_j) / sum of exp(v_i): the greatest p . v plus Shannon's entropy of p.

    Notes
    -----
    O(keys) a row.

    References
    ----------
    Yun et al. (2020), B.1.

    Examples
    --------
    >>> Softmax()([[0.0, 0.0, -float("inf")]]).tolist()
    [[0.5, 0.5, 0.0]]
    >>> round(Softmax().least_gap(keys=10, eta=0.1), 6)  # ln(9 * 0.9 / 0.1)
    4.394449
    """

    def _fill(self, scores: Scores, tops: Scores, out: Scores) -> None:
        softmax_rows(scores, tops, out)

    def _gap(self, keys: int, eta: float) -> float:
        return softmax_gap(keys, eta)

    def _published_gap(self, keys: int, eta: float) -> float:
        return softmax_gap(keys, eta)


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
