"""Embeddings in numbers of a format: one key after the other, then the queries.

Where margins are small, rounding all vectors at once leaves some rows wrong. So one key after the
other takes numbers of the format, and all vectors that are still free move until they make up for
it. Queries come last: they depend on nothing but the keys, and are drawn near the best ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.embeddings.logits import gaps
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.ascent import Vectors, measure_margin
from samapprox.solvers.questions.margins.grid_annealing import list_values
from samapprox.solvers.questions.margins.linear_steps import climb_linearly
from samapprox.solvers.questions.margins.rounding import embed
from samapprox.solvers.questions.margins.straight_through import round_logits, scale_to_whole
from samapprox.support.arrays import Floats

# Dimensions up to which all 3^d roundings of a key are compared.
_MOST_DIMENSIONS = 8
# Steps once the extreme keys are fixed, and the most steps that may make up for a rounded key.
_SETTLING, _STEPS = 10, 12
# Roundings of a key that are tried, and the part of the margin that the first good one keeps.
_TRIED, _KEPT = 4, 0.97
# Batches of queries that are drawn for a row, queries in each, and how many numbers of the format
# their coordinates are off.
_BATCHES, _DRAWN, _SPREADS = 20, 2000, (0.0, 0.5, 1.0, 2.0)
# Draws of all queries: the format may sum in an order for which a row comes out wrong.
_ATTEMPTS = 3


def round_key_by_key(
    entries: NDArray[np.int8],
    start: Vectors,
    arithmetic: str,
    search: Search,
    random: np.random.Generator,
) -> Iterator[Embedding]:
    """Yield integer embeddings, of numbers of a format, near vectors from `climb_linearly`.

    Sums are taken in float64, so the order of the format's sums is left to be tested. Some dozens
    of linear programs for each key that is hard to round, a few for any other.
    """
    if start.dimension > _MOST_DIMENSIONS or measure_margin(entries, start.logits) <= 0:
        return
    values = list_values(arithmetic)
    rounding = _Rounding.of(entries, start, values / values[-1], search)
    while rounding is not None and rounding.is_open:
        rounding = rounding.fix_next()
        if search.out_of_time:
            return
    if rounding is None:
        return
    keys = rounding.held * values[-1]
    for _ in range(_ATTEMPTS):
        queries = _draw_queries(entries, rounding.vectors.queries, keys, arithmetic, random)
        if queries is None:
            return
        found = embed(entries, scale_to_whole(queries, 1), scale_to_whole(keys, None))
        if found is not None:
            yield found


@dataclass(frozen=True, slots=True, eq=False)
class _Rounding:
    """Vectors of which some coordinates of keys have numbers of the format."""

    entries: NDArray[np.int8]
    values: Floats
    search: Search
    vectors: Vectors
    held: Floats  # those coordinates, and nan elsewhere

    @classmethod
    def of(
        cls, entries: NDArray[np.int8], vectors: Vectors, values: Floats, search: Search
    ) -> _Rounding | None:
        """Fix the largest and the smallest number of each coordinate, which keep its range."""
        held = np.full_like(vectors.keys, np.nan)
        coordinates = np.arange(held.shape[1])
        held[vectors.keys.argmax(axis=0), coordinates] = 1.0
        held[vectors.keys.argmin(axis=0), coordinates] = -1.0
        rounding = cls(entries, values, search, vectors, held)
        found = list(islice(climb_linearly(entries, vectors, search, held), _SETTLING))
        return rounding._with(found[-1], held) if found else rounding._with(vectors, held)

    def _with(self, vectors: Vectors, held: Floats) -> _Rounding | None:
        """Return the rounding with other vectors, if they represent the pattern."""
        if measure_margin(self.entries, vectors.logits) <= 0:
            return None
        return _Rounding(self.entries, self.values, self.search, vectors, held)

    @property
    def is_open(self) -> bool:
        """Whether some coordinates have no number of the format yet."""
        return bool(np.isnan(self.held).any())

    def fix_next(self) -> _Rounding | None:
        """Fix the key that is farthest from numbers of the format.

        None if all its roundings leave a row wrong that the other vectors cannot mend.
        """
        errors = np.where(
            np.isnan(self.held), np.abs(self._near(self.vectors.keys, 0) - self.vectors.keys), -1
        )
        key = int(errors.max(axis=1).argmax())
        before = measure_margin(self.entries, self.vectors.logits)
        best, most = None, 0.0
        for numbers in self._list_roundings(key):
            held = self.held.copy()
            held[key] = numbers
            if (numbers == self.vectors.keys[key]).all():
                return self._with(self.vectors, held)
            steps = climb_linearly(self.entries, self.vectors, self.search, held)
            for vectors in islice(steps, _STEPS):
                margin = measure_margin(self.entries, vectors.logits)
                if margin > most:
                    best, most = self._with(vectors, held), margin
                if margin > _KEPT * before:
                    return best
        return best

    def _list_roundings(self, key: int) -> Floats:
        """List the best roundings of a key: those that leave the largest distances, first."""
        there, own = self.vectors.keys[key], self.held[key]
        choices = [
            [fixed]
            if not np.isnan(fixed)
            else sorted({float(self._near(x, k)) for k in (-1, 0, 1)})
            for x, fixed in zip(there, own, strict=True)
        ]
        roundings = np.array(list(product(*choices)))
        zeros, ones = gaps(self.entries, self.vectors.logits)
        thresholds = (zeros + ones) / 2
        rows = self.entries[:, key] >= 0
        signs = np.where(self.entries[rows, key] == 1, 1, -1)[:, None]
        logits = self.vectors.queries[rows] @ roundings.T
        least = (signs * (logits - thresholds[rows, None])).min(axis=0, initial=np.inf)
        return roundings[np.argsort(-least, kind="stable")[:_TRIED]]

    def _near(self, numbers: Floats, steps: int) -> Floats:
        """Return the nearest numbers of the format, or those so many steps above them."""
        places = _nearest(self.values, numbers) + steps
        return np.asarray(self.values[np.clip(places, 0, len(self.values) - 1)])


def _draw_queries(
    entries: NDArray[np.int8],
    queries: Floats,
    keys: Floats,
    arithmetic: str,
    random: np.random.Generator,
) -> Floats | None:
    """Draw queries of a format near some others, until every row is right; None if a row is not."""
    values, found = list_values(arithmetic), np.empty_like(queries)
    for row, query in enumerate(queries):
        for _ in range(_BATCHES):
            drawn = _draw_near(query, values, arithmetic, random)
            logits = round_logits(drawn @ keys.T, arithmetic)
            ones, zeros = (logits[:, entries[row] == value] for value in (1, 0))
            right = np.flatnonzero(ones.min(axis=1) > zeros.max(axis=1))
            if len(right):
                found[row] = drawn[right[0]]
                break
        else:
            return None
    return found


def _draw_near(
    query: Floats, values: Floats, arithmetic: str, random: np.random.Generator
) -> Floats:
    """Draw queries of a format near one: of different scales, and some numbers off.

    Where logits are rounded, the scale decides what they are rounded to. In int8, there is only
    one, since a query has a coordinate of 127 or -127.
    """
    largest = int(np.abs(query).argmax())
    scaled = np.tile(query * values[-1] / abs(query[largest]), (_DRAWN, 1))
    if arithmetic != "int8":
        scaled *= np.exp2(-random.random((_DRAWN, 1)))
    off = np.rint(random.choice(_SPREADS, (_DRAWN, 1)) * random.standard_normal(scaled.shape))
    if arithmetic == "int8":
        off[:, largest] = 0
    places = _nearest(values, scaled) + off.astype(np.int64)
    return np.asarray(values[np.clip(places, 0, len(values) - 1)])


def _nearest(values: Floats, numbers: Floats) -> NDArray[np.int64]:
    """Return the indices of the nearest values, which ascend."""
    return np.asarray(np.searchsorted((values[1:] + values[:-1]) / 2, numbers))
