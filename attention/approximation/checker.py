"""The check of conditions (7) and (8) of Theorem 0.4, block by block, and its report."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.layer import AttentionLayer
from samapprox.attention.approximation.logits import ExactLogits, FloatLogits, less_than_log
from samapprox.attention.approximation.target import Target
from samapprox.errors import InputError, require_callback, require_number, require_type
from samapprox.support.progress import OnProgress, Progress
from samapprox.support.text import plural

_MOST_EPS2 = 1e6

_ROUNDINGS = 10
"""A slack has two wrong logits, and three subtractions of what is at most twice as great: each
rounds by less than a logit may be wrong."""

_LOGARITHMS = 1e-12
"""Logarithms of A and eps1 are below 746, and six of their roundings below this."""


@dataclass(frozen=True, slots=True)
class Worst:
    """The pair of columns that comes closest to violating a condition, or violates it most."""

    row: int
    first: int
    second: int
    log_ratio: float  # for (7) log(M_ij1 / M_ij2); for (8) that minus log(A_ij1 / A_ij2)

    @property
    def ratio(self) -> float:
        """exp(log_ratio): for (7) to be below eps1, for (8) below exp(eps2)."""
        return factor(self.log_ratio)

    def to_json(self) -> dict[str, Any] | None:
        """Return its part of `samapprox schema approximation`; None if nothing is compared."""
        if self.row < 0:
            return None
        return {
            "row": self.row,
            "columns": [self.first, self.second],
            "log_ratio": finite(self.log_ratio),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of the checker.

    Attributes
    ----------
    holds : bool
        Both conditions hold for the logits as the layer's arithmetic computes them.
    zeros : Worst
        The worst pair for condition (7): a column where A is zero against one where it is not.
    ones : Worst
        The worst pair for condition (8): two columns where A is not zero.
    spread : float
        The greatest logit of a row minus its least, at most over the rows: what an arithmetic must
        hold, and what a softmax sees.
    rounding : float
        How far a computed logit may be from that of real numbers; 0 for exact layers, infinite
        for types of 2 bytes.
    arithmetic : str
        The number format in which the layer was checked, or "exact".
    eps1, eps2 : float
        The precision of conditions (7) and (8).
    """

    holds: bool
    zeros: Worst
    ones: Worst
    spread: float
    rounding: float
    arithmetic: str
    eps1: float
    eps2: float

    @property
    def slack(self) -> float:
        """The change of logit differences that the conditions tolerate; negative if one fails."""
        return min(math.log(self.eps1) - self.zeros.log_ratio, self.eps2 - self.ones.log_ratio)

    @property
    def is_proven(self) -> bool:
        """Whether both conditions hold in real numbers: exactly, or beyond the rounding error."""
        needed = _ROUNDINGS * self.rounding + _LOGARITHMS
        return self.holds and (self.arithmetic == "exact" or self.slack > needed)


def require_precision(eps1: float, eps2: float) -> None:
    """Refuse precisions outside the theorem."""
    require_number("eps1", eps1)
    require_number("eps2", eps2)
    if not 0 < eps1 < 1:
        raise InputError(f"eps1 must be above 0 and below 1, not {eps1}")
    if not 0 < eps2 <= _MOST_EPS2:
        raise InputError(f"eps2 must be a positive number of at most {_MOST_EPS2:g}, not {eps2}")


def factor(log_ratio: float) -> float:
    """Return the exponential, infinite on overflow."""
    return math.exp(log_ratio) if log_ratio < 709 else math.inf


def finite(number: float) -> float | None:
    """Convert a number to JSON, which has no infinity."""
    return number if math.isfinite(number) else None


_DOUBT = 1e-12  # relative difference below which a comparison in float64 is in doubt


class Block:
    """Rows start..stop of logits, with the decisive pairs of columns of each row."""

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
        return less_than_log(gap, Fraction(eps1))

    def _ones_hold(self, row: int, eps2: float) -> bool:
        ends = [*self.bounds, len(self.columns)]
        own = range(ends[row], ends[row + 1])
        return all(
            less_than_log(
                self._difference(row, int(self.columns[a]), int(self.columns[b])) - Fraction(eps2),
                Fraction(self.values[a]) / Fraction(self.values[b]),
            )
            for a in own
            for b in own
            if a != b
        )

    def _difference(self, row: int, first: int, second: int) -> Fraction:
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


_BLOCK_ENTRIES = 1 << 21  # logits at a time: 16 MB in float64


def check(
    layer: AttentionLayer,
    target: Target,
    eps1: float,
    eps2: float,
    *,
    progress: OnProgress | None = None,
) -> Report:
    """Check whether SAM (CSAM for a causal layer) satisfies (7) and (8) for A.

    Parameters
    ----------
    layer : AttentionLayer, n tokens
        Its type says the arithmetic: see there.
    target : Target, shape (n, n)
        A; its floats are taken as they are.
    eps1 : float
        In (0, 1): zeros of A get less than eps1 times what any nonzero of the row gets.
    eps2 : float
        Positive, at most a million: ratios of two nonzeros of a row are off by a factor below
        exp(eps2).
    progress : callable, optional
        Called with a `Progress` that has the share of the rows that are done.

    Returns
    -------
    Report
        The worst entries of both conditions, and whether these hold.

    Raises
    ------
    InputError
        eps1 or eps2 out of range, a layer of another number of tokens, or a causal layer for a
        matrix that is not lower triangular.

    Notes
    -----
    O(n^2 d) time, memory O(n d) and blocks of some 2 million logits. M is never computed: ratios
    of a row are exponentials of differences of logits. An exact layer is decided exactly:
    differences are fractions, compared with logarithms enclosed as tightly as it takes.

    References
    ----------
    Likhosherstov, Choromanski, Weller (2023), Equations (7), (8), (23), (24).

    Examples
    --------
    >>> import numpy as np
    >>> A = Target.from_array([[0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]])
    >>> layer = AttentionLayer.from_factors(4 * A.to_array(), np.eye(3))
    >>> report = check(layer, A, eps1=0.2, eps2=0.1)
    >>> report.holds, report.is_proven, report.zeros.row, round(report.zeros.ratio, 4)
    (True, True, 0, 0.1353)
    """
    require_precision(eps1, eps2)
    require_type("layer", layer, AttentionLayer, "an AttentionLayer")
    require_type("target", target, Target, "a Target")
    require_callback("progress", progress)
    if layer.n != target.n:
        raise InputError(f"the layer has {plural(layer.n, 'token')}, A has {target.n}")
    if layer.causal:
        target.require(causal=True)
    source = ExactLogits(layer) if layer.is_exact else FloatLogits(layer)
    zeros, ones = Worst(-1, -1, -1, -math.inf), Worst(-1, -1, -1, 0.0)
    holds, spread = True, 0.0
    step = max(1, _BLOCK_ENTRIES // layer.n)
    for start in range(0, layer.n, step):
        block = Block(source, target, start, min(start + step, layer.n), layer.causal)
        zeros = max(zeros, block.worst_zero(), key=_severity)
        ones = max(ones, block.worst_one(), key=_severity)
        holds = holds and block.holds(eps1, eps2)
        spread = max(spread, block.spread())
        if progress is not None:
            progress(Progress("checking rows", share=block.stop / layer.n))
    return Report(
        holds, zeros, ones, spread, source.rounding, layer.arithmetic, float(eps1), float(eps2)
    )


def _severity(worst: Worst) -> float:
    return worst.log_ratio
