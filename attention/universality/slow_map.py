"""A probability map that satisfies Assumption 2, but no faster and no better than it must."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from samapprox.attention.maps import ProbabilityMap
from samapprox.attention.maps.base import Scores

__all__ = ["SlowMap"]


@dataclass(frozen=True, slots=True)
class SlowMap(ProbabilityMap):
    """An adversarial map: all weight that the greatest score lacks goes to the least score.

    If the greatest score leads by g, the key of least score has probability
    eta(g) = 1 / (2 + log(1 + g)), and the greatest the rest. This satisfies Assumption 2, since
    eta(t zeta) tends to 0. But it falls so slowly that rows with wider gaps do no better than those
    with gap zeta, whereas softmax gains exponentially.

    Notes
    -----
    O(keys) a row. Tied greatest scores share all weight. With one key the row is (1).

    References
    ----------
    Yun et al. (2020), Assumption 2.

    Examples
    --------
    >>> SlowMap()([[5.0, 5.0 - math.expm1(2), -9.0]]).tolist()
    [[0.75, 0.0, 0.25]]
    >>> round(SlowMap().least_gap(keys=3, eta=0.25), 4)
    6.3891
    """

    def _fill(self, scores: Scores, tops: Scores, out: Scores) -> None:
        for i, row in enumerate(scores):
            out[i] = [float(p) for p in self._exact_row((tops[i] - row).tolist())]

    def _exact_row(self, gaps: list[Any]) -> list[Any]:
        import mpmath

        row: list[Any] = [0] * len(gaps)
        order = sorted(range(len(gaps)), key=gaps.__getitem__)
        tied = gaps.count(0)
        if tied > 1 or len(gaps) == 1:
            return [mpmath.mpf(1) / tied if gap == 0 else 0 for gap in gaps]
        eta = 1 / (2 + mpmath.log1p(gaps[order[1]]))
        row[order[0]], row[order[-1]] = 1 - eta, eta
        return row

    def exact_gap(self, eta: Any) -> Any:
        """Return the gap that leaves eta to the least score, in mpmath: exp(1 / eta - 2) - 1."""
        import mpmath

        return mpmath.expm1(1 / mpmath.mpmathify(eta) - 2)

    def _gap(self, keys: int, eta: float) -> float:
        exponent = 1 / eta - 2
        return math.expm1(exponent) if exponent < 700 else math.inf

    def _published_gap(self, keys: int, eta: float) -> float:
        return self._gap(keys, eta)
