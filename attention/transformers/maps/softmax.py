"""Softmax, softmax of the k greatest scores, and hardmax; alpha-entmax and sparselin-gen.

The last two include sparsemax.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from samapprox.attention.transformers.maps.base import ProbabilityMap, Scores, softmax_gap
from samapprox.support.parameters import require


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
        from samapprox.attention.transformers.maps.kernels import softmax_rows

        softmax_rows(scores, tops, out)

    def _exact_row(self, gaps: list[Any]) -> list[Any]:
        from samapprox.attention.transformers.maps.kernels import softmax_row

        return softmax_row(gaps)

    def _gap(self, keys: int, eta: float) -> float:
        return softmax_gap(keys, eta)


@dataclass(frozen=True, slots=True)
class TopKSoftmax(ProbabilityMap):
    """Softmax of the k greatest scores of a row; all others get 0.

    Parameters
    ----------
    k : int
        Exactly so many are kept, or all where there are fewer; of equal scores the first.

    Notes
    -----
    O(keys) a row on average, by selection. Zhao et al. keep all scores that equal the k-th: then
    any number may be left, and the bound of Yun et al., B.1, with its k - 1, fails.

    References
    ----------
    Zhao et al. (2019), Explicit sparse transformer; Yun et al. (2020), B.1.

    Examples
    --------
    >>> TopKSoftmax(k=2)([[1.0, 3.0, 3.0, 3.0]]).tolist()
    [[0.0, 0.5, 0.5, 0.0]]
    """

    k: int = 8

    def __post_init__(self) -> None:
        require(self.k >= 1, f"k (scores kept) must be at least 1, not {self.k}")

    def _fill(self, scores: Scores, tops: Scores, out: Scores) -> None:
        from samapprox.attention.transformers.maps.kernels import topk_rows

        topk_rows(scores, tops, out, min(self.k, scores.shape[1]))

    def _exact_row(self, gaps: list[Any]) -> list[Any]:
        kept = sorted(range(len(gaps)), key=gaps.__getitem__)[: self.k]  # a stable sort
        from samapprox.attention.transformers.maps.kernels import softmax_row

        row: list[Any] = [0] * len(gaps)
        for j, weight in zip(kept, softmax_row([gaps[j] for j in kept]), strict=True):
            row[j] = weight
        return row

    def _gap(self, keys: int, eta: float) -> float:
        kept = min(self.k, keys)
        return 0.0 if kept == 1 else softmax_gap(kept, eta)


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


@dataclass(frozen=True, slots=True)
class Entmax(ProbabilityMap):
    """Alpha-entmax: p_j = max(0, a v_j - tau)^(1/a) with a = alpha - 1.

    This p has the greatest sum of its dot product with v and its Tsallis entropy.

    Parameters
    ----------
    alpha : float
        At least 1: greater is sparser. 1 gives softmax, 2 sparsemax.

    Notes
    -----
    O(keys) for each of a few rounds, no sorting; alpha = 1.5 and 2 end with the closed form of tau
    on the keys of positive probability, other alpha between two neighbouring floats.

    References
    ----------
    Peters, Niculae, Martins (2019), Sparse sequence-to-sequence models; Yun et al. (2020), B.3,
    where the entropy must be of p (it is printed as that of v), and t is 1 / (zeta (alpha - 1)).

    Examples
    --------
    >>> Entmax(alpha=2)([[1.0, 0.5, 0.0]]).tolist()
    [[0.75, 0.25, 0.0]]
    >>> Entmax(alpha=1.5)([[1.0, 1.0, -4.0]]).round(3).tolist()
    [[0.5, 0.5, 0.0]]
    >>> Entmax(alpha=1.5).published_gap(keys=9, eta=0.01)
    2.0
    """

    alpha: float = 1.5

    def __post_init__(self) -> None:
        require(
            1 <= self.alpha < math.inf, f"alpha must be at least 1 and finite, not {self.alpha}"
        )

    def _fill(self, scores: Scores, tops: Scores, out: Scores) -> None:
        from samapprox.attention.transformers.maps import kernels

        if self.alpha == 1:
            kernels.softmax_rows(scores, tops, out)
        elif self.alpha == 2:
            kernels.projected_rows(scores, tops, out, 1.0)
        elif self.alpha == 1.5:
            kernels.squared_rows(scores, tops, out)
        else:
            kernels.entmax_rows(scores, tops, out, float(self.alpha - 1))

    def _exact_row(self, gaps: list[Any]) -> list[Any]:
        from samapprox.attention.transformers.maps import kernels

        if self.alpha == 1:
            return kernels.softmax_row(gaps)
        if self.alpha == 1.5:
            return kernels.squared_row([Fraction(1, 2) * gap for gap in gaps])
        if self.alpha == 2:
            return kernels.projected_row(gaps)
        return ProbabilityMap._exact_row(self, gaps)  # slots: no super()

    def _gap(self, keys: int, eta: float) -> float:
        """Compute ((1 - eta)^a - (eta / (keys - 1))^a) / a with a = alpha - 1."""
        a = self.alpha - 1
        if a == 0:
            return softmax_gap(keys, eta)
        others = math.expm1(a * (math.log(eta) - math.log(keys - 1)))
        return (math.expm1(a * math.log1p(-eta)) - others) / a

    def _published_gap(self, keys: int, eta: float) -> float:
        return softmax_gap(keys, eta) if self.alpha == 1 else 1 / (self.alpha - 1)


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
        from samapprox.attention.transformers.maps.kernels import projected_rows

        projected_rows(scores, tops, out, 1 / (1 - self.lam))

    def _exact_row(self, gaps: list[Any]) -> list[Any]:
        from samapprox.attention.transformers.maps.kernels import projected_row

        return projected_row([gap / (1 - Fraction(self.lam)) for gap in gaps])

    def _gap(self, keys: int, eta: float) -> float:
        return (1 - self.lam) * (1 - eta - eta / (keys - 1))

    def _published_gap(self, keys: int, eta: float) -> float:
        return 1 - eta
