"""Best orders against all orders, known graphs, and each other."""

from __future__ import annotations

from itertools import permutations

import networkx
import numpy as np
import pytest
from helpers.attention.dependencies import any_needs, edges_of, incidence_needs, needs_of
from helpers.durations import ended_within
from hypothesis import given, settings

from samapprox import CertificateError, InputError
from samapprox.attention.graphs import AttentionGraph
from samapprox.attention.reasoning.locality import down_sets
from samapprox.attention.reasoning.locality import order as orders
from samapprox.attention.reasoning.locality.dependencies import live_width
from samapprox.attention.reasoning.locality.down_sets import DownSetSearch
from samapprox.attention.reasoning.locality.order import Claim, best_order, improve_order
from samapprox.solvers.engine.search import Search


def least_width(needs: AttentionGraph, given_tokens: int) -> int:
    """The least live width of all topological orders, one by one."""
    edges = edges_of(needs)
    found = []
    for rest in permutations(range(given_tokens, needs.n)):
        place = {token: at for at, token in enumerate([*range(given_tokens), *rest])}
        if all(place[j] < place[i] for i, j in edges):
            found.append(
                max(
                    len({j for i, j in edges if place[j] < at <= place[i]}) for at in range(needs.n)
                )
            )
    return min(found)


def random_needs(n: int, share: float, seed: int) -> AttentionGraph:
    stream = np.random.RandomState(seed)
    return needs_of(n, [(i, j) for i in range(n) for j in range(i) if stream.rand() < share])


@given(any_needs(6))
def test_the_best_order_is_the_best_of_all(drawn: tuple[AttentionGraph, int]) -> None:
    needs, given_tokens = drawn
    found = best_order(needs, given_tokens)
    least = least_width(needs, given_tokens)
    assert (found.width, found.lower, found.claimed) == (least, least, least)
    assert found.optimal
    assert found.order[:given_tokens].tolist() == list(range(given_tokens))
    assert live_width(needs, found.order.tolist()).greatest == least


def least_width_by_sets(needs: AttentionGraph, given_tokens: int) -> int:
    """The same by dynamic programming over all down-sets, without any rule that skips some."""
    edges = edges_of(needs)
    everything = frozenset(range(needs.n))

    def width(done: frozenset[int]) -> int:
        return len({j for i, j in edges if j in done and i not in done})

    start = frozenset(range(given_tokens))
    least = {start: width(start)}
    for _ in range(needs.n - given_tokens):
        after: dict[frozenset[int], int] = {}
        for done, so_far in least.items():
            for token in everything - done:
                if all(j in done for i, j in edges if i == token):
                    following = done | {token}
                    found = max(so_far, width(following))
                    after[following] = min(found, after.get(following, found))
        least = after
    return least[everything]


@pytest.mark.parametrize("seed", range(12))
def test_free_tokens_cost_nothing(seed: int) -> None:
    needs, given_tokens = random_needs(11, 0.1 + 0.03 * seed, seed), 0
    while given_tokens < seed % 4 and not needs.keys(given_tokens).size:
        given_tokens += 1
    found = best_order(needs, given_tokens)
    assert found.width == found.lower == least_width_by_sets(needs, given_tokens)


@settings(max_examples=10)
@given(any_needs(6))
def test_cp_sat_finds_the_same_width(drawn: tuple[AttentionGraph, int]) -> None:
    needs, given_tokens = drawn
    known = list(range(needs.n))
    bounds = (0, live_width(needs).greatest)
    claim = improve_order(needs, given_tokens, known, bounds, Search())
    if needs.n == given_tokens:
        assert claim is None
        return
    assert claim is not None
    assert claim.order[:given_tokens] == known[:given_tokens]
    least = least_width(needs, given_tokens)
    assert claim.lower == live_width(needs, claim.order).greatest == least


