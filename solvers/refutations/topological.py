"""Elimination over GF(2) on sign patterns: topological refutations of the whole or of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.dense_blocks import on_excerpt
from samapprox.solvers.refutations.elimination.cycles import NO_CYCLE, OUT_OF_TIME, TOO_LARGE
from samapprox.solvers.refutations.elimination.suspensions import (
    LEAST_WITH_TREE,
    Part,
    Suspension,
    SuspensionSearch,
    shrink,
    suspend,
)
from samapprox.support.arrays import Numbers, Signs
from samapprox.support.limits import search_clock

NAME = "topological"

NONE_EXISTS = f"{NO_CYCLE}: no refutation of this kind exists"

Favours = NDArray[np.float64]
Order = Callable[[Signs, Favours, np.random.RandomState], Numbers]
"""Takes the signs of the elements, which are its columns, and how promising each of them is.

Returns all elements, those that matter most first.
"""

_SIDES: tuple[Side, ...] = ("columns", "rows")

_LEAST_SHARE = 0.08  # of either entry; in sparser patterns, covectors of a tree are much alike
_MOST_WITH_TREE = 4_000  # columns of a tree, after which the whole is left to pairs
_MOST_ENTRIES = 4_000_000  # larger patterns are not looked at as a whole
_MOST_DIMENSIONS = 30  # in more dimensions there are too many sign patterns
_FEWEST_FACES = 200  # the first part has so many times as many faces as d + 1 elements
_GROWTH = 6  # each further part has so many times as many faces as the last
# Share of a turn for parts; the rest is for the whole.
_SHARE, _SHARE_WITH_TREE = 0.5, 0.3
_LONG = 8  # times as many rows as columns, or the reverse, from which parts come first
_MORE_ROWS = 1.5  # if the rows are so many times as many as the columns, columns are the elements
# An element with a sum above this share of its signs is a key that nearly all attend to.
_COMMON = 0.8
_FAVOUR = 3.0  # how much earlier elements come that numeric searches left wrong
_MOST_DIVERSE = 60  # elements that are compared with those before them
_LEAST_TIDYING = 0.3  # seconds for making a refuted part smaller, or twice what its refutation took


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d > _MOST_DIMENSIONS:
        return f"d = {problem.d} leads to too many sign patterns"
    return None


@on_excerpt(_MOST_ENTRIES)
def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Find sign patterns on d + 2 elements that contain a circuit of any vectors.

    The elements come in one after the other, on each side, until the first ones are refuted. If all
    of them are not, no topological refutation exists, on either side: docs/theory/topological.md.
    Where time is too short for all, a part of each turn goes to the first elements of other orders,
    and another one to all elements of one order, on which the next turn goes on.
    """
    work = search.work.get(NAME)
    if not isinstance(work, _Work) or work.problem is not problem:
        work = search.work[NAME] = _Work(problem)
    started = search_clock.now()
    found = work.advance(np.random.RandomState(search.seed), search)
    if isinstance(found, Suspension):
        seconds = max(_LEAST_TIDYING, 2 * (search_clock.now() - started))
        return shrink(found, search.extend(seconds)).proof()
    if found == NO_CYCLE:
        search.exhausted.add(NAME)
        return NONE_EXISTS
    return found


