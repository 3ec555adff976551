"""Elimination over GF(2) on sign patterns: topological refutations of the whole or of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.checks.orientation_clauses import sign_matrix
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.dense_blocks import on_excerpt
from samapprox.solvers.refutations.topology.cycles import NO_CYCLE, OUT_OF_TIME, TOO_LARGE
from samapprox.solvers.refutations.topology.suspension import (
    Part,
    Suspension,
    SuspensionSearch,
    shrink,
    suspend,
)
from samapprox.support.clock import search_clock

__all__ = ["NAME", "applies", "find_proof", "first_turn"]

NAME = "topological"

Numbers = NDArray[np.int64]
Signs = NDArray[np.int8]
Heat = dict[Side, NDArray[np.float64]]
"""How often numeric searches left each element wrong."""

_SIDES: tuple[Side, ...] = ("columns", "rows")

_MOST_ENTRIES = 4_000_000  # of a pattern that is looked at as a whole
_MOST_DIMENSIONS = 30
_LATER = 0.3  # seconds, at most, for the first turn
_FEWEST_FACES = 200  # times as many as on d + 1 elements, for the first part
_GROWTH = 6  # times as many faces for the next part
_SHARE = 0.3  # of the time that is left, for parts on each side; the whole gets the rest
_MORE_ROWS = 1.5  # times as many rows as columns, from which on columns are the elements
_COMMON = 0.8  # of the signs of an element, mostly +, that stands for a key that all attend to
_FAVOUR = 3.0  # for elements that numeric searches left wrong
_LEAST_TIDYING = 0.3  # seconds for making a refuted part smaller; or twice what it took


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d < 2:
        return "d = 1 is decided by other strategies"
    if problem.d > _MOST_DIMENSIONS:
        return f"d = {problem.d} leads to too many sign patterns"
    return None


def first_turn(problem: Problem) -> float:
    """Return the length of the first turn in seconds: after SAT on few elements, unless large."""
    rows, columns = problem.pattern.shape
    return min(_LATER, max(0.02, 1.6e-5 * rows * columns))


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Find sign patterns on d + 2 elements that contain a circuit of any vectors.

    The elements come in one after the other, on each side, until the first ones are refuted. If all
    of them are not, no topological refutation exists, on either side: docs/theory/topological.md.
    Where time is too short for all, a part of each turn goes to the first elements of other orders,
    and the rest to all elements of one order, on which the next turn goes on.
    """
    return on_excerpt(problem, search, _MOST_ENTRIES, _find)


def _find(problem: Problem, search: Search) -> Proof | str:
    work = search.work.get(NAME)
    if not isinstance(work, _Work) or work.problem is not problem:
        work = search.work[NAME] = _Work(problem)
    hot = search.count_violations(problem.pattern.shape)
    heat: Heat = {"columns": hot[1], "rows": np.append(hot[0].max(initial=0), hot[0])}
    started = search_clock.now()
    found = work.advance(heat, np.random.RandomState(search.seed % (1 << 32)), search)
    if isinstance(found, Suspension):
        seconds = max(_LEAST_TIDYING, 2 * (search_clock.now() - started))
        return shrink(found, search.extend(seconds)).proof()
    if found == NO_CYCLE:
        search.exhausted.add(NAME)
    return found


