"""Ceilings on the margin in single dimensions: codes on the sphere, and packings of balls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import ceil, inf, isqrt

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.base import Proof, Side
from samapprox.proofs.margins.sphere_packing import (
    SpherePacking,
    balls_fill_space,
    measure_spread,
)
from samapprox.proofs.margins.spherical_code import SphericalCode, caps_cover_sphere
from samapprox.solvers.questions.margins.rounding import MILLIONTHS, factorize
from samapprox.support.arrays import Entries

# Rows of the largest pattern, and its entries: all pairs of rows are compared.
_MOST_LINES, _MOST_ENTRIES = 1 << 11, 1 << 22
# Least differences that packings try: the larger they are, the fewer elements remain.
_DIFFERENCES = 6
# The largest number of a diagonal: factors then fit into floats, and their rounding matters little.
_LARGEST = 1 << 44
# Others whose vectors are added up: the largest matrices have as many rows.
_MOST_OTHERS = 256
# Steps of the search for the largest spread, and room for its rounding.
_STEPS, _SLACK = 100, 1e-4
# The largest dimension for which volumes are compared.
_MOST_DIMENSIONS = 256

# Millionths above the estimate of a bound that are tried.
_TRIED = (0, 1, 2, 4, 8, 16, 64, 256)


@dataclass(frozen=True, slots=True)
class _Packing:
    """Elements whose points lie far apart, with the numbers that bound the margin."""

    proof: SpherePacking
    points: int
    apart: int
    spread: int

    def excludes(self, d: int, value: Fraction) -> bool:
        """Return whether no margin in dimension d exceeds a value."""
        return balls_fill_space(self.points, d, value * self.apart, self.spread)

    def estimate(self, d: int) -> float:
        """Return the bound in dimension d, in floats."""
        room = 2 * d / (d + 2) * (2 * self.points / (d + 2)) ** (2 / d) - 2 * d / (d + 4)
        return 2 * self.spread**0.5 / self.points / self.apart / room if room > 0 else inf


class Ceilings:
    """Bounds on the margin of a simplified pattern in single dimensions.

    The code and the packings are found once, when the first dimension is asked for, in
    O(m^2 n + n^2 m).
    """

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    def best(self, d: int, below: Fraction) -> tuple[Fraction, Proof] | None:
        """Return a bound in dimension d that is below a known one, rounded up to millionths."""
        if d > _MOST_DIMENSIONS:
            return None
        found: list[tuple[float, Callable[[Fraction], bool], Proof]] = [
            (packing.estimate(d), partial(packing.excludes, d), packing.proof)
            for packing in self._packings
        ]
        if (code := self._code) is not None:
            points = int((1 + (code.signs == 0)).sum())
            found.append((_estimate_code(points, d), partial(caps_cover_sphere, points, d), code))
        if not found:
            return None
        value, excludes, proof = min(found, key=lambda bound: bound[0])
        if value >= below:
            return None
        exact = _round_up(value, excludes)
        return None if exact is None or exact >= below else (exact, proof)

    @property
    def _is_small(self) -> bool:
        height, width = self._entries.shape
        return bool(max(height, width) <= _MOST_LINES and height * width <= _MOST_ENTRIES)

    @cached_property
    def _code(self) -> SphericalCode | None:
        return find_code(self._entries) if self._is_small else None

    @cached_property
    def _packings(self) -> list[_Packing]:
        return list(_find_packings(self._entries)) if self._is_small else []


def _estimate_code(points: int, d: int) -> float:
    """Return the sine of the radius of caps that many of which cover the sphere, in floats."""
    from scipy.special import betaincinv

    return float(betaincinv((d - 1) / 2, 0.5, 2 / points)) ** 0.5 if d > 1 else 0.0


def _round_up(value: float, excludes: Callable[[Fraction], bool]) -> Fraction | None:
    """Return a number of millionths just above an estimate that is excluded, or None."""
    millionths = ceil(value * MILLIONTHS)
    for more in _TRIED:
        exact = Fraction(millionths + more, MILLIONTHS)
        if excludes(exact):
            return exact
    return None


def find_code(entries: Entries) -> SphericalCode | None:
    """Find many rows and complements of rows that cross pairwise, greedily.

    A row or complement that crosses most of the remaining ones comes next. None for fewer than
    three.
    """
    ones, zeros = ((entries == value).astype(np.float32) for value in (1, 0))
    ones, zeros = np.concatenate([ones, zeros]), np.concatenate([zeros, ones])
    before = ones @ zeros.T > 0
    crossing = before & before.T
    chosen: list[int] = []
    left = np.ones(len(ones), dtype=np.bool_)
    degrees = crossing.sum(axis=1)
    while left.any():
        best = int(np.where(left, degrees, -1).argmax())
        chosen.append(best)
        lost = left & ~crossing[best]
        lost[best] = True
        left &= ~lost
        degrees = degrees - crossing[:, lost].sum(axis=1)
    if len(chosen) < 3:
        return None
    height = len(entries)
    signs = np.zeros((height, 2), dtype=np.int64)
    signs[np.array(chosen) % height, np.array(chosen) // height] = 1
    rows = np.flatnonzero(signs.any(axis=1))
    return SphericalCode(rows, range(entries.shape[1]), signs[rows, 0] - signs[rows, 1])


def _find_packings(entries: Entries) -> Iterator[_Packing]:
    """Find sets of rows with equally many ones, and sets of columns, that differ in many places."""
    columns = np.flatnonzero((entries >= 0).all(axis=0))
    if 2 <= len(columns) <= _MOST_OTHERS:
        lines = entries[:, columns].astype(np.int64)
        sums = lines.sum(axis=1)
        for size in _most_frequent(sums):
            rows = np.flatnonzero(sums == size)
            yield from _spread_out("rows", rows, columns, lines[rows])
    rows = np.flatnonzero((entries >= 0).all(axis=1))
    if 0 < len(rows) <= _MOST_OTHERS:
        every = np.arange(entries.shape[1])
        yield from _spread_out("columns", every, rows, entries[rows].T.astype(np.int64))


def _most_frequent(sums: NDArray[np.int64]) -> list[int]:
    """Return the most frequent numbers of ones."""
    sizes, counts = np.unique(sums, return_counts=True)
    return [int(size) for size in sizes[np.argsort(-counts, kind="stable")][:3]]


def _spread_out(
    elements: Side, chosen: NDArray[np.int64], others: NDArray[np.int64], lines: NDArray[np.int64]
) -> Iterator[_Packing]:
    """Yield packings of some elements, with larger and larger least differences."""
    sums = lines.sum(axis=1)
    differing = sums[:, None] + sums - 2 * lines @ lines.T
    values = np.unique(differing[np.triu_indices(len(lines), 1)])
    values = values[values > 0]
    if not values.size:
        return
    places = np.unique(np.linspace(0, len(values) - 1, _DIFFERENCES).astype(int))
    for least in values[places]:
        kept = _thin(differing >= least)
        if len(kept) > 2 and (found := _pack(elements, chosen[kept], others, lines[kept])):
            yield found


def _thin(apart: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return elements that are pairwise apart, greedily from those with the fewest near ones."""
    left = np.ones(len(apart), dtype=np.bool_)
    near = ~apart
    np.fill_diagonal(near, val=True)
    kept = []
    for element in np.argsort(near.sum(axis=1), kind="stable"):
        if left[element]:
            kept.append(element)
            left &= ~near[element]
    return np.sort(np.array(kept, dtype=np.int64))