class _Work:
    """Eliminations for one problem, turn after turn."""

    def __init__(self, problem: Problem) -> None:
        entries = problem.pattern.to_array()
        self.problem = problem
        self._d = problem.d
        self._signs = {side: sign_matrix(entries, side) for side in _SIDES}
        self._balances = {side: _count_rarer_sign(self._signs[side]) for side in _SIDES}
        self._first_sizes = dict.fromkeys(_SIDES, _enlarge(self._d + 1, self._d, _FEWEST_FACES))
        self._orders = _list_orders()
        self._wholes: dict[Side, SuspensionSearch] = {}
        rarer = min((entries == 1).sum(), (entries == 0).sum())
        # For the whole, whose tree has large nodes:
        self._with_tree = problem.d >= LEAST_WITH_TREE and rarer > _LEAST_SHARE * entries.size

    def advance(self, rng: np.random.RandomState, search: Search) -> Suspension | str:
        """Go on with the whole, and refute the first elements of the next order.

        A tree refutes its first elements while it grows, so there the whole comes first, unless it
        grows slowly. Once the tree is complete, it gets the time of the parts, too.
        """
        order, favours = next(self._orders), self._favours(search)
        parts_first = self._d < LEAST_WITH_TREE or self._is_long
        if parts_first and not self._nearly_done:
            found = self._try_parts(order, favours, rng, self._take_share(search, _SHARE))
            return self._go_on(favours, rng, search) if found == OUT_OF_TIME else found
        found = self._go_on(favours, rng, self._take_share(search, 1 - _SHARE_WITH_TREE))
        if found not in (OUT_OF_TIME, TOO_LARGE):
            return found
        if self._nearly_done:
            return self._go_on(favours, rng, search)
        of_parts = self._try_parts(order, favours, rng, search)
        return found if of_parts == OUT_OF_TIME else of_parts

    @property
    def _is_long(self) -> bool:
        """Whether one side is far longer: a tree of such a whole grows slowly."""
        shape = self.problem.pattern.shape
        return max(shape) > _LONG * min(shape)

    @staticmethod
    def _take_share(search: Search, share: float) -> Search:
        return search.slice(share * search.remaining, 0)

    def _try_parts(
        self,
        order: Order,
        favours: dict[Side, Favours],
        rng: np.random.RandomState,
        search: Search,
    ) -> Suspension | str:
        """Refute the first elements of an order, on each side."""
        found: Suspension | str = OUT_OF_TIME
        for number, side in enumerate(_SIDES):
            elements = order(self._signs[side], favours[side], rng)
            elements = _common_first(self._signs[side], elements)
            part = self._take_share(search, 1 / (len(_SIDES) - number))
            if (found := self._grow(side, elements, part)) != OUT_OF_TIME:
                break
        return found

    def _go_on(
        self, favours: dict[Side, Favours], rng: np.random.RandomState, search: Search
    ) -> Suspension | str:
        """Go on with the whole, on each of its sides."""
        found: Suspension | str = OUT_OF_TIME
        sides = self._choose_sides()
        for number, side in enumerate(sides):
            if side not in self._wholes:
                self._wholes[side] = self._begin_whole(side, favours[side], rng)
            share = self._take_share(search, 1 / (len(sides) - number))
            found = self._wholes[side].resume(share)
            if found == OUT_OF_TIME and self._wholes[side].is_listed:
                found = self._wholes[side].resume(search)
            if found == TOO_LARGE:
                del self._wholes[side]  # another order may do
            elif found != OUT_OF_TIME:
                return found
            elif self._with_tree and self._wholes[side].tree_columns > _MOST_WITH_TREE:
                self._with_tree, self._wholes = False, {}
                break
        return found

    @property
    def _nearly_done(self) -> list[Side]:
        """The sides whose tree is complete: its columns are known, and find what parts would."""
        return [side for side, whole in self._wholes.items() if whole.is_listed]

    def _begin_whole(
        self, side: Side, favours: Favours, rng: np.random.RandomState
    ) -> SuspensionSearch:
        """Order the elements of one side."""
        elements = _promising_first(self._signs[side], favours, rng)
        if side == "columns" and not self._with_tree:
            elements = elements[::-1]  # keys that many queries attend to make more columns
        elements = _common_first(self._signs[side], elements)
        return SuspensionSearch(self._part(side, elements), with_tree=self._with_tree)

    def _favours(self, search: Search) -> dict[Side, Favours]:
        """Rate elements: balanced ones, which occur in many opposed patterns, and hot ones.

        Hot are those that numeric searches left wrong.
        """
        rows, columns = search.count_violations(self.problem.pattern.shape)
        heat = {"columns": columns, "rows": np.append(rows.max(initial=0), rows)}
        return {
            side: self._balances[side]
            * (1 + _FAVOUR * heat[side] / max(1e-9, float(heat[side].max(initial=0))))
            for side in _SIDES
        }

    def _part(self, side: Side, elements: Numbers) -> Part:
        return Part(self._d, side, self._signs[side], np.arange(len(self._signs[side])), elements)

    def _choose_sides(self) -> tuple[Side, ...]:
        """Choose the elements of the whole.

        Beside a column with don't-cares, the end is not final. Of a matching tree, either side may
        have far more faces to replace; the side whose tree is complete first goes on alone. Pairs
        eliminate rows sooner, unless there are more.
        """
        rows, columns = self.problem.pattern.shape
        if self.problem.pattern.unspecified is not None:
            return ("rows",)
        if self._with_tree:
            return tuple(self._nearly_done) or _SIDES
        return ("columns",) if rows > _MORE_ROWS * columns else ("rows",)

    def _grow(self, side: Side, elements: Numbers, search: Search) -> Suspension | str:
        """Refute the first few elements, then more and more of them."""
        size = min(self._first_sizes[side], len(elements))
        while True:
            found = suspend(self._part(side, elements[:size]), search)
            if isinstance(found, Suspension):
                return found
            if found != NO_CYCLE:
                if size == self._first_sizes[side]:  # too many for a start
                    self._first_sizes[side] = max(self._d + 2, size - 1)
                return OUT_OF_TIME
            if size == len(elements):
                final = bool((self._signs[side][:, elements[0]] != 0).all())
                return NO_CYCLE if final else OUT_OF_TIME
            size = min(_enlarge(size, self._d, _GROWTH), len(elements))


