"""Cores of a pattern, each of which contains a wrong item, and least hitting sets by CP-SAT."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from math import ceil

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.base import Obstruction, Submatrix
from samapprox.proofs.fits.hitting_set import Core, HittingSet, Packing
from samapprox.proofs.fits.items import Items
from samapprox.proofs.questions import Fit
from samapprox.proofs.refutations.radon import Radon
from samapprox.proofs.refutations.shattering import Shattering
from samapprox.solvers.engine.search import Search
from samapprox.solvers.similarity.transfers import carry_core
from samapprox.support.cp_sat import solve

Family = Sequence[frozenset[int]]
"""Sets of items, each of which must be hit."""

# Rounding errors that the solver's bound may have.
_BOUND_ERROR = 1e-6


@dataclass(frozen=True, slots=True)
class HittingItems:
    """A hitting set, its weight, and a lower bound on the weight of all hitting sets."""

    items: frozenset[int]
    weight: int
    bound: int


def find_least_hitting_set(
    family: Family, weights: Mapping[int, int], search: Search
) -> HittingItems:
    """Find a hitting set of least weight, or a small one and a bound when the time is up.

    None of the sets may be empty.

    >>> family = [frozenset({0, 1}), frozenset({1, 2}), frozenset({2, 0})]
    >>> found = find_least_hitting_set(family, {0: 1, 1: 1, 2: 1}, Search())
    >>> found.weight, found.bound
    (2, 2)
    """
    if not family:
        return HittingItems(frozenset(), 0, 0)
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    items = sorted(frozenset().union(*family))
    chosen = {item: model.new_bool_var(f"x{item}") for item in items}
    for core in family:
        model.add_bool_or([chosen[item] for item in sorted(core)])
    model.minimize(sum(weights[item] * chosen[item] for item in items))
    solver = solve(model, search)
    if solver is None:
        greedy = _hit_greedily(family, weights)
        return HittingItems(greedy, sum(weights[item] for item in greedy), 0)
    hit = frozenset(item for item in items if solver.value(chosen[item]))
    bound = ceil(solver.best_objective_bound - _BOUND_ERROR)
    return HittingItems(hit, sum(weights[item] for item in hit), bound)


def _hit_greedily(family: Family, weights: Mapping[int, int]) -> frozenset[int]:
    """Return a hitting set by repeatedly taking the item that hits most sets for its weight."""
    hit: set[int] = set()
    left = list(family)
    while left:
        counts: dict[int, int] = {}
        for core in left:
            for item in core:
                counts[item] = counts.get(item, 0) + 1
        best = max(sorted(counts), key=lambda item: counts[item] / weights[item])
        hit.add(best)
        left = [core for core in left if best not in core]
    return frozenset(hit)


# Leaves of a tree: more prove more, but each is a part of the certificate.
_MOST_LEAVES = 20_000
# Denominators of packings: small ones make short proofs, and large ones lose the least.
_DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 24, 60, 120, 840, 2520, 10**6, 10**9)
# Errors of a linear program's values that are taken as none.
_ROUNDING = 1e-7
# Cores up to which the dominated ones are dropped, which compares all pairs in the worst case.
_MOST_COMPARED = 2_000


@dataclass(slots=True)
class Tree:
    """The nodes of a tree in preorder, with -1 for leaves, and the packings of its leaves."""

    nodes: list[int] = field(default_factory=list)
    packings: list[Packing] = field(default_factory=list)


Cores = list[tuple[int, frozenset[int]]]
"""The numbers of cores, and their items that are not known to be right."""


def prove_bound(
    cores: Sequence[Core],
    family: Sequence[frozenset[int]],
    weights: Mapping[int, int],
    wrong: int,
    search: Search,
) -> HittingSet | None:
    """Prove that the least hitting set of the cores weighs more than `wrong`, if the tree is small.

    `family` holds the items of each core. The proof names only the cores that its packings use.
    """
    tree = _grow_tree(family, weights, wrong, search)
    if tree is None:
        return None
    used = sorted({core for packing in tree.packings for core in packing.cores}) or [0]
    place = {core: number for number, core in enumerate(used)}
    packings = [
        Packing([place[core] for core in packing.cores], packing.weights, packing.denominator)
        for packing in tree.packings
    ]
    return HittingSet([cores[core] for core in used], tree.nodes, packings)


def bound_by_packing(family: Sequence[frozenset[int]], weights: Mapping[int, int]) -> int:
    """Return the bound that a tree with a single leaf proves: the best packing, rounded up."""
    if not family:
        return 0
    items = sorted(frozenset().union(*family))
    shares, _ = _solve(list(enumerate(family)), items, weights)
    return ceil(float(shares.sum()) - 10 * _ROUNDING)


def _grow_tree(
    family: Sequence[frozenset[int]], weights: Mapping[int, int], wrong: int, search: Search
) -> Tree | None:
    """Return a tree that proves that no hitting set weighs at most `wrong`, or None.

    None means that there is such a hitting set, that the tree gets too large, or that the time is
    up. The search is branch and bound with linear programs, whose dual solutions are the packings.

    >>> family = [frozenset({0, 1}), frozenset({1, 2}), frozenset({2, 0})]
    >>> tree = _grow_tree(family, {0: 1, 1: 1, 2: 1}, 1, Search())
    >>> tree.nodes, [packing.to_json() for packing in tree.packings]
    ([-1], [{'cores': [0, 1, 2], 'weights': [1, 1, 1], 'denominator': 2}])
    """
    tree = Tree()
    waiting: list[tuple[Cores, int]] = [(_drop_dominated(list(enumerate(family))), wrong)]
    while waiting:
        if search.out_of_time or len(tree.packings) > _MOST_LEAVES:
            return None
        cores, allowed = waiting.pop()
        packing, item = _bound(cores, weights, allowed)
        if packing is not None:
            tree.nodes.append(-1)
            tree.packings.append(packing)
        elif item is None:
            return None
        else:
            tree.nodes.append(item)
            # The item is right in one branch, so that the other items must hit its cores; it is
            # wrong in the other, where its cores are hit and less weight is left.
            right = [(core, items - {item}) for core, items in cores]
            waiting.append((_drop_dominated(right), allowed))
            hit = [(core, items) for core, items in cores if item not in items]
            waiting.append((hit, allowed - weights[item]))  # the next to be taken
    return tree


def _bound(
    cores: Cores, weights: Mapping[int, int], allowed: int
) -> tuple[Packing | None, int | None]:
    """Return a packing that exceeds what is allowed, or else an item to branch on, if any."""
    if allowed < 0:
        return Packing([], []), None
    for core, open_items in cores:
        if not open_items:
            return Packing([core], [allowed + 1]), None
    if not cores:
        return None, None
    items = sorted(frozenset().union(*(open_items for _, open_items in cores)))
    shares, values = _solve(cores, items, weights)
    if shares.sum() > allowed + _ROUNDING:
        # By duality, the packing of cores weighs as much as the best fractional hitting set.
        packing = _round(cores, shares, weights, allowed)
        if packing is not None:
            return packing, None
    fractional = np.minimum(values, 1 - values)
    if fractional.max() < _ROUNDING:
        return None, None
    counts = dict.fromkeys(items, 0.0)
    for _, open_items in cores:
        for item in open_items:
            counts[item] += 2.0 ** -len(open_items)
    # Jeroslow and Wang's rule prefers items of many small cores; here fractional ones count more.
    promise = [counts[item] * share for item, share in zip(items, fractional, strict=True)]
    return None, items[int(np.argmax(promise))]


def _solve(
    cores: Cores, items: list[int], weights: Mapping[int, int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Solve the linear program of hitting sets: the shares of cores, and the values of items."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    place = {item: number for number, item in enumerate(items)}
    columns = [place[item] for _, core in cores for item in core]
    ends = np.cumsum([0, *(len(core) for _, core in cores)])
    matrix = csr_array((-np.ones(len(columns)), columns, ends), shape=(len(cores), len(items)))
    costs = [weights[item] for item in items]
    found = linprog(costs, matrix, -np.ones(len(cores)), bounds=(0, None), method="highs")
    if found.status != 0:
        return np.zeros(len(cores)), np.full(len(items), 0.5)
    return np.maximum(-found.ineqlin.marginals, 0), np.clip(found.x, 0, 1)


def _round(
    cores: Cores, shares: NDArray[np.float64], weights: Mapping[int, int], allowed: int
) -> Packing | None:
    """Return a packing in fractions near the shares that still exceeds what is allowed."""
    for denominator in _DENOMINATORS:
        for slack in (0.5, _ROUNDING * denominator, 0.0):
            rounded = np.floor(shares * denominator + slack).astype(np.int64).tolist()
            if sum(rounded) <= denominator * allowed:
                continue
            used: dict[int, int] = {}
            for (_, items), share in zip(cores, rounded, strict=True):
                for item in items:
                    used[item] = used.get(item, 0) + share
            if all(share <= denominator * weights[item] for item, share in used.items()):
                kept = [place for place, share in enumerate(rounded) if share]
                shares_kept = [rounded[place] for place in kept]
                return Packing([cores[place][0] for place in kept], shares_kept, denominator)
    return None


def _drop_dominated(cores: Cores) -> Cores:
    """Drop the cores that contain another one, unless there are very many."""
    if len(cores) > _MOST_COMPARED:
        return cores
    kept: Cores = []
    with_least: dict[int, list[frozenset[int]]] = {}
    for core, items in sorted(cores, key=lambda one: (len(one[1]), one[0])):
        if not items:
            return [(core, items)]
        known = (other for item in items for other in with_least.get(item, ()))
        if not any(other <= items for other in known):
            kept.append((core, items))
            with_least.setdefault(min(items), []).append(items)
    return kept


# Cores of each kind: more give better bounds, but longer linear programs.
_MOST_LISTED = 5_000
# Rows from which listed cores are chosen: the pairs of more rows take too long.
_MOST_ROWS_LISTED = 2_000


class KnownCores:
    """The cores found so far, each once; `weights` counts the equal items that each one stands for.

    The number of wrong items that `question` names is ignored.
    """

    def __init__(self, question: Fit, items: Items, weights: Mapping[int, int]) -> None:
        self._question = question
        self._items = items
        self._weights = weights
        self._cores: list[Core] = []
        self._family: list[frozenset[int]] = []
        self._known: set[frozenset[int]] = set()

    def __len__(self) -> int:
        return len(self._cores)

    def add(self, core: Core) -> frozenset[int]:
        """Add a core, and return its items."""
        items = frozenset(self._items.read_by(core))
        if items not in self._known:
            self._known.add(items)
            self._cores.append(core)
            self._family.append(items)
        return items

    def list_few_rows(self, seconds: float, search: Search) -> None:
        """Add cores of few rows, as far as they are found in so many seconds; rows only."""
        question = self._question
        if question.unit == "entries":
            return
        rows = sorted(self._weights)[:_MOST_ROWS_LISTED]
        d = question.d + question.similarity.below  # of halfspaces that are no weaker
        listed: list[Iterator[Submatrix]] = [
            _list_shattered(question.pattern, rows, d + 1, search.slice(seconds, 0))
        ]
        if d == 1:
            listed.append(_list_separating(question.pattern, rows, search.slice(2 * seconds, 0)))
        for cores in listed:
            for core in islice(cores, _MOST_LISTED):
                self.add(Core(carry_core(core, question.similarity)))

    def hit(self, search: Search) -> HittingItems:
        """Return the lightest items that hit all cores, as far as time allows."""
        return find_least_hitting_set(self._family, self._weights, search)

    def are_hit(self, items: Collection[int]) -> bool:
        """Return whether these items hit all cores."""
        return not any(core.isdisjoint(items) for core in self._family)

    def choose(self, dropped: Collection[int]) -> int:
        """Return an item of many cores that is not dropped yet."""
        # An item of many cores is probably wrong.
        counts = {item: 0 for item in self._weights if item not in dropped}
        if not counts:
            return next(iter(self._weights))
        for core in self._family:
            for item in core & counts.keys():
                counts[item] += 1
        return max(sorted(counts), key=counts.__getitem__)

    def bound_by_packing(self) -> int:
        """Return a lower bound on the wrong items, by the best fractional packing of cores."""
        return bound_by_packing(self._family, self._weights)

    def prove_more_than(self, wrong: int, search: Search) -> Obstruction | None:
        """Return a proof that more than so many items are wrong, if the cores show it in time."""
        return prove_bound(self._cores, self._family, self._weights, wrong, search)


Masks = Sequence[tuple[int, int]]
"""The zeros and the ones of rows, as the bits of two numbers."""


def _list_shattered(
    pattern: Pattern, rows: Sequence[int], size: int, search: Search
) -> Iterator[Shattering]:
    r"""Yield the sets of `size` rows that shatter some columns: each refutes d = size - 1.

    >>> list(_list_shattered(Pattern.from_text("0011\n0101\n1111"), [0, 1, 2], 2, Search()))
    [Shattering(rows=(0, 1), columns=(0, 2, 1, 3))]
    """
    masks = _read_masks(pattern, rows)
    every = (1 << pattern.shape[1]) - 1
    waiting: list[tuple[tuple[int, ...], list[int]]] = [((), [every])]
    while waiting and not search.out_of_time:
        chosen, cells = waiting.pop()
        if len(chosen) == size:
            columns = [_first(cell) for cell in cells]
            yield Shattering([rows[place] for place in chosen], columns)
            continue
        for place in reversed(range(chosen[-1] + 1 if chosen else 0, len(rows))):
            split = [cell & side for side in masks[place] for cell in cells]
            if all(split):
                waiting.append(((*chosen, place), split))


def _list_separating(pattern: Pattern, rows: Sequence[int], search: Search) -> Iterator[Radon]:
    r"""Yield the sets of three rows each of which separates one of three keys: NO for d = 1.

    >>> list(_list_separating(Pattern.from_text("100\n010\n001"), [0, 1, 2], Search()))
    [Radon(rows=(0, 1, 2), columns=(0, 1, 2))]
    """
    masks = _read_masks(pattern, rows)
    for first, second in combinations(range(len(rows)), 2):
        if search.out_of_time:
            return
        pairs = [[one & other for other in masks[second]] for one in masks[first]]
        for third in range(second + 1, len(rows)):
            cells = [[[pair & side for side in masks[third]] for pair in line] for line in pairs]
            for corner in range(8):
                a, b, c = corner & 1, corner >> 1 & 1, corner >> 2
                keys = cells[1 - a][b][c], cells[a][1 - b][c], cells[a][b][1 - c]
                if all(keys):
                    chosen = [rows[place] for place in (first, second, third)]
                    yield Radon(chosen, [_first(key) for key in keys])
                    break


def _read_masks(pattern: Pattern, rows: Sequence[int]) -> Masks:
    """Return the columns where each row has a 0, and where it has a 1, as bits."""
    entries = (pattern.block(row, row + 1)[0] for row in rows)
    return [(_pack(line == 0), _pack(line == 1)) for line in entries]


def _pack(flags: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _first(mask: int) -> int:
    """Return the place of the lowest bit."""
    return (mask & -mask).bit_length() - 1