def _pack(
    elements: Side, chosen: NDArray[np.int64], others: NDArray[np.int64], lines: NDArray[np.int64]
) -> _Packing | None:
    """Bound the spread of the elements' sums of vectors, and make a proof."""
    used = lines.any(axis=0)
    lines, others = lines[:, used], others[used]
    weights = np.ones(len(others), dtype=np.int64)
    _, covariance = measure_spread(lines, weights)
    diagonal = _bound_spread(covariance.astype(np.float64))
    weights *= max(1, isqrt(int(_LARGEST / diagonal.max())))
    apart, covariance = measure_spread(lines, weights)
    found = factorize(covariance, diagonal * float(weights[0]) ** 2)
    if apart == 0 or found is None:
        return None
    whole, factor = found
    lists = (chosen, others) if elements == "rows" else (others, chosen)
    proof = SpherePacking(elements, *lists, weights, whole, factor)
    return _Packing(proof, len(lines), apart, int(whole.sum()))


def _bound_spread(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a diagonal of a small sum that exceeds a covariance.

    The sum of C_ij k_i . k_j for unit vectors is largest where the sum of C_ij k_j is parallel to
    k_i: its length belongs on the diagonal.
    """
    size = len(covariance)
    vectors = np.random.default_rng(0).standard_normal((size, min(size, 30)))
    for _ in range(_STEPS):
        vectors = covariance @ vectors
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(lengths > 0, lengths, 1)
    diagonal = np.linalg.norm(covariance @ vectors, axis=1)
    diagonal = np.maximum(diagonal, _SLACK * diagonal.mean() + 1)
    root = np.sqrt(diagonal)
    return np.asarray(diagonal * np.linalg.norm(covariance / root / root[:, None], 2))
