"""Proofs of YES for Euclidean distance: balls around the queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Witness
from samapprox.proofs.embeddings.embedding import (
    Embedding,
    find_fault_of_shape,
    first_difference,
    name_mismatch,
)
from samapprox.proofs.embeddings.logits import above_thresholds
from samapprox.proofs.exact import ExactArray, Matrix, Vector, largest, squared_norms
from samapprox.proofs.words import order_keys

if TYPE_CHECKING:
    from samapprox.proofs.parts.simplify import Simplification


@dataclass(frozen=True, slots=True, eq=False)
class Balls(Witness):
    """Integer centres, weights, keys and thresholds of balls that represent a pattern.

    Entry S_ij is 1 if and only if 2 c_i . k_j - w_i |k_j|^2 exceeds t_i: the query c_i / w_i lies
    nearer than sqrt(|c_i / w_i|^2 - t_i / w_i) to the key k_j.

    Parameters
    ----------
    centers : array_like of int, shape (m, d)
        The centres c_i.
    weights : array_like of int, shape (m,)
        At least 1.
    keys : array_like of int, shape (n, d)
        The keys k_j.
    thresholds : array_like of int, shape (m,)
        The thresholds t_i.

    Raises
    ------
    InputError
        Not integers, a weight below 1, or shapes that do not fit together.

    Examples
    --------
    >>> interval = Balls(centers=[[1]], weights=[1], keys=[[0], [1], [3]], thresholds=[-1])
    >>> interval.dimension, interval.embedding().keys.tolist()
    (1, [[0, 0], [1, 1], [3, 9]])
    """

    KIND = "balls"
    TASK = "dimension"
    SIMILARITIES = ("l2",)
    CLAIM = (
        "YES for Euclidean distance: entry (i, j) is 1 exactly if 2 centers[i] . keys[j] - "
        "weights[i] |keys[j]|^2 > thresholds[i]; the query is centers[i] / weights[i]."
    )
    MEMBERS = (
        Matrix("centers"),
        Vector("weights", least=1, minimum=1),
        Matrix("keys"),
        Vector("thresholds"),
    )

    centers: ExactArray
    weights: ExactArray
    keys: ExactArray
    thresholds: ExactArray

    def __init__(
        self, centers: ArrayLike, weights: ArrayLike, keys: ArrayLike, thresholds: ArrayLike
    ) -> None:
        self._fill(centers, weights, keys, thresholds)
        if self.centers.shape[1] != self.keys.shape[1]:
            raise InputError(
                f"centers have dimension {self.centers.shape[1]} but keys {self.keys.shape[1]}"
            )
        for name in ("weights", "thresholds"):
            if len(getattr(self, name)) != len(self.centers):
                raise InputError(
                    f"{len(getattr(self, name))} {name} for {len(self.centers)} centers"
                )

    @classmethod
    def of(cls, embedding: Embedding) -> Self:
        r"""Make balls of the halfspaces of an embedding, in the same dimension.

        Parameters
        ----------
        embedding : Embedding
            Halfspaces that represent a pattern.

        Notes
        -----
        The centre is r q with 2 r > |k|^2 for all keys k, and the threshold 2 r t. Then
        2 r q . k - |k|^2 > 2 r t if and only if q . k > t, because q . k >= t + 1 otherwise.

        Examples
        --------
        >>> halfspaces = Embedding([[1]], [[0], [2]], [1])
        >>> Balls.of(halfspaces).centers.tolist(), Balls.of(halfspaces).thresholds.tolist()
        ([[3]], [6])
        """
        radius = largest(squared_norms(embedding.keys)) // 2 + 1
        return cls(
            embedding.queries.astype(object) * radius,
            np.ones(len(embedding.queries), dtype=np.int64),
            embedding.keys,
            embedding.thresholds.astype(object) * (2 * radius),
        )

    @property
    def dimension(self) -> int:
        """The number of coordinates of a key, d."""
        return int(self.keys.shape[1])

    def embedding(self, _pattern: Pattern | None = None, /) -> Embedding:
        """Return an embedding in d + 1 dimensions: keys on a paraboloid, balls as halfspaces."""
        return Embedding(
            np.column_stack([self.centers.astype(object) * 2, -self.weights]),
            np.column_stack([self.keys, squared_norms(self.keys)]),
            self.thresholds,
        )

    def lift(self, simplification: Simplification, /) -> Balls | str:
        """Carry balls for a simplified pattern over to the original, if no row was complemented."""
        if simplification.flipped.any():
            return "the complement of a ball is no ball"
        everything = -largest(squared_norms(self.keys)) - 1
        return Balls(
            simplification.spread(self.centers, 0),
            simplification.spread(self.weights, 1),
            self.keys[simplification.column_of],
            simplification.spread(self.thresholds, everything),
        )

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the balls do not represent the pattern, or None.

        Balls are halfspaces over the paraboloid of the keys (k, |k|^2), which are checked as those
        of an embedding in d + 1 dimensions.
        """
        pattern = problem.pattern
        if fault := find_fault_of_shape(pattern, self.centers, self.keys):
            return fault
        mismatch = first_difference(pattern, above_thresholds(self.embedding()))
        if mismatch is None:
            return None
        return name_mismatch(pattern, mismatch, "the key lies {} the ball", "outside", "inside")

    def explain(self, problem: Problem) -> list[str]:
        if self.dimension > 1:
            return [
                f"Integer centres, radii and keys in dimension {self.dimension} represent the "
                "pattern: each query lies nearer to its ones than to its zeros."
            ]
        order = order_keys(problem.pattern, self.keys.reshape(-1))
        return [f"In this order of the keys, the ones of each row are consecutive: {order}"]
