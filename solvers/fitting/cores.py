"""Cores of a pattern: sets of items of which at least one is wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.base import Obstruction, Submatrix
from samapprox.proofs.kinds.fits.hitting_set import Core
from samapprox.proofs.kinds.fits.items import Items
from samapprox.proofs.kinds.similarities.extended import Extended
from samapprox.proofs.questions.fit import Fit
from samapprox.solvers.fitting.hitting import HittingItems, find_least_hitting_set
from samapprox.solvers.fitting.listing import list_separating, list_shattered
from samapprox.solvers.fitting.trees import bound_by_packing, prove_bound
from samapprox.solvers.search import Search

__all__ = ["KnownCores"]

_MOST_LISTED = 5_000  # cores of each kind
_MOST_ROWS_LISTED = 2_000  # rows that these cores are chosen from


class KnownCores:
    """The cores found so far, each once.

    Parameters
    ----------
    question : Fit
        Its `wrong` is of no importance.
    items : Items
        Of the pattern of the question.
    weights : mapping of int to int
        The distinct items that may be wrong, and how many equal ones there are of each.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> question = Fit(Pattern(np.eye(4)), 1, 0)
    >>> cores = KnownCores(question, Items.of(question.pattern, "rows"), dict.fromkeys(range(4), 1))
    >>> cores.list_few_rows(1.0, Search())
    >>> len(cores), cores.bound_by_packing(), len(cores.hit(Search()).items)
    (4, 2, 2)
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
        d = question.d + (question.similarity == "l2")  # of halfspaces that are no weaker
        listed: list[Iterator[Submatrix]] = [
            list_shattered(question.pattern, rows, d + 1, search.slice(seconds, 0))
        ]
        if d == 1:
            listed.append(list_separating(question.pattern, rows, search.slice(2 * seconds, 0)))
        for cores in listed:
            for core in islice(cores, _MOST_LISTED):
                self.add(Core(self._carry(core)))

    def _carry(self, core: Submatrix) -> Submatrix:
        """Return a core without halfspaces as one without caps or balls."""
        if self._question.similarity == "dot":
            return core
        inner = core.place(_places_among(core.rows), _places_among(core.columns))
        return Extended(self._question.similarity, core.rows, core.columns, inner)

    def hit(self, search: Search) -> HittingItems:
        """Return the lightest items that hit all cores, as far as time allows."""
        return find_least_hitting_set(self._family, self._weights, search)

    def are_hit(self, items: Collection[int]) -> bool:
        """Return whether these items hit all cores."""
        return not any(core.isdisjoint(items) for core in self._family)

    def choose(self, dropped: Collection[int]) -> int:
        """Return an item of many cores that is not dropped yet."""
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


def _places_among(numbers: Collection[int]) -> NDArray[np.int64]:
    """Return an array with the place of each number among them."""
    places = np.zeros(max(numbers) + 1, dtype=np.int64)
    places[list(numbers)] = np.arange(len(numbers))
    return places
