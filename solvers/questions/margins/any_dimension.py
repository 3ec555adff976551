"""Bounds on the margin in any dimension: an embedding from below, and a dual from above."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.base import Proof
from samapprox.proofs.margins.margin_dual import MarginDual
from samapprox.proofs.margins.unit_embedding import UnitEmbedding
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.ascent import (
    Vectors,
    ascend,
    measure_margin,
    random_vectors,
    smooth_margin,
    unit_vectors,
)
from samapprox.solvers.questions.margins.rounding import (
    Cells,
    bound_by_gradient,
    find_cells,
    make_dual,
    make_key_form,
    round_vectors,
)

# The relative distance of the bounds that ends the search.
_CLOSE = 0.005
# The first sharpness, for large patterns another one, and the last. Soft searches end earlier:
# good for large patterns, but most of their work is done again.
_FIRST, _FIRST_OF_LARGE, _LAST = 640.0, 20.0, 1e6
# Noise before each ascent, relative to the queries: more leaves a subspace, less keeps the gain.
_NOISE = 0.05
# Coordinates beyond min(m, n), which suffice: ascents in few dimensions get stuck more easily.
_SPARE = 3
# Products of all logits, which bound the coordinates for large patterns: less than 0.2 s.
_MOST_PRODUCTS = 1 << 30
# Time in which logits are computed once more, vectors are rounded, and the proof is checked.
_SECONDS_A_PRODUCT = 0.6 / _MOST_PRODUCTS


class AnyDimension:
    """A search that closes the interval of the margin in any dimension.

    Every row of `entries`, those of a simplified pattern, has a one and a zero. `yes` is the
    largest margin so far, `no` the smallest bound, and `vectors` those of `yes` in floating point.
    `report` is called whenever a bound may be better.
    """

    def __init__(
        self, entries: NDArray[np.int8], search: Search, report: Callable[[], None]
    ) -> None:
        self._entries, self._search, self._report = entries, search, report
        self.yes: tuple[Fraction, UnitEmbedding] | None = None
        self.no: tuple[Fraction, Proof] = Fraction(1), _trivial_bound(entries)
        self.vectors: Vectors | None = None

    def run(self, share: float) -> None:
        """Search within a share of the time."""
        tidying = _SECONDS_A_PRODUCT * self._entries.size * _coordinates(self._entries)
        search = self._search.slice(share * self._search.remaining - tidying, 0)
        random = np.random.default_rng(self._search.seed)
        if (part := draw_part(self._entries, random)) is not None:
            self._bound_part(*part, search.slice(search.remaining / 2, 0), random)
        for vectors, sharpness in _ascents(self._entries, search, random, _FIRST):
            self._note(vectors, sharpness)
            self._report()
            if self._closed:
                break

    def _bound_part(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        search: Search,
        random: np.random.Generator,
    ) -> None:
        """Bound the margin of a part, which is a bound for the whole."""
        entries = self._entries[np.ix_(rows, columns)]
        for vectors, sharpness in _ascents(entries, search, random, _FIRST_OF_LARGE):
            self._prove(rows, columns, vectors, sharpness)
            self._report()
            least = Fraction(measure_margin(entries, vectors.logits))
            if self.no[0] - least <= _CLOSE * self.no[0]:
                break

    @property
    def _closed(self) -> bool:
        return self.yes is not None and self.no[0] - self.yes[0] <= _CLOSE * self.no[0]

    def _note(self, vectors: Vectors, sharpness: float) -> None:
        """Keep the margin of these vectors, and the bound that they give, if they are better."""
        least = self.yes[0] if self.yes is not None else Fraction(0)
        if measure_margin(self._entries, vectors.logits) > least:
            rounded = round_vectors(self._entries, vectors)
            if rounded[0] > least:
                self.yes, self.vectors = rounded, vectors
        height, width = self._entries.shape
        if width < MOST_LINES:
            columns = np.arange(width)
            if height > width:  # a form in the keys has room for all rows
                rows, core = np.arange(height), vectors
            else:
                _, weights = smooth_margin(self._entries, vectors.logits, sharpness)
                rows = heaviest_rows(weights)
                core = Vectors(vectors.queries[rows], vectors.keys)
            self._prove(rows, columns, core, sharpness)

    def _prove(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        vectors: Vectors,
        sharpness: float,
    ) -> None:
        """Keep the bound that vectors for some rows and columns give, if it is better."""
        entries = self._entries[np.ix_(rows, columns)]
        _, gradient = smooth_margin(entries, vectors.logits, sharpness)
        candidates = [bound_by_gradient(vectors, gradient)]
        if entries.shape == self._entries.shape and self._cells is not None:
            candidates.append(bound_by_gradient(vectors, gradient, self._cells))
        bound, weights, diagonal = min(candidates, key=lambda candidate: candidate[0])
        if bound >= self.no[0]:
            return
        make = make_key_form if len(rows) > len(columns) else make_dual
        if (found := make(entries, weights, diagonal)) and found[0] < self.no[0]:
            self.no = found[0], found[1].place(rows, columns)

    @cached_property
    def _cells(self) -> Cells | None:
        return find_cells(self._entries)


def _coordinates(entries: NDArray[np.int8]) -> int:
    """Return the dimension in which the vectors of any dimension are searched."""
    height, width = entries.shape
    return int(min(min(height, width) + _SPARE, _MOST_PRODUCTS // (height * width)))


def _ascents(
    entries: NDArray[np.int8], search: Search, random: np.random.Generator, sharpness: float
) -> Iterator[tuple[Vectors, float]]:
    """Yield vectors of larger and larger smoothed margins, with the sharpness of each."""
    height, width = entries.shape
    d = _coordinates(entries)
    if d >= min(height, width):
        vectors = unit_vectors(entries, d)
    else:
        vectors, sharpness = random_vectors((height, width), d, random), _FIRST_OF_LARGE
    yield vectors, sharpness
    while sharpness < _LAST and not search.out_of_time:
        # Vectors that lie in a subspace would stay there, though others may be better.
        noise = random.standard_normal(vectors.queries.shape) * (_NOISE / np.sqrt(d))
        vectors = Vectors(vectors.queries + noise, vectors.keys)
        vectors = ascend(entries, vectors, sharpness, search)
        yield vectors, sharpness
        sharpness *= 2


def _trivial_bound(entries: NDArray[np.int8]) -> MarginDual:
    """Prove by a one and a zero of one row that no margin exceeds 1."""
    columns = [int(np.flatnonzero(entries[0] == value)[0]) for value in (1, 0)]
    return MarginDual([0], columns, [[1, 1]], [2], [1, 1], [[1, -1, 0], [1, 0, 1]])


MOST_LINES = 700
"""The greatest number of rows and columns together of a proof's core, whose size is the square."""

# The most rows, and the most columns, of a part that is drawn at random: more give a better
# bound, whose proof takes their cube.
_DRAWN = 256


def draw_part(
    entries: NDArray[np.int8], random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Draw ascending rows and columns of a pattern that is too large for a proof's core.

    Every row has a one and a zero in these columns. None if the pattern is small enough as it is,
    or if no such row is left.
    """
    height, width = entries.shape
    if height + width <= MOST_LINES or width <= _DRAWN:
        return None
    columns = np.sort(random.choice(width, _DRAWN, replace=False))
    there = entries[:, columns]
    mixed = np.flatnonzero((there == 1).any(axis=1) & (there == 0).any(axis=1))
    if not mixed.size:
        return None
    return np.sort(random.choice(mixed, min(len(mixed), _DRAWN), replace=False)), columns


def heaviest_rows(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rows with most weight, ascending, as many as a proof's core may have.

    There are fewer columns than `MOST_LINES`.
    """
    height, width = weights.shape
    count = min(height, MOST_LINES - width)
    return np.sort(np.argsort(-np.abs(weights).sum(axis=1), kind="stable")[:count])
