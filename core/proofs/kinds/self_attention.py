"""X, W_Q and W_K."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.base import Witness
from samapprox.proofs.exact import ExactArray, exact_matmul
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.members import Matrix, Vector

__all__ = ["SelfAttention"]


@dataclass(frozen=True, slots=True, eq=False)
class SelfAttention(Witness):
    """Integer X, W_Q and W_K whose logits X W_Q W_K^T X^T show a square pattern.

    Parameters
    ----------
    X : array_like of int, shape (n, d_hid)
    W_Q, W_K : array_like of int, shape (d_hid, d)
    thresholds : array_like of int, shape (n,)
        S_ij = 1 iff the logit (i, j) exceeds thresholds[i].

    Raises
    ------
    InputError

    References
    ----------
    Likhosherstov, Choromanski, Weller (2023), Equation (1) and Definition 0.1.

    Examples
    --------
    >>> attention = SelfAttention(X=[[-1], [2]], W_Q=[[1]], W_K=[[1]], thresholds=[0, 0])
    >>> attention.embedding().queries
    array([[-1],
           [ 2]])
    """

    KIND = "self-attention"
    CLAIM = "YES: entry (i, j) is 1 exactly if (X W_Q W_K^T X^T)[i, j] > thresholds[i]."
    MEMBERS = (Matrix("X"), Matrix("W_Q"), Matrix("W_K"), Vector("thresholds"))

    X: ExactArray
    W_Q: ExactArray
    W_K: ExactArray
    thresholds: ExactArray

    def __init__(self, X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, thresholds: ArrayLike) -> None:
        self._fill(X=X, W_Q=W_Q, W_K=W_K, thresholds=thresholds)
        if self.W_Q.shape != self.W_K.shape or self.W_Q.shape[0] != self.X.shape[1]:
            raise InputError(
                f"X, W_Q and W_K have shapes {self.X.shape}, {self.W_Q.shape} and "
                f"{self.W_K.shape}; they must be (n, d_hid), (d_hid, d) and (d_hid, d)"
            )
        if len(self.thresholds) != len(self.X):
            raise InputError(f"{len(self.thresholds)} thresholds for {len(self.X)} tokens")

    @property
    def dimension(self) -> int:
        """D."""
        return int(self.W_Q.shape[1])

    @property
    def hidden_dimension(self) -> int:
        """d_hid."""
        return int(self.X.shape[1])

    def embedding(self) -> Embedding:
        """Its queries X W_Q and keys X W_K. Cost O(n d_hid d)."""
        return Embedding(
            exact_matmul(self.X, self.W_Q), exact_matmul(self.X, self.W_K), self.thresholds
        )

    def explain(self, problem: Problem) -> list[str]:
        """The proof as lines of text."""
        return [
            f"X is {len(self.X)} x {self.hidden_dimension}; W_Q and W_K are "
            f"{self.hidden_dimension} x {self.dimension}.",
            *self.embedding().explain(problem),
        ]
