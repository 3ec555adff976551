"""The lowest one and the zeros above it, of each query of a block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.questions.evaluation.scores import (
    ExactComparisons,
    Formula,
    QueryBlock,
    ScaledVectors,
)
from samapprox.support.arrays import Floats, Indices, Singles

# The key of a query that has none so far.
_NONE = -1


class Highest:
    """The key with the highest score of each query among the entries that are shown, or -1.

    Keys whose scores in float32 lie below `floors` are left out.
    """

    def __init__(self, exact: ExactComparisons, floors: Floats) -> None:
        block = exact.block
        self._exact = exact
        self._errors = block.error_in_single(exact.formula)
        self._floors = round_down(floors)
        self.keys = np.full(len(block.scaled), _NONE, dtype=np.int64)

    def take(self, chunk: Chunk) -> None:
        """Compare with the scores of further keys."""
        chosen = np.flatnonzero((chunk.greatest >= self._floors) & np.isfinite(chunk.greatest))
        if not chosen.size:
            return
        lowest = round_down(chunk.greatest[chosen] - 2 * self._errors[chosen])
        self._floors[chosen] = np.maximum(self._floors[chosen], lowest)
        rows, columns = np.nonzero(chunk.scores[chosen] >= self._floors[chosen, None])
        rows, columns = chosen[rows], columns + chunk.start
        known = chosen[self.keys[chosen] != _NONE]
        rows, columns = np.append(rows, known), np.append(columns, self.keys[known])
        order = np.argsort(rows, kind="stable")
        rows, columns = self._exact.choose(rows[order], columns[order], "highest")
        self.keys[rows] = columns


class ZerosAbove:
    """The number of zeros that score at least as high as the one of each query, and the highest."""

    def __init__(self, exact: ExactComparisons, ones: Indices) -> None:
        rows = np.arange(len(ones))
        scores, errors = exact.block.scores(exact.formula, rows, ones)
        errors += exact.block.error_in_single(exact.formula)
        self.exact, self.ones = exact, ones
        self._low, self._high = round_down(scores - errors), -round_down(-scores - errors)
        self._highest = Highest(exact, scores - errors)
        self.counts = np.zeros(len(ones), dtype=np.int64)

    @property
    def keys(self) -> Indices:
        """The zero with the highest score of each query, where the count is not 0."""
        return self._highest.keys

    def take(self, chunk: Chunk) -> None:
        """Count among the scores of further keys."""
        chosen = np.flatnonzero(chunk.greatest >= self._low)
        if not chosen.size:
            return
        scores = chunk.scores[chosen]
        above = scores > self._high[chosen, None]
        self.counts[chosen] += np.count_nonzero(above, axis=1)
        near = scores >= self._low[chosen, None]
        near ^= above
        rows, columns = np.nonzero(near)
        if rows.size:
            rows, columns = chosen[rows], columns + chunk.start
            reached = self.exact.reaches(rows, columns, self.ones)
            np.add.at(self.counts, rows[reached], 1)
        self._highest.take(chunk)


def round_down(values: Floats) -> NDArray[np.float32]:
    """Round to float32 numbers that are not greater."""
    return np.nextafter(np.asarray(values).astype(np.float32), np.float32(-np.inf))


_WIDTH = 2048
"""Keys at a time: more make fewer products, but scores of 256 queries leave the cache."""

_KEPT = 1 << 28
"""Bytes of converted keys that are kept; beyond, each block of queries converts them again."""

_FEW_USES = 8
"""Blocks of queries up to which no keys are kept: filling new memory takes as long as these."""


class SingleKeys:
    """Scaled keys as float32, converted once if they take little memory and have many uses."""

    def __init__(self, keys: ScaledVectors, uses: int) -> None:
        self._keys = keys
        self.count, d = keys.array.shape
        self._kept: Singles | None = None
        if 4 * self.count * d <= _KEPT and uses > _FEW_USES:
            self._kept = np.empty((self.count, d), dtype=np.float32)
            for part in self.slices():
                keys.take_single(part, self._kept[part])

    def slices(self) -> Iterator[slice]:
        """Yield the keys in slices."""
        return (
            slice(start, min(start + _WIDTH, self.count)) for start in range(0, self.count, _WIDTH)
        )

    def make_buffer(self) -> Singles:
        """Return an array for `take`: new memory for each part would take as long as products."""
        width = 0 if self._kept is not None else _WIDTH
        return np.empty((width, self._keys.array.shape[1]), dtype=np.float32)

    @property
    def are_kept(self) -> bool:
        """Whether the keys are converted already."""
        return self._kept is not None

    def take(self, part: slice, buffer: Singles, factors: Singles | None = None) -> Singles:
        """Return some of the keys, perhaps in the buffer; those to be converted times factors."""
        if self._kept is not None:
            return self._kept[part]
        return self._keys.take_single(part, buffer[: part.stop - part.start], factors)


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Scores of all queries of a block with some keys, of which `start` is the first.

    Scores are minus infinity at hidden entries; `greatest` is the greatest score of each row.
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
    """Yield the place of a formula and the scores of a block under it, some keys at a time.

    The products of queries and keys are computed once for all formulas. `hidden` holds rows and
    columns of entries to leave out; columns ascend. A chunk is valid until the next one is taken.
    """
    queries = block.scaled.astype(np.float32)
    height = len(queries)
    products = np.empty(height * _WIDTH, dtype=np.float32)
    scores = np.empty_like(products)
    factors = [
        (formula.alpha.astype(np.float32), formula.beta.astype(np.float32)) for formula in formulas
    ]
    shifted = [bool(beta.any()) for _, beta in factors]
    buffer = keys.make_buffer()
    # The factors of a single formula cost nothing while its keys are converted.
    is_folded = len(factors) == 1 and not keys.are_kept
    for part in keys.slices():
        width = part.stop - part.start
        product = products[: height * width].reshape(height, width)
        score = scores[: height * width].reshape(height, width)
        own = factors[0][0][part] if is_folded else None
        taken = keys.take(part, buffer, own)
        np.matmul(queries, taken.T, out=score if is_folded else product)
        first, last = np.searchsorted(hidden[1], (part.start, part.stop))
        rows, columns = hidden[0][first:last], hidden[1][first:last] - part.start
        for place, (alpha, beta) in enumerate(factors):
            if not is_folded:
                np.multiply(product, alpha[part], out=score)
            if shifted[place]:
                score += beta[part]
            score[rows, columns] = -np.inf
            yield place, Chunk(part.start, score, score.max(axis=1))