def _list_orders() -> Iterator[Order]:
    """Yield ways to order the elements: as they stand at first, then others again and again."""
    yield _as_they_stand
    while True:
        yield _promising_first
        yield _as_they_stand  # the first turn may have been too short
        yield _diverse_first
        yield _near_first
        yield _promising_first
        yield _diverse_first
        yield _spaced_first


def _common_first(signs: Signs, elements: Numbers) -> Numbers:
    """Put the element with the fewest don't-cares first, then those that most covectors hold."""
    known, sums = (signs != 0).sum(axis=0), signs.sum(axis=0, dtype=np.int64)
    common = 1.0 * (sums > _COMMON * known)
    common[np.lexsort((-sums, -known))[0]] = 2
    return elements[np.argsort(-common[elements], kind="stable")]


def _count_rarer_sign(signs: Signs) -> Favours:
    """Return for each element how many covectors have its rarer sign there."""
    counts: Favours = np.minimum((signs > 0).sum(axis=0), (signs < 0).sum(axis=0)).astype(float)
    return counts


def _as_they_stand(_signs: Signs, favours: Favours, _rng: np.random.RandomState) -> Numbers:
    """Keep the order of the pattern: in masks, neighbours attend to neighbours."""
    return np.arange(len(favours))


def _promising_first(_signs: Signs, favours: Favours, rng: np.random.RandomState) -> Numbers:
    """Order elements by how promising they are, times a random number from 1 to 2."""
    return np.argsort(-favours * (1 + rng.random_sample(len(favours))), kind="stable")


def _diverse_first(signs: Signs, favours: Favours, rng: np.random.RandomState) -> Numbers:
    """Begin with promising elements that are little correlated with those before them."""
    columns = signs.astype(np.float32)
    worth = favours * (1 + rng.random_sample(len(favours)))
    repeated = np.zeros(len(favours))  # the largest correlation with a chosen element
    chosen: list[int] = []
    for _ in range(min(_MOST_DIVERSE, len(favours))):
        chosen.append(int(np.argmax(worth - repeated)))
        repeated = np.maximum(repeated, np.abs(columns.T @ columns[:, chosen[-1]]))
        repeated[chosen[-1]] = np.inf
    others = np.argsort(-worth, kind="stable")
    return np.append(np.array(chosen, dtype=np.int64), others[~np.isin(others, chosen)])


def _near_first(_signs: Signs, favours: Favours, rng: np.random.RandomState) -> Numbers:
    """Order elements by their distance from one of them."""
    return np.argsort(np.abs(np.arange(len(favours)) - rng.randint(len(favours))), kind="stable")


def _spaced_first(_signs: Signs, favours: Favours, rng: np.random.RandomState) -> Numbers:
    """Order elements so that every s-th one comes first."""
    spacing = 2 + rng.randint(max(1, len(favours) // 4))
    places = np.arange(len(favours)) - rng.randint(spacing)
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
