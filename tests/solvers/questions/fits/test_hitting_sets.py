"""Trees that bound hitting sets, against all sets of items, and leaf by leaf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from samapprox import Pattern
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits import hitting_sets
from samapprox.solvers.questions.fits.hitting_sets import Tree, find_least_hitting_set
from samapprox.support.limits import search_clock

NO_TIME = Search(search_clock.now() - 1, search_clock.now() - 1)
Family = Sequence[frozenset[int]]

TRIANGLE = [frozenset({0, 1}), frozenset({1, 2}), frozenset({2, 0})]
"""Half of each item hits all three: the linear program says 3 / 2, and the truth is 2."""


def triangles(count: int) -> Family:
    return [frozenset(3 * k + item for item in pair) for k in range(count) for pair in TRIANGLE]


def least_weight(family: Family, weights: Mapping[int, int]) -> int:
    """Try all sets of items."""
    items = sorted(frozenset().union(*family))
    return min(
        sum(weights[item] for item in chosen)
        for size in range(len(items) + 1)
        for chosen in combinations(items, size)
        if all(not core.isdisjoint(chosen) for core in family)
    )


def confirm(tree: Tree, family: Family, weights: Mapping[int, int], wrong: int) -> None:
    """Assert that each leaf has a packing of the open cores that is too heavy for its branch."""
    nodes, packings = iter(tree.nodes), iter(tree.packings)
    branches = [(dict(enumerate(family)), wrong)]
    while branches:
        cores, allowed = branches.pop()
        item = next(nodes)
        if item >= 0:
            branches.append(({core: items - {item} for core, items in cores.items()}, allowed))
            hit = {core: items for core, items in cores.items() if item not in items}
            branches.append((hit, allowed - weights[item]))
            continue
        packing = next(packings)
        used = dict.fromkeys(weights, 0)
        for core, share in zip(packing.cores, packing.weights, strict=True):
            for one in cores[core]:
                used[one] += share
        assert all(share <= weights[one] * packing.denominator for one, share in used.items())
        assert sum(packing.weights) > allowed * packing.denominator
    assert next(nodes, None) is None
    assert next(packings, None) is None


@given(
    st.lists(st.frozensets(st.integers(0, 6), min_size=1, max_size=3), min_size=1, max_size=12),
    st.lists(st.integers(1, 3), min_size=7, max_size=7),
)
@example(list(triangles(2)), [1] * 7)
@example(list(combinations(range(6), 2)), [1] * 7)
@example([frozenset({0, 1}), frozenset({0})], [1] * 7)
def test_there_is_a_tree_if_and_only_if_no_light_set_hits_all(
    cores: list[frozenset[int]], prices: list[int]
) -> None:
    family = [frozenset(core) for core in cores]
    weights = dict(enumerate(prices))
    least = least_weight(family, weights)
    found = find_least_hitting_set(family, weights, Search())
    assert found.weight == found.bound == least
    for wrong in range(least + 1):
        tree = hitting_sets._grow_tree(family, weights, wrong, Search())
        assert (tree is None) == (wrong == least)
        if tree is not None:
            confirm(tree, family, weights, wrong)


def test_disjoint_triangles_need_branches() -> None:
    weights = dict.fromkeys(range(12), 1)
    for count in (1, 2, 3, 4):
        family = triangles(count)
        tree = hitting_sets._grow_tree(family, weights, 2 * count - 1, Search())
        assert tree is not None
        assert len(tree.packings) >= count
        confirm(tree, family, weights, 2 * count - 1)
        assert hitting_sets._grow_tree(family, weights, 2 * count, Search()) is None


def test_large_trees_and_long_searches_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = dict.fromkeys(range(12), 1)
    assert hitting_sets._grow_tree(triangles(4), weights, 7, NO_TIME) is None
    monkeypatch.setattr(hitting_sets, "_MOST_LEAVES", 1)
    assert hitting_sets._grow_tree(triangles(4), weights, 7, Search()) is None
    assert hitting_sets._grow_tree(triangles(1), weights, 1, Search()) is not None


def test_the_sets_are_hit_without_time_too() -> None:
    found = find_least_hitting_set(triangles(4), dict.fromkeys(range(12), 1), NO_TIME)
    assert all(core & found.items for core in triangles(4))
    assert found.bound <= 8 <= found.weight == len(found.items)


def test_shattered_columns_are_listed_while_there_is_time() -> None:
    pattern = Pattern.from_text("0011\n0101\n1111")
    late = Search(deadline=search_clock.now() - 1)
    assert [
        len(list(hitting_sets._list_shattered(pattern, [0, 1, 2], 2, search)))
        for search in (Search(), late)
    ] == [1, 0]
