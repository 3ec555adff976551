"""The clauses of a core whose rows each choose one of all cuts of the keys.

The levels of a key for a query are a sum over its entries; queries with a common beginning share
the sums of this beginning. A variable for each row and cut says that the row has this cut: then its
ones lie in the cut, and its zeros do not. Other variables say that it has one of the cuts of
queries with a common beginning, which makes lemmas several times shorter.

docs/theory/values.md proves that the clauses are necessary. In few dimensions, they refute a core
with far fewer lemmas than those about the entries of queries: the keys leave rows no choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from samapprox.pattern import UNSPECIFIED
from samapprox.proofs.values.clauses import (
    TOO_MANY,
    Entry,
    Formula,
    Steps,
    at_least,
    has_few_queries,
    negate,
    query_values,
)
from samapprox.similarities import Similarity

_MOST_COMPARISONS, _MOST_DIMENSIONS = 1 << 24, 12  # of levels with thresholds: at least 4^d


@dataclass(frozen=True, slots=True)
class Cut:
    """A set of keys: those with at least so many levels for a query, or those with fewer.

    The first entry of the query that is not 0 is positive. With the steps 0..s of a value, entry k
    of a key has |q_k| times as many levels as the value has steps, or as it lacks to s if q_k < 0.
    """

    query: tuple[int, ...]
    level: int
    is_above: bool

    @property
    def direction(self) -> tuple[int, ...]:
        """A query that has larger dot products with the keys of the set than with all others."""
        return self.query if self.is_above else tuple(-entry for entry in self.query)


def can_be_listed(similarity: Similarity, d: int) -> bool:
    """Return whether there are few enough queries, keys and levels."""
    if d > _MOST_DIMENSIONS or not has_few_queries(similarity, d):
        return False
    assert similarity.values is not None
    queries = query_values(similarity, d)
    levels = d * Steps.of((1,), similarity.values).width * max(map(abs, queries))
    vectors: int = (len(queries) * len(similarity.values)) ** d
    return vectors * levels <= _MOST_COMPARISONS


def list_cuts(similarity: Similarity, d: int) -> tuple[Cut, ...]:
    """Return all cuts but the empty one and that of all keys; small queries come first.

    >>> from samapprox.similarities import find_comparison
    >>> [len(list_cuts(find_comparison("binary"), d)) for d in (1, 2, 3)]
    [2, 8, 24]
    >>> [len(list_cuts(find_comparison("binary-keys"), d)) for d in (1, 2, 3)]
    [2, 12, 102]
    """
    assert similarity.values is not None
    return _list_cuts(similarity.values, query_values(similarity, d), d)


@cache
def _list_cuts(values: Sequence[int], of_queries: Sequence[int], d: int) -> tuple[Cut, ...]:
    """List a cut with the first query and level that have it. O(|W|^d |V|^d) for each level."""
    scale = Steps.of((1,), values)
    keys = np.array(list(product([scale.count(1, value) for value in values], repeat=d)))
    queries = sorted(product(of_queries, repeat=d), key=lambda query: (sum(map(abs, query)), query))
    cuts: list[Cut] = []
    known: set[bytes] = set()
    for query in queries:
        weights = np.array(query)
        levels = keys @ weights - scale.width * weights[weights < 0].sum()
        thresholds = np.arange(1, scale.width * np.abs(weights).sum() + 1)
        sets = np.packbits(levels >= thresholds[:, None], axis=1)
        is_above = next((entry for entry in query if entry), 1) > 0
        for level, keys_above in zip(thresholds.tolist(), sets, strict=True):
            name = keys_above.tobytes()
            if name in known:
                continue
            known.add(name)
            if is_above:
                cuts.append(Cut(query, level, True))
            else:  # the others have at least so many levels for the opposite query
                opposite = tuple(-entry for entry in query)
                cuts.append(Cut(opposite, len(thresholds) + 1 - level, False))
    return tuple(cuts)


Query = tuple[int, ...]


def most_cut_clauses(rows: int, columns: int, similarity: Similarity, d: int) -> int:
    """Return a number that the clauses do not exceed."""
    if not can_be_listed(similarity, d):
        return TOO_MANY
    assert similarity.values is not None
    cuts, width = list_cuts(similarity, d), Steps.of((1,), similarity.values).width
    sizes = (width * sum(map(abs, query)) for query in _beginnings(cuts) if query[-1])
    values = len(similarity.values)
    of_keys = sum(sizes) * (1 + 2 * values) + d * (2 + 2 * values**2)
    of_rows = len(cuts) * (columns + d) + 1
    return columns * of_keys + rows * of_rows + columns * d * values**2


@dataclass(eq=False)
class CutClauses(Formula):
    """The clauses of a core with one of all cuts for each row that has a one and a zero.

    >>> import numpy as np
    >>> from samapprox.similarities import find_comparison
    >>> few = CutClauses(np.array([[1, 0]], dtype=np.int8), find_comparison("binary"), 1)
    >>> few.variables, few.clauses
    (6, [[1, -3], [-1, 3], [2, -4], [-2, 4], [-5, -3], ...])
    """

    def _represent_rows(self) -> None:
        assert self.similarity.values is not None
        self.scale = Steps.of((1,), self.similarity.values)
        self.cuts = list_cuts(self.similarity, self.d)
        beginnings = _beginnings(self.cuts)
        levels = [self._levels(column, key, beginnings) for column, key in enumerate(self.keys)]
        self._choices: dict[int, range] = {}
        for row in range(self.entries.shape[0]):
            self._represent(row, levels)

    def query_vectors(self, true: frozenset[int]) -> list[list[int]]:
        lowest = [min(self.similarity.values or ())] * self.d
        chosen = []
        for row in range(self.entries.shape[0]):
            choices = zip(self.cuts, self._choices.get(row, ()), strict=False)
            cuts = (cut for cut, choice in choices if choice in true)
            chosen.append(next((list(cut.direction) for cut in cuts), lowest))
        return chosen

    def _levels(
        self, column: int, key: list[Entry], beginnings: Iterable[Query]
    ) -> dict[Query, range]:
        """Return the levels of a key for the beginning of each query."""
        self._begin(f"key {column}")
        levels: dict[Query, range] = {(): range(0)}
        for query in beginnings:
            *before, weight = query
            levels[query] = levels[tuple(before)]
            if weight:
                name = f"levels of key {column} for {query}"
                levels[query] = self._sum(key[len(before)], levels[query], weight, name)
        return levels

    def _sum(self, entry: Entry, before: range, weight: int, name: str) -> range:
        """Return the levels of a key up to one of its entries."""
        width = self.scale.width
        total = self._new(len(before) + abs(weight) * width, name)
        self._add_descent(total)
        for least, level in enumerate(total, 1):
            for value, literal in entry.items():
                steps = self.scale.count(1, value)
                more = abs(weight) * (steps if weight > 0 else width - steps)
                earlier = at_least(before, least - more)
                self._add(-literal, negate(earlier), level)
                self._add(-literal, earlier, -level)
        return total

    def _represent(self, row: int, levels: list[dict[Query, range]]) -> None:
        """Have a row that has a one and a zero choose a cut."""
        entries = self.entries[row].tolist()
        if 1 not in entries or 0 not in entries:
            return
        self._begin(f"row {row}")
        choices = self._choices[row] = self._new(len(self.cuts), f"cut of row {row}")
        for cut, choice in zip(self.cuts, choices, strict=True):
            for entry, of_key in zip(entries, levels, strict=True):
                if entry == UNSPECIFIED:
                    continue
                above = of_key[cut.query][cut.level - 1]
                self._add(-choice, above if (entry == 1) == cut.is_above else -above)
        self._choose(row, choices)

    def _choose(self, row: int, choices: range) -> None:
        """Have a row choose the beginning of a query, entry by entry, and then a cut."""
        lists: dict[Query, list[int]] = {}
        for cut, choice in zip(self.cuts, choices, strict=True):
            lists.setdefault(cut.direction, []).append(choice)
        for _ in range(self.d):
            shorter: dict[Query, list[int]] = {}
            for beginning, literals in lists.items():
                name = f"cut of a query of row {row} beginning with {beginning}"
                shorter.setdefault(beginning[:-1], []).append(self._any_of(literals, name))
            lists = shorter
        self._add(*lists[()])

    def _any_of(self, literals: list[int], name: str) -> int:
        """Return a literal that holds only if one of these does."""
        if len(literals) == 1:
            return literals[0]
        (some,) = self._new(1, name)
        self._add(-some, *literals)
        return some


def _beginnings(cuts: Iterable[Cut]) -> list[Query]:
    """Return the first entries of the queries, each list of them once and after its beginning."""
    lists = (cut.query[: k + 1] for cut in cuts for k in range(len(cut.query)))
    return list(dict.fromkeys(lists))
