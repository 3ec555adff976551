"""Queries and keys of norm at most 1 that separate ones from zeros by a margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from samapprox.proofs.base import Witness
from samapprox.proofs.embeddings.embedding import (
    Embedding,
    find_fault_of_shape,
    require_matching_shapes,
)
from samapprox.proofs.exact import ExactArray, Matrix, Vector, exact_matmul, largest
from samapprox.proofs.members import Whole
from samapprox.proofs.questions import Margin

if TYPE_CHECKING:
    from samapprox.pattern import Pattern
    from samapprox.proofs.parts.simplify import Simplification


_MOST_PRODUCTS = 1 << 32
"""Products of numbers of 64 bits: some seconds' worth."""

_MOST_LONG_PRODUCTS = 1 << 25
"""Products of Python's integers, which long coordinates need: some seconds' worth."""

_BLOCK = 1 << 20
"""Logits that are computed at a time: for fewer, converting the keys each time takes longer."""

_SAFE = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class UnitEmbedding(Witness):
    r"""Integer queries, keys and thresholds, whose scales make the vectors short.

    Let a and b be the scales. The vectors queries_i / a and keys_j / b have norm at most 1, and
    with the thresholds thresholds_i / (a b), every specified entry is on its side of the threshold
    by the margin.

    Parameters
    ----------
    query_scale, key_scale : int
        a and b.
    queries : array_like of int, shape (m, d)
        The queries, times a.
    keys : array_like of int, shape (n, d)
        The keys, times b.
    thresholds : array_like of int, shape (m,)
        The thresholds, times a b.

    Raises
    ------
    InputError
        Not integers, or shapes that do not fit together.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.proofs import UnitEmbedding, check
    >>> vectors = [[1, 0], [-1, 0]]
    >>> proof = UnitEmbedding(1, 1, queries=vectors, keys=vectors, thresholds=[0, 0])
    >>> print(check(Margin(Pattern.from_text("10\n01"), 1, 1), proof))
    None
    """

    KIND = "unit-embedding"
    TASK = "margin"
    SIMILARITIES = ("dot",)
    CLAIM = (
        "YES: |queries[i]| <= query_scale and |keys[j]| <= key_scale, and the margin times "
        "query_scale times key_scale is at most queries[i] . keys[j] - thresholds[i] where entry "
        "(i, j) is 1, and at most the opposite where it is 0."
    )
    MEMBERS = (
        Whole("query_scale"),
        Whole("key_scale"),
        Matrix("queries"),
        Matrix("keys"),
        Vector("thresholds"),
    )
    EXPLICIT = True

    query_scale: int
    key_scale: int
    queries: ExactArray
    keys: ExactArray
    thresholds: ExactArray

    def __init__(
        self,
        query_scale: int,
        key_scale: int,
        queries: ArrayLike,
        keys: ArrayLike,
        thresholds: ArrayLike,
    ) -> None:
        self._fill(query_scale, key_scale, queries, keys, thresholds)
        require_matching_shapes(self.queries, self.keys, self.thresholds)

    @property
    def dimension(self) -> int:
        """The number of coordinates of queries and keys."""
        return int(self.keys.shape[1])

    def embedding(self, _pattern: Pattern | None = None, /) -> Embedding:
        """Return the integers; they represent the pattern if the margin is positive."""
        return Embedding(self.queries, self.keys, self.thresholds)

    def lift(self, simplification: Simplification, /) -> UnitEmbedding:
        """Carry the vectors for a simplified pattern over to the original, with the same margin.

        Notes
        -----
        A complement turns its query and its threshold. A row without a 0 gets the query 0 and a
        threshold of -1: no margin exceeds 1 if some row has both a 1 and a 0.
        """
        signs, unit = simplification.signs, self.query_scale * self.key_scale
        return UnitEmbedding(
            self.query_scale,
            self.key_scale,
            simplification.spread(self.queries, 0) * signs[:, None],
            self.keys[simplification.column_of],
            simplification.spread(self.thresholds, -unit) * signs,
        )

    def find_fault(self, question: Margin) -> str | None:
        """Return the reason why the vectors do not have the margin, or None."""
        pattern = question.pattern
        rows, columns = pattern.shape
        if question.d is not None and self.dimension > question.d:
            return f"the vectors have dimension {self.dimension}, more than d = {question.d}"
        if fault := find_fault_of_shape(pattern, self.queries, self.keys):
            return fault
        for name, vectors, scale in (
            ("query", self.queries, self.query_scale),
            ("key", self.keys, self.key_scale),
        ):
            if (longer := _first_longer(vectors, scale)) is not None:
                return f"{name} {longer} is longer than its scale, {scale}"
        products = rows * columns * max(1, self.dimension)
        sizes = max(1, largest(self.queries)) * max(1, largest(self.keys))
        if products > _MOST_PRODUCTS:
            return f"{products} products are too large to check"
        if products > _MOST_LONG_PRODUCTS and sizes * self.dimension >= _SAFE:
            return f"{products} products of long coordinates are too large to check"
        value = question.value * self.query_scale * self.key_scale
        least = -(-value.numerator // value.denominator)  # differences are whole numbers
        step = max(1, _BLOCK // max(1, columns))
        for start in range(0, rows, step):
            stop = min(start + step, rows)
            differences = exact_matmul(self.queries[start:stop], self.keys.T)
            differences = differences - self.thresholds[start:stop, None]
            entries = pattern.block(start, stop)
            wrong = ((entries == 1) & (differences < least)) | (
                (entries == 0) & (differences > -least)
            )
            if wrong.any():
                row, column = (int(index) for index in np.argwhere(wrong)[0])
                labels = pattern.row_label(start + row), pattern.column_label(column)
                return (
                    f"{' and '.join(labels)}: the logit is too close to the row's threshold, or on "
                    "its wrong side"
                )
        return None

    def explain(self, problem: Margin) -> list[str]:
        return [
            f"Queries and keys of norm at most 1 in dimension {self.dimension} keep every logit at "
            f"a distance of at least {problem.value} from its row's threshold."
        ]


def _first_longer(vectors: ExactArray, scale: int) -> int | None:
    """Return the first vector whose norm exceeds the scale."""
    long = (np.abs(vectors) > scale).any(axis=1)
    if not long.any():  # no square exceeds that of the scale
        numbers = vectors.astype(np.int64 if vectors.shape[1] * scale**2 < _SAFE else object)
        long = (numbers * numbers).sum(axis=1) > scale**2
    return int(np.flatnonzero(long)[0]) if long.any() else None
