"""Least hitting sets by CP-SAT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from samapprox.solvers.search import Search
from samapprox.support.cp_sat import solve

__all__ = ["HittingItems", "find_least_hitting_set"]

Family = Sequence[frozenset[int]]
"""Sets of items, each of which must be hit."""

_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class HittingItems:
    """A hitting set, and a lower bound on the weight of all hitting sets.

    Attributes
    ----------
    items : frozenset of int
    weight : int
    bound : int
        Equal to `weight` if the set is a least one.
    """

    items: frozenset[int]
    weight: int
    bound: int


def find_least_hitting_set(
    family: Family, weights: Mapping[int, int], search: Search
) -> HittingItems:
    """Find a hitting set of least weight, or a small one and a bound when time is up.

    Parameters
    ----------
    family : sequence of frozenset of int
        None of them empty.
    weights : mapping of int to int
        Of all items.
    search : Search

    Examples
    --------
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
    bound = ceil(solver.best_objective_bound - _ROUNDING)
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