class _Work:
    """Eliminations for one problem, turn after turn."""

    def __init__(self, problem: Problem) -> None:
        entries = problem.pattern.to_array()
        self.problem = problem
        self._d = problem.d
        self._signs = {side: sign_matrix(entries, side) for side in _SIDES}
        self._sizes = dict.fromkeys(_SIDES, _enlarge(self._d + 1, self._d, _FEWEST_FACES))
        self._orders = _orders()
        self._whole: SuspensionSearch | None = None

    def advance(self, heat: Heat, rng: np.random.RandomState, search: Search) -> Suspension | str:
        """Refute the first elements of the next order, or go on with the whole."""
        order = next(self._orders)
        for side in _SIDES:
            elements = _common_first(self._signs[side], order(heat[side], rng))
            found = self._grow(side, elements, search.slice(_SHARE * search.remaining, 0))
            if found != OUT_OF_TIME:
                return found
        if self._whole is None:
            side = self._choose_side()
            elements = _common_first(self._signs[side], _hot_first(heat[side], rng))
            self._whole = SuspensionSearch(self._part(side, elements))
        found = self._whole.resume(search)
        if found == TOO_LARGE:
            self._whole = None  # another order may do
        return found

    def _part(self, side: Side, elements: Numbers) -> Part:
        return Part(self._d, side, self._signs[side], np.arange(len(self._signs[side])), elements)

    def _choose_side(self) -> Side:
        """Choose the elements of the whole: rows, which eliminate sooner, unless there are more."""
        rows, columns = self.problem.pattern.shape
        definite = self.problem.pattern.unspecified is None
        return "columns" if definite and rows > _MORE_ROWS * columns else "rows"

    def _grow(self, side: Side, elements: Numbers, search: Search) -> Suspension | str:
        """Refute the first elements, from as many as the order before had time for."""
        size = min(self._sizes[side], len(elements))
        while True:
            found = suspend(self._part(side, elements[:size]), search)
            if isinstance(found, Suspension):
                return found
            if found != NO_CYCLE:
                if size == self._sizes[side]:  # too many for a start
                    self._sizes[side] = max(self._d + 2, size - 1)
                return OUT_OF_TIME
            self._sizes[side] = size
            if size == len(elements):
                final = bool((self._signs[side][:, elements[0]] != 0).all())
                return NO_CYCLE if final else OUT_OF_TIME
            size = min(_enlarge(size, self._d, _GROWTH), len(elements))


def _orders() -> Iterator[Callable[[NDArray[np.float64], np.random.RandomState], Numbers]]:
    """Yield ways to order the elements: as they stand at first, then others again and again."""
    yield lambda heat, _: np.arange(len(heat))
    while True:
        yield _hot_first
        yield _near_first
        yield _spaced_first


def _common_first(signs: Signs, elements: Numbers) -> Numbers:
    """Put the element with the fewest don't-cares first, then those that most covectors hold."""
    known, sums = (signs != 0).sum(axis=0), signs.sum(axis=0, dtype=np.int64)
    common = 1.0 * (sums > _COMMON * known)
    common[np.lexsort((-sums, -known))[0]] = 2
    return elements[np.argsort(-common[elements], kind="stable")]


def _hot_first(heat: NDArray[np.float64], rng: np.random.RandomState) -> Numbers:
    """Order elements at random, those first that numeric searches left wrong."""
    favour = 1 + _FAVOUR * heat / max(1e-9, float(heat.max(initial=0)))
    return np.argsort(rng.random_sample(len(heat)) / favour)


def _near_first(heat: NDArray[np.float64], rng: np.random.RandomState) -> Numbers:
    """Order elements by their distance from one of them."""
    return np.argsort(np.abs(np.arange(len(heat)) - rng.randint(len(heat))), kind="stable")


def _spaced_first(heat: NDArray[np.float64], rng: np.random.RandomState) -> Numbers:
    """Order elements so that every s-th one comes first."""
    spacing = 2 + rng.randint(max(1, len(heat) // 4))
    places = np.arange(len(heat)) - rng.randint(spacing)
    return np.argsort(places % spacing, kind="stable")


def _enlarge(size: int, d: int, times: int) -> int:
    """Return how many elements have so many times as many faces of opposed patterns."""
    larger = size + 1
    while _count_faces(larger, d) < times * _count_faces(size, d):
        larger += 1
    return larger


def _count_faces(elements: int, d: int) -> int:
    """Return how many faces of opposed patterns there can be, beside an apex."""
    return comb(elements - 1, d) << (d - 1)
