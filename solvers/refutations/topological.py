"""Elimination over GF(2) on sign patterns: topological refutations of the whole or of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.proofs.refutations.topological import Topological
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.dense_blocks import on_excerpt
from samapprox.solvers.refutations.elimination.cycles import (
    NO_CYCLE,
    OUT_OF_TIME,
    TOO_LARGE,
    CycleSearch,
)
from samapprox.solvers.refutations.elimination.tree_cycles import TreeSearch
from samapprox.support.limits import search_clock

NAME = "topological"

NONE_EXISTS = f"{NO_CYCLE}: no refutation of this kind exists"

Numbers = NDArray[np.int64]
Signs = NDArray[np.int8]
Favours = NDArray[np.float64]
Order = Callable[[Signs, Favours, np.random.RandomState], Numbers]
"""Takes the signs of the elements, which are its columns, and how promising each of them is.

Returns all elements, those that matter most first.
"""

_SIDES: tuple[Side, ...] = ("columns", "rows")

_LEAST_WITH_TREE = 4  # dimensions in which a matching tree takes less time than pairs
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
        self._with_tree = problem.d >= _LEAST_WITH_TREE and rarer > _LEAST_SHARE * entries.size

    def advance(self, rng: np.random.RandomState, search: Search) -> Suspension | str:
        """Go on with the whole, and refute the first elements of the next order.

        A tree refutes its first elements while it grows, so there the whole comes first, unless it
        grows slowly. Once the tree is complete, it gets the time of the parts, too.
        """
        order, favours = next(self._orders), self._favours(search)
        parts_first = self._d < _LEAST_WITH_TREE or self._is_long
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


# ---------------------------------------------------------------- suspensions


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some covectors and elements of a pattern."""

    d: int
    side: Side  # the lines that are the elements
    signs: Signs  # all covectors on all elements: see `orientation_clauses.sign_matrix`
    covectors: Numbers  # the chosen ones. The first element is the apex; the next ones matter most
    elements: Numbers  # the chosen ones. The first element is the apex; the next ones matter most

    def keep(self, of: str, kept: Numbers) -> Part:
        """Restrict it to some of its elements, or of its covectors."""
        return replace(self, elements=kept) if of == "elements" else replace(self, covectors=kept)


@dataclass(frozen=True, slots=True, eq=False)
class Suspension:
    """An odd cycle, each pattern of which two covectors extend by the apex with both signs."""

    part: Part  # on the elements and covectors that it uses
    # (members, d + 3): A covector and d + 2 ascending elements each, as numbers in `part.signs`.
    members: Numbers

    def proof(self) -> Topological:
        """Return the certificate."""
        return build_proof(self.part.d, self.part.side, self.members)


def build_proof(d: int, side: Side, members: Numbers) -> Topological:
    """Return the certificate of a cycle, on the rows and columns that its members name."""
    parts = members[:, :1], members[:, 1:]  # a covector, and its elements
    lines = [np.unique(part) for part in parts]
    of_rows = 0 if side == "columns" else 1
    # Row 0 is number 0 of its side, whether or not a member names it.
    lines[of_rows] = np.union1d(0, lines[of_rows])
    places = [np.searchsorted(line, part) for line, part in zip(lines, parts, strict=True)]
    return Topological(d, lines[of_rows][1:] - 1, lines[1 - of_rows], side, np.hstack(places))


def suspend(part: Part, search: Search) -> Suspension | str:
    """Refute a part, or say why this fails: see `SuspensionSearch`."""
    return SuspensionSearch(part).resume(search)


class SuspensionSearch:
    """A search for a refutation of a part, which may pause and go on.

    Multiply each covector by its sign at the apex. Opposed patterns are those on d + 1 other
    elements that occur with both signs. A cycle of members is, up to boundaries, a cycle of these:
    docs/theory/topological.md, which says why patterns beside the apex are enough.
    """

    def __init__(self, part: Part, *, with_tree: bool | None = None) -> None:
        with_tree = part.d >= _LEAST_WITH_TREE if with_tree is None else with_tree
        apex = part.elements[0]
        # Promising elements come first in a tree, and last where larger elements have more pairs.
        self._others = part.elements[1:] if with_tree else part.elements[:0:-1]
        at_apex = part.signs[part.covectors, apex]
        known = part.covectors[at_apex != 0]
        oriented = part.signs[np.ix_(known, self._others)] * part.signs[known, apex][:, None]
        self._distinct, first = np.unique(oriented, axis=0, return_index=True)
        self._covectors = known[first]
        self._part = part
        self._cycles = (TreeSearch if with_tree else CycleSearch)(self._distinct, part.d + 1)

    @property
    def tree_columns(self) -> int:
        """How many columns a matching tree has left so far."""
        return self._cycles.columns if isinstance(self._cycles, TreeSearch) else 0

    @property
    def is_listed(self) -> bool:
        """Whether a matching tree is complete: all of its columns are known."""
        return isinstance(self._cycles, TreeSearch) and self._cycles.is_listed

    def resume(self, search: Search) -> Suspension | str:
        """Go on until the search is over or out of time."""
        cycle = self._cycles.resume(search)
        return cycle if isinstance(cycle, str) else self._extend(cycle)

    def _extend(self, cycle: Numbers) -> Suspension:
        """Extend each pattern of an odd cycle by the apex, with both signs."""
        part, apex = self._part, self._part.elements[0]
        places = np.repeat(cycle >> 1, 2, axis=0)
        signs = np.repeat(1 - 2 * (cycle & 1), 2, axis=0).astype(np.int8)
        signs[1::2] *= -1
        covectors = self._covectors[_choose_covectors(self._distinct, places, signs)]
        elements = np.column_stack([self._others[places], np.full(len(places), apex)])
        members = np.column_stack([covectors, np.sort(elements, axis=1)])
        used = np.isin(part.elements, elements)
        smaller = replace(part, covectors=np.unique(covectors), elements=part.elements[used])
        return Suspension(smaller, members[np.lexsort(members.T[::-1])])


def _choose_covectors(distinct: Signs, places: Numbers, signs: Signs) -> Numbers:
    """Choose a covector for each pattern: one with many patterns, so that few are chosen in all."""

    def shown(covector: int) -> NDArray[np.bool_]:
        return np.asarray((distinct[covector][places] == signs).all(axis=1))

    counts = np.array([shown(covector).sum() for covector in range(len(distinct))])
    chosen = np.full(len(places), -1, dtype=np.int64)
    for covector in np.argsort(-counts, kind="stable").tolist():
        chosen[shown(covector) & (chosen < 0)] = covector
    return chosen


def shrink(found: Suspension, search: Search) -> Suspension:
    """Leave out elements and covectors as long as the others are refuted, and time is left."""
    for of in ("elements", "covectors"):
        found = _leave_out(found, of, search)
    return found


def _leave_out(found: Suspension, of: str, search: Search) -> Suspension:
    """Leave out half of the elements (or covectors), then smaller shares, then single ones."""
    lines: Numbers = getattr(found.part, of)
    share = (len(lines) + 1) // 2
    while share:
        at = len(lines) - share  # from the last one, which matters least
        while at > -share:
            if search.out_of_time:
                return found
            kept = np.delete(lines, np.arange(max(0, at), at + share))
            smaller = suspend(found.part.keep(of, kept), search) if len(kept) else None
            if isinstance(smaller, Suspension):
                found, lines = smaller, getattr(smaller.part, of)
                at = min(at, len(lines))
            at -= share
        share //= 2
    return found
