"""The lowest one and the zeros above it, of each query of a block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.evaluation.judge import Judge
from samapprox.solvers.evaluation.single_scores import Chunk

__all__ = ["Highest", "ZerosAbove"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_NONE = -1


class Highest:
    """The key with the highest score of each query, among the entries that are shown.

    Parameters
    ----------
    judge : Judge
    floors : ndarray of float64, shape (h,), optional
        Scores in float32 below which no key is of interest.

    Attributes
    ----------
    keys : ndarray of int64, shape (h,)
        -1 where there is none.
    """

    def __init__(self, judge: Judge, floors: Floats | None = None) -> None:
        block = judge.block
        self._judge = judge
        self._errors = block.error_in_single(judge.formula)
        self._floors = np.full(len(block.scaled), -np.inf, dtype=np.float32)
        if floors is not None:
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
        rows, columns = self._judge.choose(rows[order], columns[order], "highest")
        self.keys[rows] = columns


class ZerosAbove:
    """The number of zeros whose score is at least that of a marked one, and the highest of them.

    Parameters
    ----------
    judge : Judge
    marks : ndarray of int64, shape (h,)
        The one of each query.

    Attributes
    ----------
    counts : ndarray of int64, shape (h,)
    """

    def __init__(self, judge: Judge, marks: Indices) -> None:
        rows = np.arange(len(marks))
        scores, errors = judge.block.scores(judge.formula, rows, marks)
        errors += judge.block.error_in_single(judge.formula)
        self._judge, self._marks = judge, marks
        self._low, self._high = round_down(scores - errors), -round_down(-scores - errors)
        self._highest = Highest(judge, scores - errors)
        self.counts = np.zeros(len(marks), dtype=np.int64)

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
            reached = self._judge.reaches(rows, columns, self._marks)
            np.add.at(self.counts, rows[reached], 1)
        self._highest.take(chunk)


def round_down(values: Floats) -> NDArray[np.float32]:
    """Round to float32 numbers that are not greater."""
    return np.nextafter(np.asarray(values).astype(np.float32), np.float32(-np.inf))
