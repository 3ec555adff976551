"""The sets of keys with few values that a query and a threshold cut off, each listed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from samapprox.proofs.values.clauses import Steps, has_few_queries, query_values
from samapprox.similarities import Similarity

__all__ = ["Cut", "can_be_listed", "list_cuts"]

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
