"""Blocks of logits, and the pairs of columns that decide conditions (7) and (8)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.exact_logits import ExactLogits, less_than_log
from samapprox.attention.approximation.report import Worst
from samapprox.attention.approximation.rounding import FloatLogits
from samapprox.attention.approximation.target import Target

__all__ = ["Block"]

_DOUBT = 1e-12  # of a comparison in float64, relative


class Block:
    """Rows start..stop of logits, with the decisive pairs of columns of each row.

    Parameters
    ----------
    source : ExactLogits or FloatLogits
    target : Target, shape (n, n)
    start, stop : int
    causal : bool
        Only columns up to the row's own index count.
    """

    def __init__(
        self,
        source: ExactLogits | FloatLogits,
        target: Target,
        start: int,
        stop: int,
        causal: bool,
    ) -> None:
        self.source, self.start, self.stop = source, start, stop
        part = slice(target.indptr[start], target.indptr[stop])
        self.bounds = (target.indptr[start:stop] - target.indptr[start]).tolist()
        self.rows = target.rows[part] - start
        self.columns, self.logs, self.values = (
            target.columns[part],
            target.logs[part],
            target.values[part],
        )
        self.logits = source.rows(start, stop)
        self.counts = np.ones((stop - start, target.n), dtype=np.bool_)
        if causal:
            self.counts = np.tri(stop - start, target.n, k=start, dtype=np.bool_)
        self._compare()

    def _compare(self) -> None:
        """Compute the greatest zero, the least nonzero and the extreme nonzeros of every row."""
        own = self.logits[self.rows, self.columns]
        self.least = _argmin_by_row(own, self.bounds)
        off = self.counts.copy()
        off[self.rows, self.columns] = False
        self.has_zero = np.asarray(off.any(axis=1))
        self.greatest = _masked(self.logits, off, least=True).argmax(axis=1)
        place = np.arange(len(self.logits))
        self.gaps = self.source.differences(
            self.logits, self.start, place, self.greatest, self.columns[self.least]
        )
        self.gaps[~self.has_zero] = -math.inf
        reference = np.repeat(self.least, np.diff([*self.bounds, len(own)]))
        errors = self.source.differences(
            self.logits, self.start, self.rows, self.columns, self.columns[reference]
        ) - (self.logs - self.logs[reference])
        self.high = _argmin_by_row(-errors, self.bounds)
        self.low = _argmin_by_row(errors, self.bounds)
        self.deviations = errors[self.high] - errors[self.low]

    def worst_zero(self) -> Worst:
        """Return the worst pair for condition (7)."""
        row = int(self.gaps.argmax())
        if not self.has_zero[row]:
            return Worst(-1, -1, -1, -math.inf)
        first, second = int(self.greatest[row]), int(self.columns[self.least[row]])
        return Worst(self.start + row, first, second, float(self.gaps[row]))

    def worst_one(self) -> Worst:
        """Return the worst pair for condition (8)."""
        row = int(self.deviations.argmax())
        if self.high[row] == self.low[row]:
            return Worst(-1, -1, -1, 0.0)
        first, second = self.columns[self.high[row]], self.columns[self.low[row]]
        return Worst(self.start + row, int(first), int(second), float(self.deviations[row]))

    def spread(self) -> float:
        """Return the greatest logit of a row minus its least, over the rows."""
        place = np.arange(len(self.logits))
        top = _masked(self.logits, self.counts, least=True).argmax(axis=1)
        bottom = _masked(self.logits, self.counts, least=False).argmin(axis=1)
        return float(self.source.differences(self.logits, self.start, place, top, bottom).max())

    def holds(self, eps1: float, eps2: float) -> bool:
        """Return whether no row violates a condition; close cases of exact layers are rechecked."""
        limit = math.log(eps1)
        if not isinstance(self.source, ExactLogits):
            return bool((self.gaps < limit).all() and (self.deviations < eps2).all())
        zero_doubts = np.abs(self.gaps - limit) < _DOUBT * (1 - limit)
        one_doubts = np.abs(self.deviations - eps2) < _DOUBT * (1 + self._size())
        if (self.gaps[~zero_doubts] >= limit).any():
            return False
        if (self.deviations[~one_doubts] >= eps2).any():
            return False
        return all(
            self._zeros_hold(row, eps1) for row in np.flatnonzero(zero_doubts).tolist()
        ) and all(self._ones_hold(row, eps2) for row in np.flatnonzero(one_doubts).tolist())

    def _size(self) -> float:
        """Return the size of the terms whose difference a deviation is."""
        return float(np.abs(self.logs).max() + self.deviations.max())

    def _zeros_hold(self, row: int, eps1: float) -> bool:
        gap = self._difference(row, int(self.greatest[row]), int(self.columns[self.least[row]]))
        return less_than_log(gap, [eps1], [])

    def _ones_hold(self, row: int, eps2: float) -> bool:
        ends = [*self.bounds, len(self.columns)]
        own = range(ends[row], ends[row + 1])
        return all(
            less_than_log(
                self._difference(row, int(self.columns[a]), int(self.columns[b])),
                [self.values[a]],
                [self.values[b]],
                plus=eps2,
            )
            for a in own
            for b in own
            if a != b
        )

    def _difference(self, row: int, first: int, second: int) -> Any:
        assert isinstance(self.source, ExactLogits)
        return self.source.difference(self.logits, self.start, row, first, second)


def _argmin_by_row(values: NDArray[Any], bounds: list[int]) -> NDArray[np.int64]:
    """Locate the least value of each of the consecutive parts that begin at bounds."""
    ends = [*bounds[1:], len(values)]
    parts: Iterator[tuple[int, int]] = zip(bounds, ends, strict=True)
    return np.array([a + int(values[a:b].argmin()) for a, b in parts], dtype=np.int64)


def _masked(logits: NDArray[Any], keep: NDArray[np.bool_], *, least: bool) -> NDArray[Any]:
    """Return the logits, with something less (greater) than all of them where they don't count."""
    if logits.dtype.kind == "f":
        return np.where(keep, logits, -np.inf if least else np.inf)
    return np.where(keep, logits, logits.min() - 1 if least else logits.max() + 1)
