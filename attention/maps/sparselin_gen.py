"""Sparselin-gen: the nearest probabilities, with a parameter for sparsity; includes sparsemax."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from samapprox.attention.maps.base import ProbabilityMap, Scores
from samapprox.attention.maps.exact import projected_row
from samapprox.support.parameters import require

__all__ = ["SparselinGen"]


@dataclass(frozen=True, slots=True)
class SparselinGen(ProbabilityMap):
    """Minimise |p - v|^2 - lam |p|^2 over p: p_j = max(0, v_j - tau) / (1 - lam).

    Parameters
    ----------
    lam : float
        In 0..1, below 1: greater is sparser. 0 gives sparsemax.

    Notes
    -----
    O(keys) for each of a few rounds, no sorting: see `kernels.projected_rows`.

    References
    ----------
    Laha et al. (2018), On controllable sparse alternatives to softmax; Yun et al. (2020), B.2,
    whose t = (1 - eta) / zeta is right, but more than needed by a factor of 1 / (1 - lam) at least.

    Examples
    --------
    >>> SparselinGen(lam=0.5)([[1.0, 0.75, 0.0]]).tolist()
    [[0.75, 0.25, 0.0]]
    >>> SparselinGen(lam=0.5).least_gap(3, 0.5), SparselinGen(lam=0.5).published_gap(3, 0.5)
    (0.125, 0.5)
    """

    lam: float = 0.0

    def __post_init__(self) -> None:
        require(0 <= self.lam < 1, f"lam (sparseness) must be in 0..1, below 1, not {self.lam}")

    def _fill(self, scores: Scores, tops: Scores, out: Scores) -> None:
        from samapprox.attention.maps.kernels import projected_rows

        projected_rows(scores, tops, out, 1 / (1 - self.lam))

    def _exact_row(self, gaps: list[Any]) -> list[Any]:
        return projected_row([gap / (1 - Fraction(self.lam)) for gap in gaps])

    def _gap(self, keys: int, eta: float) -> float:
        return (1 - self.lam) * (1 - eta - eta / (keys - 1))

    def _published_gap(self, keys: int, eta: float) -> float:
        return 1 - eta
