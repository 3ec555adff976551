"""Softmax, softmax of the k greatest scores, and hardmax."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from samapprox.attention.transformers.maps.base import ProbabilityMap, Scores, softmax_gap
from samapprox.support.parameters import require

__all__ = ["Hardmax", "Softmax", "TopKSoftmax"]


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
