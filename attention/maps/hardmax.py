"""Hardmax: all weight on one key of greatest score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from samapprox.attention.maps.base import ProbabilityMap, Scores

__all__ = ["Hardmax"]


@dataclass(frozen=True, slots=True)
class Hardmax(ProbabilityMap):
    """Hardmax: the first key of greatest score has probability 1.

    Yun et al. (2020) leave ties open; here the first of equal scores wins, as with numpy's argmax.

    Notes
    -----
    O(keys) a row.

    References
    ----------
    Yun et al. (2020), 3.2 (sigma_H).

    Examples
    --------
    >>> Hardmax()([[0.0, 2.0, 2.0]]).tolist()
    [[0.0, 1.0, 0.0]]
    >>> Hardmax().least_gap(keys=10, eta=0.1)
    0.0
    """

    def _fill(self, scores: Scores, tops: Scores, out: Scores) -> None:
        out[:] = 0
        out[range(len(out)), scores.argmax(axis=1)] = 1

    def _exact_row(self, gaps: list[Any]) -> list[Any]:
        first = gaps.index(0)
        return [int(j == first) for j in range(len(gaps))]

    def _gap(self, keys: int, eta: float) -> float:
        return 0.0

    def _published_gap(self, keys: int, eta: float) -> float:
        return 0.0