@pytest.mark.parametrize("seed", range(3))
def test_search_and_cp_sat_agree_on_random_graphs(seed: int) -> None:
    needs = random_needs(18, 0.2, seed)
    exact = DownSetSearch(needs, 0, lambda: False)
    found = exact.run()
    assert found is not None
    assert live_width(needs, found).greatest == exact.lower
    known = exact.descend()
    assert known is not None
    start = live_width(needs, known).greatest
    assert exact.lower <= start
    claim = improve_order(needs, 0, known, (0, start), Search())
    assert claim is not None
    assert claim.lower == exact.lower


@pytest.mark.parametrize(
    ("graph", "pathwidth"),
    [
        (networkx.path_graph(12), 1),
        (networkx.cycle_graph(9), 2),
        (networkx.complete_graph(7), 6),
        (networkx.complete_bipartite_graph(3, 6), 3),
        (networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(3, 6)), 3),
        (networkx.petersen_graph(), 5),
        (networkx.balanced_tree(3, 2), 2),
    ],
)
def test_edges_of_graphs_need_the_pathwidth_and_one(graph: networkx.Graph, pathwidth: int) -> None:
    assert best_order(incidence_needs(graph)).lower == pathwidth + 1


def test_a_long_total_order_is_one_down_set() -> None:
    needs = needs_of(400, [(i, i - 1) for i in range(1, 400)])
    found = best_order(needs)
    assert (found.width, found.sets) == (1, 1)


def hard() -> AttentionGraph:
    """A graph whose down-sets are too many."""
    return random_needs(70, 0.05, 3)


@pytest.mark.parametrize("limit", [0.2, 1.5])
def test_time_limits_hold_and_leave_bounds(limit: float) -> None:
    needs = hard()
    found = ended_within(limit + 1, lambda: best_order(needs, time_limit=limit))
    assert found.lower <= found.claimed < found.width
    assert not found.optimal
    assert found.width <= live_width(needs).greatest
    assert live_width(needs, found.order.tolist()).greatest == found.width


def test_a_bound_is_a_bound_wherever_the_search_stops() -> None:
    needs = random_needs(16, 0.2, 5)
    exact = DownSetSearch(needs, 0, lambda: False)
    assert exact.run() is not None
    bounds = []
    for looks in range(0, 4 * exact.sets, 5):
        left = iter([False] * looks)
        stopped = DownSetSearch(needs, 0, lambda left=left: next(left, True))  # type: ignore[misc]
        assert stopped.run() is None
        bounds.append(stopped.lower)
    assert len(set(bounds)) > 2
    assert bounds == sorted(bounds)
    assert bounds[-1] <= exact.lower


def test_a_search_with_too_many_down_sets_leaves_its_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    needs = random_needs(16, 0.3, seed=0)
    least = DownSetSearch(needs, 0, lambda: False)
    assert least.run() is not None
    monkeypatch.setattr(down_sets, "MOST_SETS", 3)
    search = DownSetSearch(needs, 0, lambda: False)
    assert search.run() is None
    assert 1 <= search.lower <= least.lower


def test_a_false_claim_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    needs = needs_of(4, [(2, 0), (3, 1)])
    monkeypatch.setattr(DownSetSearch, "run", lambda _: None)
    monkeypatch.setattr(orders, "improve_order", lambda *_: Claim([0, 2, 1, 3], 2))
    with pytest.raises(CertificateError, match="live width 1 contradicts the bound 2"):
        best_order(needs)
    monkeypatch.setattr(orders, "improve_order", lambda *_: Claim([0, 2, 1, 3], 1))
    assert best_order(needs).width == 1
    with pytest.raises(CertificateError):  # the given tokens 0, 1 do not come first
        best_order(needs, 2)


def test_graphs_beyond_the_limits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "MOST_NEEDS", 1)
    with pytest.raises(InputError, match="for at most 5000 tokens with 1 needs, not 4 with 2"):
        best_order(needs_of(4, [(2, 0), (3, 1)]))
