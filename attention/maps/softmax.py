"""Softmax."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from samapprox.attention.maps.base import ProbabilityMap, Scores, softmax_gap
from samapprox.attention.maps.exact import softmax_row

__all__ = ["Softmax"]


@dataclass(frozen=True, slots=True)
class Softmax(ProbabilityMap):
    """Softmax: p_j = exp(v_j) / sum of exp(v_i).

    This p has the greatest sum of its dot product with v and its Shannon entropy.

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
        from samapprox.attention.maps.kernels import softmax_rows

        softmax_rows(scores, tops, out)

    def _exact_row(self, gaps: list[Any]) -> list[Any]:
        return softmax_row(gaps)

    def _gap(self, keys: int, eta: float) -> float:
        return softmax_gap(keys, eta)

    def _published_gap(self, keys: int, eta: float) -> float:
        return softmax_gap(keys, eta)
