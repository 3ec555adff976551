"""Scores of a block of queries with all keys in float32, some keys at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.evaluation.float_scores import Formula, QueryBlock
from samapprox.solvers.evaluation.scaled import ScaledVectors

__all__ = ["Chunk", "SingleKeys", "stream_chunks"]

Singles = NDArray[np.float32]
Indices = NDArray[np.int64]

_WIDTH = 2048  # keys at a time: scores of 256 queries stay in the cache
_KEPT = 1 << 29  # bytes of converted keys that are kept


class SingleKeys:
    """Scaled keys as float32, converted once if they take little memory.

    Parameters
    ----------
    keys : ScaledVectors
    """

    def __init__(self, keys: ScaledVectors) -> None:
        self._keys = keys
        self.count, d = keys.array.shape
        self._kept: Singles | None = None
        if 4 * self.count * d <= _KEPT:
            self._kept = np.empty((self.count, d), dtype=np.float32)
            for part in self.slices():
                self._kept[part] = keys.take(part)

    def slices(self) -> Iterator[slice]:
        """Yield the keys in slices."""
        return (
            slice(start, min(start + _WIDTH, self.count)) for start in range(0, self.count, _WIDTH)
        )

    def take(self, part: slice) -> Singles:
        """Return some of the keys."""
        if self._kept is not None:
            return self._kept[part]
        return self._keys.take(part).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Scores of all queries of a block with some keys.

    Attributes
    ----------
    start : int
        The first of the keys.
    scores : ndarray of float32, shape (h, w)
        Minus infinity at entries that are hidden.
    greatest : ndarray of float32, shape (h,)
        The greatest of each row.
    """

    start: int
    scores: Singles
    greatest: Singles


def stream_chunks(
    block: QueryBlock,
    keys: SingleKeys,
    formulas: Sequence[Formula],
    hidden: tuple[Indices, Indices],
) -> Iterator[tuple[int, Chunk]]:
    """Yield all scores of a block, for some keys at a time under each similarity.

    Parameters
    ----------
    block : QueryBlock
    keys : SingleKeys
    formulas : sequence of Formula
        The products of queries and keys are computed once for all of them.
    hidden : (rows, columns) of int64
        Entries to leave out; columns ascend.

    Yields
    ------
    place : int
        Of the formula.
    chunk : Chunk
        Valid until the next one is taken.
    """
    queries = block.scaled.astype(np.float32)
    height = len(queries)
    products = np.empty(height * _WIDTH, dtype=np.float32)
    scores = np.empty_like(products)
    factors = [
        (formula.alpha.astype(np.float32), formula.beta.astype(np.float32)) for formula in formulas
    ]
    shifted = [bool(beta.any()) for _, beta in factors]
    for part in keys.slices():
        width = part.stop - part.start
        product = products[: height * width].reshape(height, width)
        score = scores[: height * width].reshape(height, width)
        np.matmul(queries, keys.take(part).T, out=product)
        first, last = np.searchsorted(hidden[1], (part.start, part.stop))
        rows, columns = hidden[0][first:last], hidden[1][first:last] - part.start
        for place, (alpha, beta) in enumerate(factors):
            np.multiply(product, alpha[part], out=score)
            if shifted[place]:
                score += beta[part]
            score[rows, columns] = -np.inf
            yield place, Chunk(part.start, score, score.max(axis=1))
